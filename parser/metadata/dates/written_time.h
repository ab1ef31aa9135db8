// Parses the time and time zone after a date: "T10:20:00+08:00", ", 10:20 am EST" or " um 10.20 Uhr"; in Chinese
// " 下午3:05" or " 10时20分".
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "parser/metadata/dates/date_tokens.h"
#include "parser/metadata/dates/dates.h"

namespace linkherd::parser {

// Returns false and changes nothing if the day does not exist.
bool set_day(WrittenDate& date, std::int64_t year, std::int64_t month, std::int64_t day);

// Returns false and changes nothing for invalid hours, minutes or seconds.
bool set_clock(WrittenDate& date, std::int64_t hour, std::int64_t minute, std::int64_t second = -1);

// Read from tokens[at] on, directly after a date. Both leave `at` unchanged if they find nothing.
void read_time_after_date(const DateTokens& tokens, std::size_t& at, WrittenDate& date);
void read_zone(const DateTokens& tokens, std::size_t& at, WrittenDate& date);

}  // namespace linkherd::parser
