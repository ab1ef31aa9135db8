// --tracking-rules: a user's file of rules in the format of ClearURLs, beside our own table.
#pragma once

#include <optional>
#include <string>

#include <CLI/App.hpp>

#include "crawler/commands/command.h"
#include "parser/url/tracking_rules.h"

namespace linkherd::crawler {

CLI::Option* add_tracking_rules_option(CLI::App& app, std::string& file);

// Nothing where no file is named. Throws CLI::ValidationError where it cannot be used; a rule of it that cannot is said
// on stderr.
std::optional<parser::TrackingRules> read_tracking_rules(const std::string& file, const Streams& streams, bool quiet);

}  // namespace linkherd::crawler
