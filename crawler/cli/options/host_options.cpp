#include "crawler/cli/options/host_options.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "crawler/frontier/politeness.h"
#include "parser/timestamp.h"
#include "parser/url/url.h"

namespace linkherd::crawler {
namespace {

constexpr std::array<LycheeNames, 3> lychee_settings{{
    {"concurrency", "use host_concurrency"},
    {"request_interval", "use host_request_interval"},
    {"headers", "use header_for = [\"https://example.com NAME:VALUE\"], outside the [hosts] table"},
}};

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

OptionTarget read_hosts(HostOverrides& overrides) {
  const auto read = [&overrides](const Words& settings) {
    for (const std::string& setting : settings) {
      std::string_view rest = setting;
      const std::string_view host = take_part(rest);
      const std::string_view key = take_part(rest);
      set(overrides[host_name(host)], host, key, rest);
    }
    return std::string();
  };
  return read_values(read, "TEXT");
}

std::optional<std::string> lychee_host_setting_hint(std::string_view key) {
  const auto* const found = std::ranges::find(lychee_settings, key, &LycheeNames::names);
  return found == lychee_settings.end() ? std::nullopt : std::optional(std::string(found->instead));
}

}  // namespace linkherd::crawler
