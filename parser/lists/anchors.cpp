#include "parser/lists/anchors.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "parser/ascii.h"
#include "parser/html/html_document.h"
#include "parser/lists/heading_slugs.h"
#include "parser/lists/line_index.h"
#include "parser/lists/readers.h"
#include "parser/url/percent_encoding.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

constexpr std::string_view script_tag = "<script";
constexpr std::size_t shell_text = 200;  // in code points; longer than "Loading…" or "Please enable JavaScript"

class AnchorCollector {
 public:
  void add(std::string anchor) {
    if (!anchor.empty()) anchors_.push_back(std::move(anchor));
  }

  void add_heading(const FoundHeading& heading) {
    const std::string_view plain = strip_attributes(heading.plain ? *heading.plain : heading.text);
    const std::string slug = github_slug(plain);
    std::string numbered = slug;
    // GitHub's numbering turns "Dup", "Dup", "Dup-1" into dup, dup-1, dup-1-1.
    while (seen_.contains(numbered)) numbered = slug + "-" + std::to_string(++seen_[slug]);
    seen_.emplace(numbered, 0);
    add(std::move(numbered));
    for (std::string& other : site_generator_slugs(plain, strip_attributes(heading.text))) {
      const std::size_t before = others_[other]++;
      const std::size_t number = other.empty() ? before + 1 : before;
      for (const char* const dash : {"-", "_"}) {
        if (number > 0) add(other + dash + std::to_string(number));
      }
      add(std::move(other));
    }
  }

  std::vector<std::string> finish() {
    std::ranges::sort(anchors_);
    anchors_.erase(std::unique(anchors_.begin(), anchors_.end()), anchors_.end());
    return std::move(anchors_);
  }

 private:
  std::vector<std::string> anchors_;
  std::unordered_map<std::string, std::size_t> seen_;
  std::unordered_map<std::string, std::size_t> others_;
};

}  // namespace

bool has_known_anchors(DocumentFormat format) {
  return is_markdown(format) || format == DocumentFormat::html || format == DocumentFormat::bookmarks ||
         format == DocumentFormat::asciidoc;
}

std::vector<std::string> find_anchors(std::string_view text, DocumentFormat format, SiteGenerator generator) {
  if (!has_known_anchors(format)) return {};
  FoundLinks found;
  if (is_markdown(format)) {
    found = read_markdown_links(text, {.generator = generator, .is_mdx = format == DocumentFormat::mdx});
    std::ranges::stable_sort(found.headings, {}, &FoundHeading::offset);
  } else if (format == DocumentFormat::asciidoc) {
    found = read_asciidoc_links(text, {}, {});
  } else {
    found.anchors = read_html_anchors(text);
  }
  return find_anchors(found, format);
}

std::vector<std::string> find_anchors(const FoundLinks& found, DocumentFormat format) {
  if (!has_known_anchors(format)) return {};
  AnchorCollector anchors;
  for (const std::string& anchor : found.anchors) anchors.add(anchor);
  for (const FoundHeading& heading : found.headings) {
    if (is_markdown(format) && !heading.text.empty()) anchors.add_heading(heading);
  }
  return anchors.finish();
}

AnchorSet::AnchorSet(const std::vector<std::string>& anchors, DocumentFormat format)
    : has_slugs_(is_markdown(format) || format == DocumentFormat::asciidoc) {
  hashes_.reserve(anchors.size());
  for (const std::string& anchor : anchors) {
    const std::string_view plain = strip_github_prefix(anchor);
    has_slugs_ = has_slugs_ || plain.size() < anchor.size();
    hashes_.push_back(std::hash<std::string_view>{}(plain));
  }
  std::ranges::sort(hashes_);
  hashes_.erase(std::unique(hashes_.begin(), hashes_.end()), hashes_.end());
}

AnchorSet AnchorSet::of(const FoundLinks& found, DocumentFormat format) {
  // In HTML, names are used unchanged. The empty name does no harm, because it is never looked up.
  return format == DocumentFormat::html ? AnchorSet(found.anchors, format)
                                        : AnchorSet(find_anchors(found, format), format);
}

bool AnchorSet::has(std::string_view fragment) const {
  fragment = fragment.substr(0, fragment.find(":~:"));
  fragment = strip_github_prefix(fragment);
  if (fragment.empty() || holds(fragment)) return true;
  const std::string decoded = percent_decode(fragment);
  if (equals_ignoring_case(decoded, "top") || holds(decoded) || has_lines(decoded)) return true;
  if (!has_slugs_) return false;
  const std::string lower = to_lower_case(decoded);
  return lower == "readme" || holds(lower);
}

