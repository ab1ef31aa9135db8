#include "crawler/run/pace_bound.h"

#include <algorithm>

#include <fmt/format.h>

#include "parser/url/host.h"

namespace linkherd::crawler {

using storage::PaceBound;

namespace {

constexpr Duration worth_saying = std::chrono::seconds(1);

}  // namespace

void PaceBounds::add(std::string_view href) { ++hosts_[parser::parse_origin(href)].links; }

void PaceBounds::set_crawl_delay(std::string_view origin, std::chrono::duration<double> crawl_delay) {
  const auto host = hosts_.find(origin);
  if (host != hosts_.end()) host->second.crawl_delay = crawl_delay;
}

void PaceBounds::pause(std::string_view origin, const storage::HostPauses& pauses) {
  const auto host = hosts_.find(origin);
  if (host != hosts_.end()) host->second.pauses = pauses;
}

PaceBound PaceBounds::bound_of(const std::string& origin, const Host& host) const {
  const parser::Url url = parser::Url::parse(origin).value();
  HostLimits limits = host_limits(politeness_, url);
  if (host.crawl_delay) limits = with_crawl_delay(limits, *host.crawl_delay);
  return {.host = url.port() ? fmt::format("{}:{}", url.host(), *url.port()) : std::string(url.host()),
          .links = host.links,
          .interval = limits.interval,
          .is_crawl_delay = limits.is_crawl_delay,
          .pauses = host.pauses};
}

// Returns true for few hosts only, so that the URLs of the others need not be parsed.
bool PaceBounds::may_be_slow(const Host& host) const {
  if (host.crawl_delay || host.pauses || !politeness_.overrides.empty()) return true;
  return politeness_.host_request_interval * static_cast<Duration::rep>(host.links) >= worth_saying;
}

std::vector<PaceBound> PaceBounds::slowest_hosts() const {
  constexpr std::size_t max_hosts = 3;
  std::vector<PaceBound> bounds;
  for (const auto& [origin, host] : hosts_) {
    if (!may_be_slow(host)) continue;
    PaceBound bound = bound_of(origin, host);
    if (bound.min_duration() >= worth_saying) bounds.push_back(std::move(bound));
  }
  const auto end = bounds.begin() + static_cast<std::ptrdiff_t>(std::min(max_hosts, bounds.size()));
  std::ranges::partial_sort(bounds, end, [](const PaceBound& a, const PaceBound& b) {
    return a.min_duration() != b.min_duration() ? a.min_duration() > b.min_duration() : a.host < b.host;
  });
  bounds.erase(end, bounds.end());
  std::erase_if(bounds, [max_duration = bounds.empty() ? Duration{} : bounds.front().min_duration()](
                            const PaceBound& bound) { return bound.min_duration() * 2 < max_duration; });
  return bounds;
}

}  // namespace linkherd::crawler
