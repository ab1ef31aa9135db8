#include "crawler/frontier/host_overrides.h"

#include "parser/url/registrable_domain.h"

namespace linkherd::crawler {

HostOverride override_for(const HostOverrides& overrides, const parser::Url& url) {
  HostOverride result;
  if (overrides.empty()) return result;
  for (const std::string& name : {std::string(url.host()), parser::registrable_domain(url)}) {
    const auto found = overrides.find(name);
    if (found == overrides.end()) continue;
    if (!result.concurrency) result.concurrency = found->second.concurrency;
    if (!result.request_interval) result.request_interval = found->second.request_interval;
  }
  return result;
}

}  // namespace linkherd::crawler
