// User-defined page rules and site APIs: [[rule]] and [[site_api]] tables of linkherd.toml, in addition to the built-in
// ones.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <CLI/App.hpp>

#include "crawler/classify/page_rules.h"
#include "crawler/lookups/site_apis.h"

namespace linkherd::crawler {

inline constexpr const char* rules_section = "rule";
inline constexpr const char* site_apis_section = "site_api";

// Declare the settings. The value has the built-in tables and those of the user. It remains null if the user has none.
void add_rule_option(CLI::App& app, std::shared_ptr<const RuleSet>& rules);
void add_site_api_option(CLI::App& app, std::shared_ptr<const SiteApiSet>& site_apis);

// Returns true if a rule (valid TOML) could hide a dead link, because `blocked` does not fail a check. Rules that
// report a live page as dead are visible in the report.
bool hides_dead_links(std::string_view rule);

// Returns the rules that are not built in, one per line. Empty if `rules` is null.
std::string describe_rules(const RuleSet* rules);
std::string describe_site_apis(const SiteApiSet* site_apis);

}  // namespace linkherd::crawler