// Returns true for a range of source lines such as "403-410", where each line has its number as id. The scripts of
// rustdoc's pages highlight such ranges.
bool AnchorSet::has_lines(std::string_view range) const {
  const std::size_t dash = range.find('-');
  if (dash == std::string_view::npos) return false;
  const std::string_view first = range.substr(0, dash);
  const std::string_view last = range.substr(dash + 1);
  const auto is_number = [](std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, is_ascii_digit);
  };
  return is_number(first) && is_number(last) && holds(first) && holds(last);
}

bool AnchorSet::holds(std::string_view anchor) const {
  return std::ranges::binary_search(hashes_, std::uint64_t{std::hash<std::string_view>{}(anchor)});
}

namespace {

// Returns true if the text includes documentation generated from code: "::: package.module" and "::: mkdocs-click", but
// not "::: tip".
bool documents_code(std::string_view markdown) {
  if (markdown.find("{eval-rst}") != std::string_view::npos || markdown.find("{auto") != std::string_view::npos)
    return true;
  constexpr std::string_view fence = "::: ";
  for (std::size_t at = markdown.find(fence); at != std::string_view::npos; at = markdown.find(fence, at + 1)) {
    if (at > 0 && markdown[at - 1] != '\n') continue;
    const std::string_view name = trim_ascii(markdown.substr(at + 4, find_line_break(markdown, at) - at - 4));
    const bool is_name = name.find_first_of(" \t{") == std::string_view::npos;
    if (is_name && (name.find('.') != std::string_view::npos || name.starts_with("mkdocs-"))) return true;
  }
  return false;
}

// Returns true if the text has a component on a line of its own, such as "<BuiltinTable category={"strings"} />". It is
// unknown what MDX shows there.
bool has_component(std::string_view markdown) {
  std::string_view fence;  // fence of the code block that contains the line; empty outside of code
  for (std::size_t at = 0; at < markdown.size();) {
    const std::size_t end = find_line_break(markdown, at);
    const std::string_view line = trim_ascii(markdown.substr(at, end - at));
    at = after_line_break(markdown, end);
    if (line.starts_with("```") || line.starts_with("~~~")) {
      if (fence.empty()) {
        fence = line.substr(0, 3);
      } else if (line.starts_with(fence)) {
        fence = {};
      }
    }
    const bool is_component = line.size() > 1 && line.front() == '<' && line[1] >= 'A' && line[1] <= 'Z';
    if (is_component && fence.empty() && line.ends_with("/>")) return true;
  }
  return false;
}

}  // namespace

bool has_generated_anchors(std::string_view text, DocumentFormat format) {
  constexpr std::size_t beginning = std::size_t{32} << 10U;
  if (is_markdown(format)) return documents_code(text) || has_component(text);
  if (format != DocumentFormat::html || !contains_ignoring_case(text, script_tag)) return false;
  const auto shown = [](std::string_view html) {
    const HtmlDocument document = HtmlDocument::parse(html);
    const std::vector<HtmlElement> bodies = document.by_name("body");
    return bodies.empty() ? 0 : count_code_points(bodies.front().text());
  };
  // For a long page, the text shown by its beginning is usually enough to decide.
  if (text.size() > 2 * beginning && shown(text.substr(0, beginning)) >= shell_text) return false;
  return shown(text) < shell_text;
}

bool is_built_by_script(std::string_view html, std::size_t shown_code_points) {
  return shown_code_points < shell_text && contains_ignoring_case(html, script_tag);
}

std::string_view strip_github_prefix(std::string_view anchor) {
  constexpr std::string_view prefix = "user-content-";
  if (anchor.starts_with(prefix)) anchor.remove_prefix(prefix.size());
  return anchor;
}

bool is_line_reference(std::string_view fragment) {
  if (!fragment.starts_with('L') || fragment.size() < 2 || !is_ascii_digit(fragment[1])) return false;
  return std::ranges::all_of(fragment, [](char c) { return is_ascii_digit(c) || c == 'L' || c == 'C' || c == '-'; });
}

bool is_route(std::string_view fragment) { return fragment.starts_with('/') || fragment.starts_with('!'); }

}  // namespace linkherd::parser
