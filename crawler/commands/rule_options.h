// Users' own rules of pages: [[rule]] tables of linkherd.toml, after the built-in ones.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <CLI/App.hpp>

#include "crawler/classify/page_rules.h"

namespace linkherd::crawler {

inline constexpr const char* rules_section = "rule";

// Declares the setting. `rules` becomes the built-in ones and the user's; it stays null where there are none.
void add_rule_option(CLI::App& app, std::shared_ptr<const RuleSet>& rules);

// Whether a rule (as TOML, valid) could hide a link that is dead: a refusal is no failure of a check. One that calls a
// living page dead shows itself.
bool hides_dead_links(std::string_view rule);

// The rules that are not built in, a line each; empty for null.
std::string describe_rules(const RuleSet* rules);

}  // namespace linkherd::crawler
