#include "crawler/classify/page_rule_matcher.h"

#include <algorithm>
#include <array>

#include <re2/re2.h>

#include "parser/ascii.h"
#include "parser/html/html_document.h"
#include "parser/search.h"
#include "parser/url/host.h"
#include "parser/utf8.h"

namespace linkherd::crawler {

namespace {

// Bot walls are small pages that are recognised by their start. Embedded state of a known site may be far from the
// start.
constexpr std::size_t html_of_any_host = std::size_t{64} << 10;
constexpr std::size_t html_of_known_host = std::size_t{1} << 20;
constexpr std::size_t max_title_bytes = 1024;
constexpr std::size_t lead_length = 160;        // code points
constexpr std::size_t max_evidence_bytes = 80;  // of a pattern match in the evidence

bool contains(std::string_view text, std::string_view word) {
  return parser::find_linear(text, word) != std::string_view::npos;
}

std::optional<std::string> seen_in(const PageRule& rule, std::string_view text) {
  if (rule.pattern == nullptr) return contains(text, rule.mark) ? std::optional(rule.mark) : std::nullopt;
  re2::StringPiece found;
  const re2::StringPiece all(text.data(), text.size());
  if (!rule.pattern->compiled().Match(all, 0, all.size(), re2::RE2::UNANCHORED, &found, 1)) return std::nullopt;
  // Keeps the start of a long match, and removes a character that was cut.
  return parser::collapse_spaces(
      to_valid_utf8(truncate_utf8(std::string_view(found.data(), found.size()), max_evidence_bytes)));
}

// Returns false for the name of the site, and for typical headings of error pages and walls.
bool is_topic(std::string_view heading) {
  constexpr std::size_t min_bytes = 8;
  constexpr std::size_t max_error_heading_bytes = 24;
  constexpr std::array<std::string_view, 16> error_words{
      "404",    "error", "oops", "sorry", "not found",   "fehler", "erreur",  "ошибка",
      "エラー", "错误",  "出错", "提示",  "information", "notice", "message", "security"};
  if (heading.size() < min_bytes) return false;
  if (heading.find('.') != std::string_view::npos && heading.find(' ') == std::string_view::npos) return false;
  return heading.size() > max_error_heading_bytes ||
         std::ranges::none_of(error_words, [heading](std::string_view word) { return contains(heading, word); });
}

// Returns true if the text starts with the title, or with its part before the first separator. Then that is the
// subject of the page, and its sentences are not about its own state.
bool opens_with_title(std::string_view text, std::string_view title) {
  const std::string opening = parser::to_ascii_lower(parser::collapse_spaces(text.substr(0, max_title_bytes)));
  const std::string whole = parser::to_ascii_lower(parser::collapse_spaces(title));
  if (is_topic(whole) && opening.starts_with(whole)) return true;
  for (const std::string_view separator : {" - ", " – ", " — ", " | ", "|", " · ", "_", ": ", " ("}) {
    const std::string_view first = std::string_view(whole).substr(0, whole.find(separator));
    if (first.size() < whole.size() && is_topic(first) && opening.starts_with(first)) return true;
  }
  return false;
}

// Returns true if the page has a text field: a captcha next to it protects a form and does not replace the page. The
// captcha widgets themselves use a hidden field.
bool asks_for_text(std::string_view html) {
  constexpr std::string_view field = "<textarea";
  for (std::size_t at = parser::find_linear(html, field); at != std::string_view::npos;
       at = parser::find_linear(html, field, at + field.size())) {
    if (!contains(html.substr(at, html.find('>', at) - at), "-response")) return true;
  }
  return false;
}

bool is_generic_text_rule(const PageRule& rule) {
  const bool is_in_words =
      rule.where == Where::title || rule.where == Where::text || rule.where == Where::lead || rule.where == Where::page;
  return rule.site.empty() && rule.pattern != nullptr && is_in_words;
}

std::string_view first_code_points(std::string_view text, std::size_t number) {
  std::size_t end = 0;
  for (; number > 0 && end < text.size(); --number) end += decode_utf8(text, end).length;
  return text.substr(0, end);
}

}  // namespace

PageRuleMatcher::PageRuleMatcher(const FetchResult& result, const PageEvidence& page)
    : result_(result),
      page_(page),
      title_(parser::trim_ascii(page.title.substr(0, max_title_bytes))),
      status_(result.response.status),
      was_moved_(was_moved(result)) {
  lead_ = first_code_points(page.text, lead_length);
  title_and_text_.append(title_).append("\n").append(page.text);
  is_empty_ = page.html.empty() && title_.empty() && page.text.empty();
  has_text_field_ = asks_for_text(page.html.substr(0, html_of_any_host));
  is_about_its_title_ = opens_with_title(page.text, title_);
}

bool PageRuleMatcher::is_on(std::string_view site) const {
  return parser::is_within_domain(result_.final_url.host(), site);
}

bool has_header(const std::vector<storage::ResponseHeader>& headers, std::string_view line) {
  const std::size_t colon = line.find(": ");
  const std::string_view name = line.substr(0, colon);
  const std::string_view text = line.substr(colon + 2);
  return std::ranges::any_of(
      headers, [name, text](const storage::ResponseHeader& header) {  // there may be several Set-Cookie headers
        return header.name == name && contains(header.value, text);
      });
}

std::optional<std::string> PageRuleMatcher::match(const PageRule& rule) const {
  if (!may_match(rule) || (!rule.site.empty() && !is_on(rule.site))) return std::nullopt;
  switch (rule.where) {
    case Where::header:
      return has_header(result_.response.headers, rule.mark) ? std::optional(rule.mark) : std::nullopt;
    case Where::redirect_url:
      if (seen_in(rule, result_.link_url.href())) return std::nullopt;
      return seen_in(rule, result_.final_url.href());
    default: return match_in_page(rule);
  }
}

bool PageRuleMatcher::may_match_page(const PageRule& rule) const {
  if (!may_match(rule)) return false;
  if (has_text_field_ && rule.site.empty() && rule.reason == storage::reason::captcha) return false;
  if (page_.is_article && is_generic_text_rule(rule)) return false;
  const std::size_t visible = rule.where == Where::html ? page_.text_length : page_.main_length;
  return rule.max_visible == 0 || visible <= rule.max_visible;
}

std::optional<std::string> PageRuleMatcher::match_in_page(const PageRule& rule) const {
  if (!may_match_page(rule)) return std::nullopt;
  switch (rule.where) {
    case Where::title: return seen_in(rule, title_);
    case Where::title_start: return title_.starts_with(rule.mark) ? std::optional(rule.mark) : std::nullopt;
    case Where::title_whole: return title_ == rule.mark ? std::optional(rule.mark) : std::nullopt;
    case Where::text: return is_about_its_title_ ? std::nullopt : seen_in(rule, page_.text);
    case Where::lead: return is_about_its_title_ ? std::nullopt : seen_in(rule, lead_);
    case Where::page: return seen_in(rule, title_and_text_);
    default: return seen_in(rule, page_.html.substr(0, rule.site.empty() ? html_of_any_host : html_of_known_host));
  }
}

bool PageRuleMatcher::matches_below_title(const PageRule& rule) const {
  if (!is_about_its_title_) return match(rule).has_value();
  if (!rule.site.empty() && !is_on(rule.site)) return false;
  const std::string_view text = page_.text;
  const std::string_view below = text.substr(std::min(text.find('\n'), text.size()));
  return may_match_page(rule) && seen_in(rule, below.substr(0, lead_.size())).has_value();
}

std::string_view where_name(Where where) {
  switch (where) {
    case Where::title:
    case Where::title_start:
    case Where::title_whole: return "its title";
    case Where::html:
    case Where::page: return "the page";
    case Where::text:
    case Where::lead: return "its text";
    case Where::header: return "its headers";
    case Where::redirect_url: return "the URL that it redirects to";
  }
  return "the page";
}

}  // namespace linkherd::crawler
