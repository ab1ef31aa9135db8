// The time of day and the zone behind a date: "T10:20:00+08:00", ", 10:20 am EST", " um 10.20 Uhr", " 下午3:05", "
// 10時20分".
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "parser/metadata/dates/date_tokens.h"
#include "parser/metadata/dates/dates.h"

namespace linkherd::parser {

// False, and nothing set, where there is no such day.
bool set_day(WrittenDate& date, std::int64_t year, std::int64_t month, std::int64_t day);

// False, and nothing set, where these are no hours, minutes and seconds.
bool set_clock(WrittenDate& date, std::int64_t hour, std::int64_t minute, std::int64_t second = -1);

// From tokens[at] on, where `at` stands behind a date. Both leave `at` unchanged where they find nothing.
void read_time_behind(const std::vector<DateToken>& tokens, std::size_t& at, WrittenDate& date);
void read_zone(const std::vector<DateToken>& tokens, std::size_t& at, WrittenDate& date);

}  // namespace linkherd::parser
