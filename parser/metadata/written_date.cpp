// What a date is apart from how it is written: the calendar, ISO 8601, Unix time, plausibility.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>

#include <fmt/format.h>

#include "parser/ascii.h"
#include "parser/metadata/dates.h"
#include "parser/metadata/written_time.h"

namespace linkherd::parser {
namespace {

bool is_real_day(int year, int month, int day) {
  using namespace std::chrono;
  return year_month_day(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                        std::chrono::day(static_cast<unsigned>(day)))
      .ok();
}

}  // namespace

bool set_day(WrittenDate& date, std::int64_t year, std::int64_t month, std::int64_t day) {
  if (month < 1 || month > 12 || day < 1 || day > 31) return false;
  if (!is_real_day(static_cast<int>(year), static_cast<int>(month), static_cast<int>(day))) return false;
  date.year = static_cast<std::int16_t>(year);
  date.month = static_cast<std::int8_t>(month);
  date.day = static_cast<std::int8_t>(day);
  return true;
}

std::optional<WrittenDate> date_of_unix_time(std::string_view digits, std::int16_t offset_minutes) {
  digits = trim_ascii(digits);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  if (digits.size() == 13) value /= 1000;
  if (digits.size() != 13 && (digits.size() < 9 || digits.size() > 10)) return std::nullopt;

  using namespace std::chrono;
  const sys_seconds shown{seconds(value) + minutes(offset_minutes)};
  const sys_days day = floor<days>(shown);
  const year_month_day calendar(day);
  const hh_mm_ss clock(shown - day);
  WrittenDate date;
  if (!set_day(date, static_cast<int>(calendar.year()), static_cast<unsigned>(calendar.month()),
               static_cast<unsigned>(calendar.day()))) {
    return std::nullopt;
  }
  set_clock(date, clock.hours().count(), clock.minutes().count(), clock.seconds().count());
  date.offset = offset_minutes;
  return date;
}

std::string to_iso8601(const WrittenDate& date) {
  std::string text = fmt::format("{:04}", date.year);
  if (date.month != 0) text += fmt::format("-{:02}", date.month);
  if (date.day != 0) text += fmt::format("-{:02}", date.day);
  if (date.day == 0 || date.hour < 0) return text;
  text += fmt::format("T{:02}:{:02}", date.hour, date.minute);
  if (date.second >= 0) text += fmt::format(":{:02}", date.second);
  if (!date.offset) return text;
  if (*date.offset == 0) return text + "Z";
  const int minutes = std::abs(*date.offset);
  return text + fmt::format("{}{:02}:{:02}", *date.offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

bool is_plausible(const WrittenDate& date, Timestamp now) {
  using namespace std::chrono;
  if (date.year < 1995) return false;
  const year_month_day tomorrow(floor<days>(now) + days(1));
  const int month = std::max<int>(date.month, 1);
  const int day = std::max<int>(date.day, 1);
  const year_month_day written(std::chrono::year(date.year), std::chrono::month(static_cast<unsigned>(month)),
                               std::chrono::day(static_cast<unsigned>(day)));
  return written <= tomorrow;
}

}  // namespace linkherd::parser
