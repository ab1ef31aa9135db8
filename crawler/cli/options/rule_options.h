// User-defined page rules, site APIs and move rules: [[rule]], [[site_api]] and [[move_rule]] tables of linkherd.toml,
// in addition to the built-in ones.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "crawler/classify/page_rules.h"
#include "crawler/cli/command.h"
#include "crawler/cli/options/option.h"
#include "crawler/lookups/move_rules.h"
#include "crawler/lookups/site_apis.h"
#include "parser/url/tracking_rules.h"

namespace linkherd::crawler {

inline constexpr const char* rules_section = "rule";
inline constexpr const char* site_apis_section = "site_api";
inline constexpr const char* move_rules_section = "move_rule";

// Return targets of the settings. The value has the built-in tables and those of the user. It remains null if the user
// has none.
OptionTarget read_rules(std::shared_ptr<const RuleSet>& rules);
OptionTarget read_site_apis(std::shared_ptr<const SiteApiSet>& site_apis);
OptionTarget read_move_rules(std::shared_ptr<const MoveRuleSet>& rules);

// Returns true if a rule (valid TOML) could hide a dead link, because `blocked` does not fail a check. Rules that
// report a live page as dead are visible in the report.
bool hides_dead_links(std::string_view rule);

// Reads the rules of --tracking-rules in `file`: a user's file in the format of ClearURLs, in addition to the built-in
// table. Returns nullopt if `file` is empty. Throws CLI::ValidationError if the file cannot be used; an invalid rule is
// only a warning on stderr.
std::optional<parser::TrackingRules> read_tracking_rules(const std::string& file, const Streams& streams, bool quiet);

}  // namespace linkherd::crawler
