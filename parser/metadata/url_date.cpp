// The date in the address of a page: /2024/03/05/title, /2024-03-05-title, /20240305/title.
#include <charconv>
#include <cstddef>
#include <string_view>

#include "parser/ascii.h"
#include "parser/metadata/page.h"

namespace linkherd::parser {
namespace {

// A number of exactly `digits` digits at `at`; -1 where there is none.
int number_at(std::string_view path, std::size_t at, std::size_t digits) {
  if (at + digits > path.size()) return -1;
  if (at + digits < path.size() && is_ascii_digit(path[at + digits])) return -1;
  int value = -1;
  const char* begin = path.data() + at;
  const auto [end, error] = std::from_chars(begin, begin + digits, value);
  return error == std::errc() && end == begin + digits && value >= 0 ? value : -1;
}

bool is_separator(std::string_view path, std::size_t at) {
  return at < path.size() && (path[at] == '/' || path[at] == '-' || path[at] == '_' || path[at] == '.');
}

std::optional<WrittenDate> date_at(std::string_view path, std::size_t at) {
  WrittenDate date;
  if (const int whole = number_at(path, at, 8); whole > 0) {
    return parse_written_date(path.substr(at, 8));
  }
  const int year = number_at(path, at, 4);
  if (year < 1995 || year > 2099 || !is_separator(path, at + 4)) return std::nullopt;
  const std::size_t month_digits = number_at(path, at + 5, 2) > 0 ? 2 : 1;
  const int month = number_at(path, at + 5, month_digits);
  if (month < 1 || month > 12) return std::nullopt;
  date.year = static_cast<std::int16_t>(year);
  date.month = static_cast<std::int8_t>(month);
  const std::size_t behind = at + 5 + month_digits;
  if (is_separator(path, behind)) {
    const int two = number_at(path, behind + 1, 2);
    const int day = two > 0 ? two : number_at(path, behind + 1, 1);
    if (day >= 1 && day <= 31) date.day = static_cast<std::int8_t>(day);
  }
  if (date.day == 0 && month_digits == 1) return std::nullopt;
  // Through the parser once more: it knows the length of months.
  return date.day == 0 ? date : parse_written_date(to_iso8601(date));
}

}  // namespace

std::optional<WrittenDate> date_in_path(std::string_view path) {
  for (std::size_t at = 1; at < path.size(); ++at) {
    if (!is_ascii_digit(path[at]) || is_ascii_digit(path[at - 1]) || is_ascii_letter(path[at - 1])) continue;
    if (const auto date = date_at(path, at)) return date;
  }
  return std::nullopt;
}

void extract_url_date(const Page& page, Candidates& candidates) {
  const auto date = date_in_path(page.path());
  if (date && is_plausible(*date, page.now)) add(candidates.published, *date, "url", date->has_day() ? 0.6 : 0.3);
}

}  // namespace linkherd::parser
