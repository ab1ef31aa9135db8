// Options for requests: method, headers, credentials, cookies, certificates, proxy, name resolution and addresses.
#pragma once

#include <string>

#include <CLI/App.hpp>

#include "crawler/fetch/fetch_options.h"

namespace linkherd::crawler {

void add_request_options(CLI::App& app, FetchOptions& fetch);

// Checks combinations of options after all of them were parsed. Throws CLI::ValidationError.
void check_request_options(const FetchOptions& fetch);

// Returns the settings that can change a verdict, one per line and without secrets. Of headers it contains only the
// names, and of credentials and cookies only the hosts.
std::string describe_request_options(const FetchOptions& fetch);

}  // namespace linkherd::crawler
