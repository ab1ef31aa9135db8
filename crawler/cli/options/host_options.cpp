#include "crawler/cli/options/host_options.h"

#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "crawler/frontier/politeness.h"
#include "parser/timestamp.h"
#include "parser/url/url.h"

namespace linkherd::crawler {
namespace {

constexpr char separator = '\n';

[[noreturn]] void refuse(std::string_view host, std::string_view problem) {
  throw CLI::ValidationError(fmt::format("{}.\"{}\"", hosts_section, host), std::string(problem));
}

std::string_view take_part(std::string_view& text) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

// Returns the host name as in URLs: lowercase, punycode.
std::string host_name(std::string_view written) {
  const Result<parser::Url> url = parser::Url::parse("http://" + std::string(written) + "/");
  const bool is_host = url && url->path() == "/" && !url->port() && !url->has_query() && !url->has_fragment() &&
                       url->username().empty() && !url->host().empty();
  if (!is_host) refuse(written, "this is not a host name");
  return std::string(url->host());
}

void set(HostOverride& host, std::string_view name, std::string_view key, std::string_view value) {
  if (key == "host_concurrency") {
    constexpr int max_concurrency = 1000;
    int number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || number < 1 || number > max_concurrency) {
      refuse(name, fmt::format("host_concurrency must be a number from 1 to {}, not {}", max_concurrency, value));
    }
    host.concurrency = number;
  } else if (key == "host_request_interval") {
    const Result<Duration> interval = parse_duration(value);
    if (interval.has_error()) refuse(name, interval.error().message);
    host.request_interval = *interval;
  } else {
    refuse(name, fmt::format("{} is not a host setting; use host_concurrency or host_request_interval", key));
  }
}

}  // namespace

std::string host_setting(std::string_view host, std::string_view key, std::string_view value) {
  return fmt::format("{}{}{}{}{}", host, separator, key, separator, value);
}

bool raises_host_load(std::string_view host, std::string_view key, std::string_view value) {
  const Politeness usual;
  HostOverride wanted;
  set(wanted, host, key, value);
  return wanted.concurrency.value_or(0) > usual.host_concurrency ||
         wanted.request_interval.value_or(usual.host_request_interval) < usual.host_request_interval;
}

void add_host_settings(CLI::App& app, HostOverrides& overrides) {
  const auto read = [&overrides](const std::vector<std::string>& settings) {
    for (const std::string& setting : settings) {
      std::string_view rest = setting;
      const std::string_view host = take_part(rest);
      const std::string_view key = take_part(rest);
      set(overrides[host_name(host)], host, key, rest);
    }
  };
  app.add_option_function<std::vector<std::string>>(fmt::format("--{}", hosts_section), read)
      ->configurable()
      ->group("");
}

}  // namespace linkherd::crawler
