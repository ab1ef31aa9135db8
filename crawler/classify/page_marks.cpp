#include "crawler/classify/page_marks.h"

#include <algorithm>

#include "crawler/classify/rules.h"
#include "parser/ascii.h"
#include "parser/search.h"

namespace linkherd::crawler {

namespace {

// Walls are small pages and say what they are at once. A site's own state may stand far behind.
constexpr std::size_t html_of_any_host = std::size_t{64} << 10;
constexpr std::size_t html_of_known_host = std::size_t{1} << 20;
constexpr std::size_t longest_title = 1024;

bool contains(std::string_view text, std::string_view word) {
  return parser::find_linear(text, word) != std::string_view::npos;
}

}  // namespace

bool PageMarks::is_on(std::string_view host) const {
  std::string_view actual = result_.final_url.host();
  if (!actual.ends_with(host)) return false;
  actual.remove_suffix(host.size());
  return actual.empty() || actual.ends_with('.');
}

bool PageMarks::has_header(std::string_view line) const {
  const std::size_t colon = line.find(": ");
  const std::string_view name = line.substr(0, colon);
  const std::string_view text = line.substr(colon + 2);
  return std::ranges::any_of(result_.answer.headers,
                             [name, text](const Header& header) {  // Set-Cookie comes many times
                               return header.name == name && contains(header.value, text);
                             });
}

bool PageMarks::was_sent_to(std::string_view part_of_url) const {
  return was_moved(result_) && contains(result_.final_url.href(), part_of_url) &&
         !contains(result_.url.href(), part_of_url);
}

bool PageMarks::shows(const Mark& mark) const {
  if (mark.status != 0 && mark.status != result_.answer.status) return false;
  if (!mark.host.empty() && !is_on(mark.host)) return false;
  if (mark.where == Where::header) return has_header(mark.text);
  if (mark.where == Where::redirect_url) return was_sent_to(mark.text);

  if (mark.max_visible != 0 && page_.text_length > mark.max_visible) return false;
  const std::string_view title = parser::trim_ascii(page_.title.substr(0, longest_title));
  switch (mark.where) {
    case Where::title: return contains(title, mark.text);
    case Where::title_start: return title.starts_with(mark.text);
    case Where::title_whole: return title == mark.text;
    default:
      return contains(page_.html.substr(0, mark.host.empty() ? html_of_any_host : html_of_known_host), mark.text);
  }
}

std::string_view place_name(Where where) {
  switch (where) {
    case Where::title:
    case Where::title_start:
    case Where::title_whole: return "its title";
    case Where::html: return "the page";
    case Where::header: return "its headers";
    default: return "the URL that it redirects to";
  }
}

}  // namespace linkherd::crawler
