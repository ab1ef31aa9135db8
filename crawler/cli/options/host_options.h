// Settings of single hosts. Only linkherd.toml can contain them: [hosts."example.com"] host_concurrency, …
#pragma once

#include <string>
#include <string_view>

#include <CLI/App.hpp>

#include "crawler/frontier/politeness.h"

namespace linkherd::crawler {

inline constexpr const char* hosts_section = "hosts";

// Adds the hidden option that receives the [hosts] tables. Each value has one setting in the format of host_setting().
void add_host_settings(CLI::App& app, HostOverrides& overrides);
std::string host_setting(std::string_view host, std::string_view key, std::string_view value);

// Returns true if the setting allows more load on the host than the defaults. Throws CLI::ValidationError if it is
// invalid.
bool raises_host_load(std::string_view host, std::string_view key, std::string_view value);

}  // namespace linkherd::crawler
