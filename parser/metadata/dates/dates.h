// Parses dates on pages: ISO 8601, RFC 822, numbers in several orders, month names of many languages, 年月日. A part
// that is not written (such as the year) is never filled in.
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

enum class DayOrder : std::uint8_t { day_first, month_first };

struct FoundDate {
  WrittenDate date;
  std::size_t begin = 0;  // offset in the text
  std::size_t end = 0;
  bool ambiguous = false;  // 3/4/2024: the order of day and month was taken from DayOrder
};

// Returns the dates in a text in order, at most `limit`. A year alone or a month without a day is accepted only as the
// whole text.
std::vector<FoundDate> find_dates(std::string_view text, DayOrder order, std::size_t limit = 8);

// Returns the first date of a text that should hold one.
std::optional<WrittenDate> parse_written_date(std::string_view text, DayOrder order = DayOrder::day_first);

// "昨天 10:20", "3天前", "2 days ago", "vor 3 Tagen": relative to `now`. The precision is a day, or a month for months
// ago and a year for years ago. Returns nullopt if the text says anything else.
std::optional<WrittenDate> parse_relative_date(std::string_view text, Timestamp now);

// Converts Unix time (seconds or milliseconds, digits only) to local time at that offset.
std::optional<WrittenDate> date_of_unix_time(std::string_view digits, std::int16_t offset_minutes);

// Returns the first moment of the date; in UTC if no offset is written.
Timestamp start_of(const WrittenDate& date);

// "2024", "2024-03", "2024-03-05", "2024-03-05T10:20:00+08:00", "2024-03-05T10:20:00Z".
std::string to_iso8601(const WrittenDate& date);

// True from 1995 to the day after `now`: the range of dates of web pages.
bool is_plausible(const WrittenDate& date, Timestamp now);

// Returns 1 to 12 for a name or abbreviation of a month in a supported language, and 0 otherwise.
int month_by_name(std::string_view word);

}  // namespace linkherd::parser
