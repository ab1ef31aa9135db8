// Parses and formats timestamps (RFC 3339 in UTC) and durations such as `50ms`, `5s` and `1d`.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "parser/result.h"

namespace linkherd {

using Duration = std::chrono::microseconds;
using Timestamp = std::chrono::sys_time<Duration>;  // UTC, never local time

// Returns "2026-03-05T10:20:00Z". Fractional seconds are added only if they are not zero ("2026-03-05T10:20:00.25Z").
std::string format_timestamp(Timestamp time);

// Parses RFC 3339 with Z or a numeric offset, and a date such as "2026-03-05", which means midnight UTC. Accepts the
// years 1970 to 9999.
Result<Timestamp> parse_timestamp(std::string_view text);

// Parses durations such as "50ms", "5s", "1m30s", "20h" and "1d". A number without a unit is in seconds and may have a
// fraction. The result is never negative and at most 10,000 days.
Result<Duration> parse_duration(std::string_view text);

// Returns the shortest exact form that parse_duration() accepts, such as "250ms", "20s" or "1h30m".
std::string format_duration(Duration duration);

}  // namespace linkherd
