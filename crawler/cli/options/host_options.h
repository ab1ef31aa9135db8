// Settings of single hosts. Only linkherd.toml can contain them: [hosts."example.com"] host_concurrency, …
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "crawler/cli/options/option.h"
#include "crawler/frontier/politeness.h"

namespace linkherd::crawler {

inline constexpr const char* hosts_section = "hosts";

// Returns the target that receives the [hosts] tables. Each value has one setting in the format of host_setting().
OptionTarget read_hosts(HostOverrides& overrides);
std::string host_setting(std::string_view host, std::string_view key, std::string_view value);

// Returns true if the setting allows more load on the host than the defaults. Throws CLI::ValidationError if it is
// invalid.
bool raises_host_load(std::string_view host, std::string_view key, std::string_view value);

// `key`: for example "concurrency" of lychee. Returns what to use instead, or nullopt.
std::optional<std::string> lychee_host_setting_hint(std::string_view key);

}  // namespace linkherd::crawler
