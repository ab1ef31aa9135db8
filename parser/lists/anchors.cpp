#include "parser/lists/anchors.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include <unicode/uchar.h>

#include "parser/ascii.h"
#include "parser/html/html_document.h"
#include "parser/lists/readers.h"
#include "parser/url/percent_encoding.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

// GitHub keeps the word characters of its regular expression: letters, marks, decimal digits and connectors such as
// "_".
bool is_word(char32_t c) {
  switch (u_charType(static_cast<UChar32>(c))) {
    case U_UPPERCASE_LETTER:
    case U_LOWERCASE_LETTER:
    case U_TITLECASE_LETTER:
    case U_MODIFIER_LETTER:
    case U_OTHER_LETTER:
    case U_NON_SPACING_MARK:
    case U_ENCLOSING_MARK:
    case U_COMBINING_SPACING_MARK:
    case U_DECIMAL_DIGIT_NUMBER:
    case U_CONNECTOR_PUNCTUATION: return true;
    default: return false;
  }
}

// "Title {#name}": an explicit anchor in kramdown, Hugo and others.
std::string_view explicit_name(std::string_view heading) {
  if (!heading.ends_with('}')) return {};
  const std::size_t open = heading.rfind("{#");
  if (open == std::string_view::npos) return {};
  const std::string_view name = heading.substr(open + 2, heading.size() - open - 3);
  return name.find_first_of(" {}") == std::string_view::npos ? name : std::string_view();
}

class AnchorCollector {
 public:
  void add(std::string anchor) {
    if (!anchor.empty()) anchors_.push_back(std::move(anchor));
  }

  void add_heading(std::string_view heading) {
    const std::string_view name = explicit_name(heading);
    if (!name.empty()) {
      add(std::string(name));
      heading.remove_suffix(name.size() + 3);
      heading = trim_ascii(heading);
    }
    const std::string slug = heading_slug(heading);
    std::string numbered = slug;
    // GitHub's numbering: "Dup", "Dup", "Dup-1" become dup, dup-1, dup-1-1.
    while (seen_.contains(numbered)) numbered = slug + "-" + std::to_string(++seen_[slug]);
    seen_.emplace(numbered, 0);
    add(std::move(numbered));
  }

  std::vector<std::string> finish() {
    std::ranges::sort(anchors_);
    anchors_.erase(std::unique(anchors_.begin(), anchors_.end()), anchors_.end());
    return std::move(anchors_);
  }

 private:
  std::vector<std::string> anchors_;
  std::unordered_map<std::string, std::size_t> seen_;
};

}  // namespace

bool has_known_anchors(ListFormat format) {
  return format == ListFormat::markdown || format == ListFormat::html || format == ListFormat::bookmarks;
}

std::vector<std::string> anchors_in(std::string_view text, ListFormat format) {
  if (!has_known_anchors(format)) return {};
  FoundLinks found = format == ListFormat::markdown ? read_markdown_list(text, {}) : read_html_list(text, false);
  std::ranges::stable_sort(found.headings, {}, &FoundHeading::offset);
  return anchors_in(found, format);
}

std::vector<std::string> anchors_in(const FoundLinks& found, ListFormat format) {
  if (!has_known_anchors(format)) return {};
  AnchorCollector anchors;
  for (const std::string& anchor : found.anchors) anchors.add(anchor);
  for (const FoundHeading& heading : found.headings) {
    if (format == ListFormat::markdown && !heading.text.empty()) anchors.add_heading(heading.text);
  }
  return anchors.finish();
}

AnchorSet::AnchorSet(const std::vector<std::string>& anchors) {
  hashes_.reserve(anchors.size());
  for (const std::string& anchor : anchors) hashes_.push_back(std::hash<std::string_view>{}(anchor));
  std::ranges::sort(hashes_);
}

bool AnchorSet::has(std::string_view fragment) const {
  fragment = fragment.substr(0, fragment.find(":~:"));
  // GitHub adds this prefix to every id; links work with and without it.
  constexpr std::string_view prefix = "user-content-";
  if (fragment.starts_with(prefix)) fragment.remove_prefix(prefix.size());
  if (holds(fragment)) return true;
  const std::string decoded = percent_decode(fragment);
  const std::string lower = to_ascii_lower(decoded);
  return lower.empty() || lower == "top" || holds(decoded) || holds(lower);
}

bool AnchorSet::holds(std::string_view anchor) const {
  return std::ranges::binary_search(hashes_, std::uint64_t{std::hash<std::string_view>{}(anchor)});
}

bool is_built_by_script(std::string_view text, ListFormat format) {
  constexpr std::size_t shell_text = 200;  // code points: "Loading…", "Please enable JavaScript"
  if (format != ListFormat::html || to_ascii_lower(text).find("<script") == std::string::npos) return false;
  const HtmlDocument document = HtmlDocument::parse(text);
  const std::vector<HtmlElement> bodies = document.by_name("body");
  return bodies.empty() || count_code_points(bodies.front().text()) < shell_text;
}

std::string heading_slug(std::string_view heading) {
  std::string slug;
  for (std::size_t at = 0; at < heading.size();) {
    const CodePoint point = decode_utf8(heading, at);
    at += point.length;
    if (point.value == U' ') {
      slug.push_back('-');
    } else if (point.value == U'-' || is_word(point.value)) {
      append_utf8(slug, static_cast<char32_t>(u_tolower(static_cast<UChar32>(point.value))));
    }
  }
  return slug;
}

}  // namespace linkherd::parser
