// What the user has set for single hosts ([hosts."example.com"] of linkherd.toml), and whom it is for: a pure lookup.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "parser/timestamp.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

struct HostOverride {
  std::optional<int> concurrency = std::nullopt;
  std::optional<Duration> request_interval = std::nullopt;

  bool operator==(const HostOverride&) const = default;
};

using HostOverrides = std::map<std::string, HostOverride>;  // by host name or registrable domain, in lower case

// What is set for the host of `url` itself, or else for its registrable domain. Each setting on its own: a host's own
// section need not repeat what its domain's says.
HostOverride override_for(const HostOverrides& overrides, const parser::Url& url);

}  // namespace linkherd::crawler
