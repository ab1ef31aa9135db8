// User-defined page rules: [[rule]] tables of linkherd.toml, applied after the built-in ones.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <CLI/App.hpp>

#include "crawler/classify/page_rules.h"

namespace linkherd::crawler {

inline constexpr const char* rules_section = "rule";

// Declares the setting. `rules` becomes the built-in and the user's rules; it remains null if there are no user's
// rules.
void add_rule_option(CLI::App& app, std::shared_ptr<const RuleSet>& rules);

// Returns true if a rule (valid TOML) could hide a dead link, because `blocked` does not fail a check. Rules that
// report a live page as dead are visible in the report.
bool hides_dead_links(std::string_view rule);

// Returns the rules that are not built in, one per line; empty for null.
std::string describe_rules(const RuleSet* rules);

}  // namespace linkherd::crawler
