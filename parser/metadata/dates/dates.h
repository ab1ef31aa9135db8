// Parses dates on pages: ISO 8601, RFC 822, numbers in several orders, month names of many languages, 年月日. A missing
// part (such as the year) is never filled in.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/timestamp.h"

namespace linkherd::parser {

struct WrittenDate {
  std::int16_t year = 0;
  std::int8_t month = 0;  // 0: not written
  std::int8_t day = 0;    // 0: not written
  std::int8_t hour = -1;  // -1: not written
  std::int8_t minute = -1;
  std::int8_t second = -1;
  std::optional<std::int16_t> offset;  // minutes east of UTC

  auto operator<=>(const WrittenDate&) const = default;
  bool has_day() const { return day != 0; }
  bool has_time() const { return hour >= 0; }
  bool same_day(const WrittenDate& other) const {
    return year == other.year && month == other.month && day == other.day;
  }
};

// The order of numbers in dates. With `year_first`, 24-3-5 10:20 begins with the year; 3/4/2024 has the day first.
enum class DayOrder : std::uint8_t { day_first, month_first, year_first };

struct FoundDate {
  WrittenDate date;
  std::size_t begin = 0;  // offset in the text
  std::size_t end = 0;
  bool ambiguous = false;  // true for 3/4/2024, where DayOrder decided the order
};

// Returns at most `limit` dates of a text, in order. A year alone or a month without a day is accepted only if it is
// the whole text.
std::vector<FoundDate> find_dates(std::string_view text, DayOrder order, std::size_t limit = 8);

// Returns the first date of a text that is expected to contain one.
std::optional<WrittenDate> parse_written_date(std::string_view text, DayOrder order = DayOrder::day_first);

// Parses a date relative to `now`: "昨天 10:20", "3天前", "2 days ago", "vor 3 Tagen". The precision is a day; for
// months ago it is a month, for years ago a year. Returns nullopt for all other texts.
std::optional<WrittenDate> parse_relative_date(std::string_view text, Timestamp now);

// Converts Unix time (seconds or milliseconds, only digits) to local time at that offset.
std::optional<WrittenDate> date_from_unix_time(std::string_view digits, std::int16_t offset_minutes);

// Returns the first moment of the date. A date without an offset is taken as UTC.
Timestamp start_of_date(const WrittenDate& date);

// Returns the date with its own precision: "2024", "2024-03", "2024-03-05", "2024-03-05T10:20:00+08:00" or
// "2024-03-05T10:20:00Z".
std::string to_iso8601(const WrittenDate& date);

// Returns true from 1995 to the day after `now`, the range of dates of web pages.
bool is_plausible(const WrittenDate& date, Timestamp now);
inline constexpr int first_plausible_year = 1995;

// Like is_plausible(), but for dates that are marked as publication dates: papers and archives have earlier ones.
bool is_plausible_mark(const WrittenDate& date, Timestamp now);

// Returns 1 to 12 for a name or abbreviation of a month in a supported language, and 0 otherwise.
int month_by_name(std::string_view word);

// Returns 1 to 12 for a month of the Persian calendar, and 0 otherwise.
int persian_month_by_name(std::string_view word);

// Returns 1 to 12 for the number of a month in Vietnamese, and 0 otherwise. `next` is the word after it, for "mười
// hai".
int vietnamese_month_by_name(std::string_view word, std::string_view next);

}  // namespace linkherd::parser
