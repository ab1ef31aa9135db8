#include "crawler/fetch/rate_limit.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <string_view>

#include "parser/ascii.h"
#include "storage/stored_times.h"

namespace linkherd::crawler {

namespace {

// The whole number at the start; "60, 60;w=60" is a number and its policy.
std::optional<long long> leading_number(std::string_view text) {
  text = parser::trim_ascii(text);
  long long number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  return number;
}

// The value of `name` in "limit=100, remaining=0, reset=30" or "\"default\";r=0;t=30".
std::optional<long long> parameter(std::string_view field, std::string_view name) {
  while (!field.empty()) {
    const std::size_t end = std::min(field.find_first_of(",;"), field.size());
    const std::string_view part = field.substr(0, end);
    const std::size_t equals = part.find('=');
    if (equals != std::string_view::npos &&
        parser::equals_ignoring_case(parser::trim_ascii(part.substr(0, equals)), name)) {
      return leading_number(part.substr(equals + 1));
    }
    field.remove_prefix(std::min(end + 1, field.size()));
  }
  return std::nullopt;
}

struct Quota {
  std::optional<long long> remaining;
  std::optional<long long> reset;
};

Quota first_quota(const std::vector<Header>& headers) {
  if (const std::string_view field = find_header(headers, "ratelimit"); !field.empty()) {
    const auto remaining = parameter(field, "remaining");
    if (remaining) return {remaining, parameter(field, "reset")};
    return {parameter(field, "r"), parameter(field, "t")};
  }
  struct Names {
    std::string_view remaining;
    std::string_view reset;
  };
  constexpr std::array names{Names{"ratelimit-remaining", "ratelimit-reset"},
                             Names{"x-ratelimit-remaining", "x-ratelimit-reset"},
                             Names{"x-rate-limit-remaining", "x-rate-limit-reset"}};
  for (const Names& form : names) {
    const auto remaining = leading_number(find_header(headers, form.remaining));
    if (remaining) return {remaining, leading_number(find_header(headers, form.reset))};
  }
  return {};
}

}  // namespace

std::optional<Timestamp> rate_limit_reset(const std::vector<Header>& headers, Timestamp now) {
  const Quota quota = first_quota(headers);
  if (quota.remaining != 0 || !quota.reset) return std::nullopt;
  // Some count seconds from now, some name a second since 1970, some a millisecond: no sensible length is that long.
  constexpr long long smallest_epoch_seconds = 1'000'000'000;
  constexpr long long smallest_epoch_milliseconds = 1'000'000'000'000;
  long long seconds = *quota.reset;
  if (seconds >= smallest_epoch_milliseconds) seconds /= 1000;
  if (seconds >= smallest_epoch_seconds) {
    seconds -= std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  }
  return now + std::clamp(std::chrono::seconds(seconds), std::chrono::seconds(0), storage::longest_silence);
}

}  // namespace linkherd::crawler
