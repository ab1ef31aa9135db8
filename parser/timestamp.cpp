#include "parser/timestamp.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "parser/utf8.h"

namespace linkherd {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_lower_letter(char c) { return c >= 'a' && c <= 'z'; }

// Shortens the text for error messages.
std::string quoted(std::string_view text) {
  constexpr std::size_t max_bytes = 60;
  const std::string_view shown = truncate_utf8(text, max_bytes);
  return fmt::format("\"{}{}\"", to_valid_utf8(shown), shown.size() < text.size() ? "…" : "");
}

// A cursor that reads a text from left to right.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }

  bool take_any(std::string_view characters) {
    if (rest_.empty() || characters.find(rest_.front()) == std::string_view::npos) return false;
    last_ = rest_.front();
    rest_.remove_prefix(1);
    return true;
  }
  char last() const { return last_; }

  std::string_view take_digits() { return take_while(is_digit); }
  std::string_view take_letters() { return take_while(is_lower_letter); }

  // Reads exactly `width` digits.
  std::optional<int> take_number(std::size_t width) {
    const std::string_view digits = take_digits();
    if (digits.size() != width) return std::nullopt;
    int value = 0;
    for (const char digit : digits) value = value * 10 + (digit - '0');
    return value;
  }

 private:
  std::string_view take_while(bool (*wanted)(char)) {
    std::size_t count = 0;
    while (count < rest_.size() && wanted(rest_[count])) ++count;
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::string_view rest_;
  char last_ = 0;
};

std::optional<std::chrono::sys_days> read_date(Reader& in) {
  const auto year = in.take_number(4);
  if (!year || !in.take_any("-")) return std::nullopt;
  const auto month = in.take_number(2);
  if (!month || !in.take_any("-")) return std::nullopt;
  const auto day = in.take_number(2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date);
}

std::optional<Duration> read_time_of_day(Reader& in) {
  const auto hour = in.take_number(2);
  if (!hour || !in.take_any(":")) return std::nullopt;
  const auto minute = in.take_number(2);
  if (!minute || !in.take_any(":")) return std::nullopt;
  const auto second = in.take_number(2);
  // Second 60 is a leap second. POSIX time has none, so it becomes the next second.
  if (!second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  Duration time = hours(*hour) + minutes(*minute) + seconds(*second);
  if (in.take_any(".")) {
    const std::string_view fraction = in.take_digits();
    if (fraction.empty()) return std::nullopt;
    // Digits beyond microseconds are ignored.
    std::int64_t unit = 100'000;
    for (const char digit : fraction.substr(0, 6)) {
      time += microseconds(unit * (digit - '0'));
      unit /= 10;
    }
  }
  return time;
}

std::optional<Duration> read_offset(Reader& in) {
  if (in.take_any("Zz")) return Duration(0);
  if (!in.take_any("+-")) return std::nullopt;
  const bool west = in.last() == '-';
  const auto hour = in.take_number(2);
  if (!hour || !in.take_any(":")) return std::nullopt;
  const auto minute = in.take_number(2);
  if (!minute || *hour > 23 || *minute > 59) return std::nullopt;
  const Duration offset = hours(*hour) + minutes(*minute);
  return west ? -offset : offset;
}

std::optional<Timestamp> read_timestamp(Reader& in) {
  const auto date = read_date(in);
  if (!date) return std::nullopt;
  if (in.done()) return Timestamp(*date);
  if (!in.take_any("Tt ")) return std::nullopt;
  const auto time = read_time_of_day(in);
  if (!time) return std::nullopt;
  const auto offset = read_offset(in);
  if (!offset || !in.done()) return std::nullopt;
  return Timestamp(*date) + *time - *offset;
}

struct DurationUnit {
  std::string_view name;
  Duration length;
};
// The units in descending order, which is also the order in a formatted duration.
constexpr std::array duration_units = {
    DurationUnit{"d", days(1)},    DurationUnit{"h", hours(1)},         DurationUnit{"m", minutes(1)},
    DurationUnit{"s", seconds(1)}, DurationUnit{"ms", milliseconds(1)}, DurationUnit{"us", microseconds(1)},
};
constexpr Duration max_duration = days(10'000);

// Multiplies exactly. Returns nullopt if the result is too large or is not a whole number of microseconds.
std::optional<Duration> multiply(std::string_view whole, std::string_view fraction, Duration unit) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(whole.data(), whole.data() + whole.size(), count);
  if (error != std::errc() || end != whole.data() + whole.size() || count > max_duration / unit) return std::nullopt;
  while (fraction.ends_with('0')) fraction.remove_suffix(1);
  if (fraction.size() > 11) return std::nullopt;  // a day has 8.64e10 microseconds, so more digits cannot be exact
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
  for (const char digit : fraction) {
    numerator = numerator * 10 + (digit - '0');
    denominator *= 10;
  }
  // Common factors of ten are removed first, so that the product below is less than 1e14.
  std::int64_t micros = unit.count();
  while (denominator > 1 && micros % 10 == 0) {
    micros /= 10;
    denominator /= 10;
  }
  if (numerator * micros % denominator != 0) return std::nullopt;
  return count * unit + Duration(numerator * micros / denominator);
}

std::string trimmed_fraction(std::int64_t value, std::int64_t unit, int width) {
  std::string text = fmt::format("{:0{}}", value % unit, width);
  text.erase(text.find_last_not_of('0') + 1);
  return text.empty() ? fmt::format("{}", value / unit) : fmt::format("{}.{}", value / unit, text);
}

// Appends the digits of a number with leading zeros, starting with the digit of `highest_unit`. fmt is not used because
// it parses its format string on every call, and reports and the store write millions of timestamps.
void append_padded(std::string& out, std::int64_t value, std::int64_t highest_unit) {
  for (std::int64_t unit = highest_unit; unit > 0; unit /= 10) out += static_cast<char>('0' + value / unit % 10);
}

}  // namespace

std::string format_timestamp(Timestamp time) {
  const auto day = std::chrono::floor<days>(time);
  const std::chrono::year_month_day date(day);
  const std::int64_t micros = (time - day).count();
  const std::int64_t second = micros / 1'000'000;
  const int year = static_cast<int>(date.year());
  std::string text;
  text.reserve(sizeof("2026-03-05T10:20:00.123456Z"));
  if (year >= 0 && year <= 9999) {
    append_padded(text, year, 1000);
  } else {
    text = fmt::format("{:04}", year);
  }
  text += '-';
  append_padded(text, static_cast<unsigned>(date.month()), 10);
  text += '-';
  append_padded(text, static_cast<unsigned>(date.day()), 10);
  text += 'T';
  append_padded(text, second / 3600, 10);
  text += ':';
  append_padded(text, second / 60 % 60, 10);
  text += ':';
  append_padded(text, second % 60, 10);
  if (micros % 1'000'000 != 0) {
    text += '.';
    append_padded(text, micros % 1'000'000, 100'000);
    text.erase(text.find_last_not_of('0') + 1);
  }
  text += 'Z';
  return text;
}

Result<Timestamp> parse_timestamp(std::string_view text) {
  Reader in(text);
  const auto time = read_timestamp(in);
  if (!time) return Error{fmt::format("{} is not a date or time such as 2026-03-05T10:20:00Z", quoted(text))};
  constexpr Timestamp first = std::chrono::sys_days(std::chrono::January / 1 / 1970);
  constexpr Timestamp past_last = std::chrono::sys_days(std::chrono::January / 1 / 10000);
  if (*time < first || *time >= past_last) {
    return Error{fmt::format("{} is outside the years 1970 to 9999", quoted(text))};
  }
  return *time;
}

Result<Duration> parse_duration(std::string_view text) {
  const Error malformed{fmt::format("{} is not a duration such as 50ms, 5s, 1m30s or 1d", quoted(text))};
  const Error out_of_range{fmt::format("{} is longer than 10000 days or finer than a microsecond", quoted(text))};
  Reader in(text);
  Duration total(0);
  std::size_t next_unit = 0;  // units must be in descending order, each at most once
  do {
    const std::string_view whole = in.take_digits();
    if (whole.empty()) return malformed;
    std::string_view fraction;
    if (in.take_any(".")) {
      fraction = in.take_digits();
      if (fraction.empty()) return malformed;
    }
    Duration unit = seconds(1);
    if (!in.done() || next_unit > 0) {
      const auto* found = std::ranges::find(duration_units, in.take_letters(), &DurationUnit::name);
      const auto index = static_cast<std::size_t>(found - duration_units.begin());
      if (found == duration_units.end() || index < next_unit) return malformed;
      unit = found->length;
      next_unit = index + 1;
    }
    const auto part = multiply(whole, fraction, unit);
    if (!part || *part > max_duration - total) return out_of_range;
    total += *part;
  } while (!in.done());
  return total;
}

std::string format_duration(Duration duration) {
  if (duration.count() == 0) return "0s";
  std::string text = duration.count() < 0 ? "-" : "";
  std::int64_t rest = duration.count() < 0 ? -duration.count() : duration.count();
  for (const DurationUnit& unit : duration_units) {
    if (unit.length <= seconds(1)) break;
    if (const std::int64_t count = rest / unit.length.count(); count > 0) {
      text += fmt::format("{}{}", count, unit.name);
      rest %= unit.length.count();
    }
  }
  if (rest >= 1'000'000) {
    text += trimmed_fraction(rest, 1'000'000, 6) + "s";
  } else if (rest >= 1'000) {
    text += trimmed_fraction(rest, 1'000, 3) + "ms";
  } else if (rest > 0) {
    text += fmt::format("{}us", rest);
  }
  return text;
}

}  // namespace linkherd
