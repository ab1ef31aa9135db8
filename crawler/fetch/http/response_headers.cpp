#include "crawler/fetch/http/response_headers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <string>
#include <string_view>

#include <curl/curl.h>

#include "parser/ascii.h"
#include "storage/stored_times.h"

namespace linkherd::crawler {

namespace {

// Returns the whole number at the start: 60 for "60, 60;w=60", which is a number and its policy.
std::optional<long long> leading_number(std::string_view text) {
  text = parser::trim_ascii(text);
  long long number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  return number;
}

// Returns the value of `name` in "limit=100, remaining=0, reset=30" or "\"default\";r=0;t=30".
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

Quota first_quota(const std::vector<storage::ResponseHeader>& headers) {
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

std::string_view find_header(const std::vector<storage::ResponseHeader>& headers, std::string_view name) {
  const auto found = std::find_if(headers.rbegin(), headers.rend(),
                                  [name](const storage::ResponseHeader& h) { return h.name == name; });
  return found == headers.rend() ? std::string_view() : std::string_view(found->value);
}

bool ResponseHeaders::is_status_line(std::string_view line) const {
  constexpr std::string_view http = "HTTP/";
  if (parser::equals_ignoring_case(line.substr(0, http.size()), "http/")) return true;
  const bool is_first = status_ == 0 && headers_.empty();
  return is_first && (parser::starts_ignoring_case(line, "http ") || parser::starts_ignoring_case(line, "icy "));
}

bool ResponseHeaders::add_line(std::string_view line) {
  total_ += line.size();
  if (line.size() > max_line) too_long_ = parser::to_ascii_lower(line.substr(0, std::min(line.find(':'), max_shown)));
  if (line.size() > max_line || total_ > max_total) too_large_ = true;
  if (too_large_) return false;
  if (is_status_line(line)) {
    start(line);
  } else if (complete_) {
    // a trailer: it comes after the body and is not kept
  } else if (parser::trim_ascii(line).empty()) {
    complete_ = status_ >= 200 || status_ == 101;
  } else {
    add_field(line);
  }
  return true;
}

void ResponseHeaders::start(std::string_view status_line) {
  constexpr std::size_t usual = 16;
  headers_.clear();
  headers_.reserve(usual);
  complete_ = false;
  status_ = 0;
  const std::size_t space = status_line.find(' ');
  if (space == std::string_view::npos) return;
  const std::string_view rest = parser::trim_ascii(status_line.substr(space));
  constexpr std::size_t digits = 3;
  const bool is_number = std::ranges::all_of(rest.substr(0, digits), parser::is_ascii_digit);
  if (!is_number || (rest.size() > digits && parser::is_ascii_digit(rest[digits]))) return;
  std::from_chars(rest.data(), rest.data() + std::min(rest.size(), digits), status_);
}

void ResponseHeaders::add_field(std::string_view line) {
  if (line.front() == ' ' || line.front() == '\t') {  // an obsolete folded line continues the previous one
    if (!headers_.empty()) headers_.back().value.append(" ").append(parser::trim_ascii(line));
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return;
  headers_.push_back({parser::to_ascii_lower(parser::trim_ascii(line.substr(0, colon))),
                      std::string(parser::trim_ascii(line.substr(colon + 1)))});
}

bool is_kept_type(std::string_view content_type) {
  const std::string type =
      parser::to_ascii_lower(parser::trim_ascii(content_type.substr(0, content_type.find_first_of(";,"))));
  if (type.find('/') == std::string::npos) return true;
  if (type.starts_with("text/")) return true;
  if (!type.starts_with("application/")) return false;
  return type == "application/pdf" || type == "application/xml" || type == "application/json" ||
         type.ends_with("+xml") || type.ends_with("+json");
}

bool is_redirect_status(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

std::optional<Timestamp> retry_after(int status, const std::vector<storage::ResponseHeader>& headers, Timestamp now) {
  if (status != 429 && status != 503) return std::nullopt;
  const std::string value(find_header(headers, "retry-after"));
  if (value.empty()) return std::nullopt;
  std::chrono::seconds::rep seconds = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  const bool is_number = end == value.data() + value.size() || *end == '.';
  if (error == std::errc::result_out_of_range) {
    seconds = value.front() == '-' ? 0 : storage::max_retry_after_wait.count();
  } else if (error != std::errc() || !is_number) {
    const std::time_t date = curl_getdate(value.c_str(), nullptr);
    if (date == -1) return std::nullopt;
    seconds = date - std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  }
  return now + std::clamp(std::chrono::seconds(seconds), std::chrono::seconds(0), storage::max_retry_after_wait);
}

std::optional<Timestamp> rate_limit_reset(const std::vector<storage::ResponseHeader>& headers, Timestamp now) {
  const Quota quota = first_quota(headers);
  if (quota.remaining != 0 || !quota.reset) return std::nullopt;
  // The value may be seconds from now, or seconds or milliseconds since 1970. No plausible duration reaches these
  // limits.
  constexpr long long min_epoch_seconds = 1'000'000'000;
  constexpr long long min_epoch_milliseconds = 1'000'000'000'000;
  long long seconds = *quota.reset;
  if (seconds >= min_epoch_milliseconds) seconds /= 1000;
  if (seconds >= min_epoch_seconds) {
    seconds -= std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  }
  return now + std::clamp(std::chrono::seconds(seconds), std::chrono::seconds(0), storage::max_retry_after_wait);
}

}  // namespace linkherd::crawler
