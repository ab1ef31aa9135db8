// Settings for single hosts, which live in linkherd.toml only: [hosts."example.com"] host_concurrency, …
#pragma once

#include <string>
#include <string_view>

#include <CLI/App.hpp>

#include "crawler/frontier/politeness.h"

namespace linkherd::crawler {

inline constexpr const char* hosts_section = "hosts";

// The hidden option that the configuration hands its [hosts] to, a setting a value: host_setting()'s text.
void add_host_settings(CLI::App& app, HostOverrides& overrides);
std::string host_setting(std::string_view host, std::string_view key, std::string_view value);

// Whether it lets us ask that host faster than we ask any. Throws CLI::ValidationError where it is no setting at all.
bool hurries_host(std::string_view host, std::string_view key, std::string_view value);

}  // namespace linkherd::crawler
