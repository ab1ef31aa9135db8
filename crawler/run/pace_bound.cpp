#include "crawler/run/pace_bound.h"

#include <algorithm>

#include <fmt/format.h>

#include "parser/url/host.h"

namespace linkherd::crawler {

void PaceBounds::add(std::string_view href) {
  Host& host = hosts_[parser::origin_of_href(href)];
  if (host.links++ > 0) return;
  const parser::Url url = parser::Url::parse(href).value();
  host.name = url.port() ? fmt::format("{}:{}", url.host(), *url.port()) : std::string(url.host());
  host.limits = host_limits(politeness_, url);
}

void PaceBounds::slow_down(std::string_view origin, std::chrono::duration<double> crawl_delay) {
  const auto host = hosts_.find(origin);
  if (host != hosts_.end()) host->second.limits = with_crawl_delay(host->second.limits, crawl_delay);
}

std::vector<PaceBound> PaceBounds::slowest() const {
  constexpr std::size_t most = 3;
  constexpr Duration worth_saying = std::chrono::seconds(1);
  std::vector<PaceBound> bounds;
  for (const auto& [origin, host] : hosts_) {
    PaceBound bound{host.name, host.links, host.limits.interval};
    if (bound.at_least() >= worth_saying) bounds.push_back(std::move(bound));
  }
  const auto end = bounds.begin() + static_cast<std::ptrdiff_t>(std::min(most, bounds.size()));
  std::ranges::partial_sort(bounds, end, [](const PaceBound& a, const PaceBound& b) {
    return a.at_least() != b.at_least() ? a.at_least() > b.at_least() : a.host < b.host;
  });
  bounds.erase(end, bounds.end());
  std::erase_if(bounds, [longest = bounds.empty() ? Duration{} : bounds.front().at_least()](const PaceBound& bound) {
    return bound.at_least() * 2 < longest;
  });
  return bounds;
}

}  // namespace linkherd::crawler
