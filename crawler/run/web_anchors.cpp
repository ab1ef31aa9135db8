#include "crawler/run/web_anchors.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "parser/ascii.h"
#include "parser/html/charset.h"
#include "parser/html/html_document.h"
#include "parser/lists/anchors.h"
#include "parser/lists/text_directive.h"
#include "parser/metadata/page_headers.h"
#include "parser/nearest_name.h"
#include "parser/url/percent_encoding.h"
#include "parser/utf8.h"

namespace linkherd::crawler {
namespace {

using storage::Health;
using storage::Verdict;

constexpr std::size_t max_name_bytes = std::size_t{1} << 20U;
constexpr std::size_t max_text_bytes = std::size_t{1} << 20U;
constexpr std::size_t max_shown_length = 200;
constexpr std::size_t max_lines = 1'000'000'000;

// Returns the number that a text begins with, or 0 if there is none.
std::size_t leading_number(std::string_view text) {
  std::size_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && number <= max_lines ? number : 0;
}

// Returns the last line of "L10", "L10-L20", "L10-20" or "L10C3-L12C8".
std::size_t last_line_of(std::string_view fragment) {
  std::size_t last = 0;
  for (std::size_t at = 0; at < fragment.size(); ++at) {
    if (fragment[at] == 'L' || fragment[at] == '-') last = std::max(last, leading_number(fragment.substr(at + 1)));
  }
  return last;
}

// Gitea and Forgejo number lines by element IDs. GitHub states the number of lines for its script.
std::size_t lines_of_page(const std::vector<std::string>& names, std::string_view html) {
  std::size_t lines = 0;
  for (const std::string& name : names) {
    const bool is_line = name.starts_with('L') && name.size() > 1 &&
                         std::all_of(name.begin() + 1, name.end(), [](char c) { return parser::is_ascii_digit(c); });
    if (is_line) lines = std::max(lines, leading_number(std::string_view(name).substr(1)));
  }
  if (lines > 0) return lines;
  constexpr std::string_view of_github = R"("truncatedLoc":")";
  const std::size_t at = html.find(of_github);
  if (at == std::string_view::npos) return 0;
  const std::string_view value = html.substr(at + of_github.size());
  const std::string_view digits = value.substr(0, value.find('"'));
  return std::ranges::all_of(digits, [](char c) { return parser::is_ascii_digit(c); }) ? leading_number(digits) : 0;
}

// Recognizes fragments for scripts ("#gid=0", "#tab/2") and anchors that code hosts load on scrolling.
bool may_be_of_script(std::string_view fragment) {
  constexpr std::array<std::string_view, 10> loaded_later{
      "issuecomment-", "discussion", "pullrequestreview-", "commitcomment-", "gistcomment-", "event-", "diff-", "note_",
      "lines-",        "comment-"};
  return fragment.find_first_of("=/&?") != std::string_view::npos ||
         std::ranges::any_of(loaded_later, [&](std::string_view name) { return fragment.starts_with(name); });
}

std::string quoted(std::string_view encoded) {
  const std::string decoded = to_valid_utf8(parser::percent_decode(encoded));
  return fmt::format("\"{}\"", truncate_utf8(decoded, max_shown_length));
}

bool is_text(const storage::Snapshot& snapshot) {
  return parser::starts_ignoring_case(snapshot.content_type, "text/plain");
}

bool is_pdf(const storage::Snapshot& snapshot) {
  return parser::starts_ignoring_case(snapshot.content_type, "application/pdf");
}

// Returns the page that "page=7" or "zoom=50&page=7" opens (RFC 8118, section 3), or 0 if none.
std::size_t page_of(std::string_view fragment) {
  constexpr std::string_view key = "page=";
  while (!fragment.empty()) {
    const std::size_t end = std::min(fragment.find('&'), fragment.size());
    const std::string_view parameter = fragment.substr(0, end);
    if (parameter.starts_with(key)) return leading_number(parameter.substr(key.size()));
    fragment.remove_prefix(std::min(end + 1, fragment.size()));
  }
  return 0;
}

// The fragment of a redirect replaces that of the link (RFC 9110, section 10.2.2).
bool leads_elsewhere(const storage::Snapshot& snapshot) { return snapshot.final_url.find('#') != std::string::npos; }

}  // namespace

