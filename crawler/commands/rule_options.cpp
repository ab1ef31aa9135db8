#include "crawler/commands/rule_options.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace linkherd::crawler {

void add_rule_option(CLI::App& app, std::shared_ptr<const RuleSet>& rules) {
  const auto read = [&rules](const std::vector<std::string>& tables) {
    auto all = std::make_shared<RuleSet>(RuleSet::built_in());
    for (const std::string& table : tables) {
      const Result<RuleSet> own = RuleSet::read(table);
      if (own.has_error()) throw CLI::ValidationError(rules_section, own.error().message);
      all->append(*own);
    }
    rules = std::move(all);
  };
  app.add_option_function<std::vector<std::string>>(fmt::format("--{}", rules_section), read)
      ->configurable()
      ->group("");
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

}  // namespace linkherd::crawler
