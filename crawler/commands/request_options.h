// The options about how a request is made: method, headers, logins, cookies, certificates, proxy, names and addresses.
#pragma once

#include <string>

#include <CLI/App.hpp>

#include "crawler/fetch/fetch_options.h"

namespace linkherd::crawler {

void add_request_options(CLI::App& app, FetchOptions& fetch);

// What of two options only shows together, once all have been read; throws CLI::ValidationError.
void check_request_options(const FetchOptions& fetch);

// The settings among them that can change a verdict, a line each, and no secret: of headers only their names, of logins
// and cookies only whom they are for.
std::string describe_request_options(const FetchOptions& fetch);

}  // namespace linkherd::crawler