bool is_evaluated_fragment(std::string_view fragment) { return !fragment.empty() && !parser::is_route(fragment); }

std::size_t PageAnchors::bytes() const {
  std::size_t bytes = text.size();
  for (const std::string& name : names) bytes += sizeof(std::string) + name.size();
  return bytes;
}

PageAnchors collect_page_anchors(const storage::Snapshot& snapshot, std::string_view html, std::string shown,
                                 bool is_shown_whole) {
  PageAnchors page;
  page.is_html = true;
  page.is_whole = snapshot.is_body_complete && !leads_elsewhere(snapshot);
  page.is_built_by_script = parser::is_built_by_script(html, count_code_points(shown));
  page.names = parser::find_anchors(html, parser::DocumentFormat::html);
  page.lines = lines_of_page(page.names, html);
  std::size_t bytes = 0;
  const auto too_many = std::ranges::find_if(
      page.names, [&bytes](const std::string& name) { return (bytes += name.size() + 1) > max_name_bytes; });
  page.is_whole = page.is_whole && too_many == page.names.end();
  page.names.erase(too_many, page.names.end());
  page.has_text = page.is_whole && is_shown_whole && shown.size() <= max_text_bytes;
  if (page.has_text) page.text = std::move(shown);
  return page;
}

bool may_have_anchors(const storage::Snapshot& snapshot) {
  return storage::page_exists(snapshot.verdict) && (!snapshot.charset.empty() || is_text(snapshot) || is_pdf(snapshot));
}

PageAnchors collect_pdf_anchors(const storage::Snapshot& snapshot, std::size_t pages) {
  PageAnchors anchors;
  anchors.is_pdf = true;
  anchors.is_whole = snapshot.is_body_complete && !leads_elsewhere(snapshot);
  anchors.lines = pages;
  return anchors;
}

std::optional<PageAnchors> collect_body_anchors(const storage::Snapshot& snapshot, std::string_view body) {
  if (!may_have_anchors(snapshot) || (snapshot.charset.empty() && !is_text(snapshot))) return std::nullopt;
  if (snapshot.charset.empty()) {
    PageAnchors text;
    text.is_whole = snapshot.is_body_complete && !leads_elsewhere(snapshot);
    text.lines = static_cast<std::size_t>(std::ranges::count(body, '\n'));
    if (!body.empty() && !body.ends_with('\n')) ++text.lines;
    return text;
  }
  const parser::DecodedText decoded = parser::decode_html(body, snapshot.charset);
  const parser::HtmlDocument document = parser::HtmlDocument::parse(decoded.text);
  const std::vector<parser::HtmlElement> bodies = document.by_name("body");
  return collect_page_anchors(snapshot, decoded.text, bodies.empty() ? std::string() : bodies.front().text(),
                              !document.truncated());
}

// Format: flags and numbers on the first line, the URL on the second. Then the names, each after its size, and the
// text.
std::string encode(const PageAnchors& anchors) {
  std::string bytes =
      fmt::format("{:d}{:d}{:d}{:d}{:d}{} {}\n{}\n", anchors.is_html, anchors.is_pdf, anchors.is_whole,
                  anchors.has_text, anchors.is_built_by_script, anchors.lines, anchors.names.size(), anchors.page);
  for (const std::string& name : anchors.names) bytes.append(fmt::format("{} ", name.size())).append(name);
  return bytes.append(anchors.text);
}

