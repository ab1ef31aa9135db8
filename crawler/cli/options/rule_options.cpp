#include "crawler/cli/options/rule_options.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "crawler/cli/options/option_types.h"

namespace linkherd::crawler {

void add_rule_option(CLI::App& app, std::shared_ptr<const RuleSet>& rules) {
  add_tables_option(app, rules_section, RuleSet::built_in, rules);
}

void add_site_api_option(CLI::App& app, std::shared_ptr<const SiteApiSet>& site_apis) {
  add_tables_option(app, site_apis_section, SiteApiSet::built_in, site_apis);
}

bool hides_dead_links(std::string_view rule) {
  const Result<RuleSet> own = RuleSet::read(rule);
  return own.has_value() &&
         std::ranges::any_of(own->rules(), [](const PageRule& one) { return one.health == storage::Health::blocked; });
}

std::string describe_rules(const RuleSet* rules) {
  std::string text;
  if (rules == nullptr) return text;
  for (const PageRule& rule : rules->rules()) {
    if (rule.built_in) continue;
    text += fmt::format("rule {} {} {} {} {} {} {} {} {}\n", rule.id, rule.site, enum_name(where_names, rule.where),
                        rule.mark, rule.status, rule.max_visible, enum_name(storage::health_names, rule.health),
                        rule.reason, rule.confidence);
  }
  return text;
}

std::string describe_site_apis(const SiteApiSet* site_apis) {
  std::string text;
  if (site_apis == nullptr) return text;
  for (const auto& site_api : site_apis->site_apis()) {
    if (!site_api->built_in) text += site_api->definition + '\n';
  }
  return text;
}

}  // namespace linkherd::crawler