PageAnchors decode_page_anchors(std::string_view bytes) {
  const auto take = [&bytes](char end) {
    const std::size_t length = std::min(bytes.find(end), bytes.size());
    const std::string_view taken = bytes.substr(0, length);
    bytes.remove_prefix(std::min(length + 1, bytes.size()));
    return taken;
  };
  PageAnchors anchors;
  const std::string_view first = take(' ');
  anchors.is_html = first[0] == '1';
  anchors.is_pdf = first[1] == '1';
  anchors.is_whole = first[2] == '1';
  anchors.has_text = first[3] == '1';
  anchors.is_built_by_script = first[4] == '1';
  anchors.lines = leading_number(first.substr(5));
  anchors.names.resize(leading_number(take('\n')));
  anchors.page = take('\n');
  for (std::string& name : anchors.names) {
    const std::size_t length = leading_number(take(' '));
    name = bytes.substr(0, length);
    bytes.remove_prefix(length);
  }
  anchors.text = bytes;
  return anchors;
}

struct FragmentEvaluator::Index {
  parser::AnchorSet names;
  std::optional<std::string> folded;  // `anchors_.text`, folded
  std::size_t searches = 0;
};

FragmentEvaluator::FragmentEvaluator(PageAnchors anchors)
    : anchors_(std::move(anchors)), index_(std::make_unique<Index>()) {
  index_->names = parser::AnchorSet(anchors_.names, parser::DocumentFormat::html);
}
FragmentEvaluator::~FragmentEvaluator() = default;

std::optional<Verdict> FragmentEvaluator::missing(std::string problem) const {
  if (!anchors_.is_built_by_script)
    return storage::without_request(Health::dead, storage::reason::anchor_not_found, "anchor", std::move(problem));
  Verdict verdict = storage::without_request(Health::suspect, storage::reason::anchor_not_found, "anchor",
                                             std::move(problem) + "; its scripts may create one");
  verdict.confidence = 0.6;
  return verdict;
}

Verdict FragmentEvaluator::alive_verdict() const {
  return storage::without_request(Health::alive, storage::reason::ok, "anchor", anchors_.page + " has the anchor");
}

std::optional<Verdict> FragmentEvaluator::problem_of(std::string_view fragment, bool may_suggest) {
  constexpr std::size_t max_searches = 1000;  // for texts; each takes about a millisecond
  if (!is_evaluated_fragment(fragment) || !anchors_.is_whole) return std::nullopt;
  if (anchors_.is_pdf) {
    const std::size_t page = page_of(fragment);
    if (anchors_.lines == 0 || page <= anchors_.lines) return std::nullopt;
    return missing(fmt::format("{} has no page {}: it ends with page {}", anchors_.page, page, anchors_.lines));
  }
  const std::string_view name = fragment.substr(0, fragment.find(":~:"));
  if (parser::is_line_reference(name) && !index_->names.has(name)) {
    if (anchors_.lines == 0 || last_line_of(name) <= anchors_.lines) return std::nullopt;
    return missing(
        fmt::format("{} has no line {}: it ends with line {}", anchors_.page, last_line_of(name), anchors_.lines));
  }
  if (!anchors_.is_html) return std::nullopt;
  if (!index_->names.has(name)) {
    if (may_be_of_script(name)) return std::nullopt;
    std::string problem = fmt::format("{} has no anchor {}", anchors_.page, quoted(name));
    if (may_suggest) {
      const std::string decoded = to_valid_utf8(parser::percent_decode(name));
      parser::NearestName nearest(truncate_utf8(decoded, max_shown_length));
      for (const std::string& other : anchors_.names) nearest.consider(parser::strip_github_prefix(other));
      problem += parser::did_you_mean(nearest, "#");
    }
    return missing(std::move(problem));
  }
  const std::string_view directive = parser::find_text_directive(fragment);
  if (directive.empty() || !anchors_.has_text || ++index_->searches > max_searches) return std::nullopt;
  if (!index_->folded) index_->folded = parser::fold_text(anchors_.text);
  if (parser::contains_directive_text(directive, *index_->folded)) return std::nullopt;
  return missing(fmt::format("{} does not contain the text {}", anchors_.page, quoted(directive)));
}

}  // namespace linkherd::crawler
