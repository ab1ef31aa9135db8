#include "crawler/cli/options/rule_options.h"

#include <algorithm>
#include <ostream>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "crawler/sources/file_bytes.h"
#include "reports/escape.h"

namespace linkherd::crawler {
namespace {

constexpr std::size_t max_tracking_rules_bytes = std::size_t{16} << 20;

// Describes the rules that are not built in.
Words words_of_rules(const RuleSet* rules) {
  Words words;
  if (rules == nullptr) return words;
  for (const PageRule& rule : rules->rules()) {
    if (rule.built_in) continue;
    words.push_back(fmt::format("{} {} {} {} {} {} {} {} {}", rule.id, rule.site, enum_name(where_names, rule.where),
                                rule.mark, rule.status, rule.max_visible, enum_name(storage::health_names, rule.health),
                                rule.reason, rule.confidence));
  }
  return words;
}

Words words_of_site_apis(const SiteApiSet* site_apis) {
  Words words;
  if (site_apis == nullptr) return words;
  for (const auto& site_api : site_apis->site_apis()) {
    if (!site_api->built_in) words.push_back(site_api->definition);
  }
  return words;
}

Words words_of_move_rules(const MoveRuleSet* rules) {
  Words words;
  if (rules == nullptr) return words;
  for (const MoveRule& rule : rules->rules()) {
    if (!rule.built_in) words.push_back(fmt::format("{} {} {}", rule.name, rule.pattern, rule.url));
  }
  return words;
}

}  // namespace

OptionTarget read_rules(std::shared_ptr<const RuleSet>& rules) {
  OptionTarget target = read_tables(rules_section, RuleSet::built_in, rules);
  target.values = [&rules] { return words_of_rules(rules.get()); };
  return target;
}

OptionTarget read_site_apis(std::shared_ptr<const SiteApiSet>& site_apis) {
  OptionTarget target = read_tables(site_apis_section, SiteApiSet::built_in, site_apis);
  target.values = [&site_apis] { return words_of_site_apis(site_apis.get()); };
  return target;
}

OptionTarget read_move_rules(std::shared_ptr<const MoveRuleSet>& rules) {
  OptionTarget target = read_tables(move_rules_section, MoveRuleSet::built_in, rules);
  target.values = [&rules] { return words_of_move_rules(rules.get()); };
  return target;
}

bool hides_dead_links(std::string_view rule) {
  const Result<RuleSet> own = RuleSet::read(rule);
  return own.has_value() &&
         std::ranges::any_of(own->rules(), [](const PageRule& one) { return one.health == storage::Health::blocked; });
}

std::optional<parser::TrackingRules> read_tracking_rules(const std::string& file, const Streams& streams, bool quiet) {
  if (file.empty()) return std::nullopt;
  const Result<std::string> json = read_file_bytes(file, max_tracking_rules_bytes);
  if (json.has_error()) throw CLI::ValidationError("--tracking-rules", file + " " + json.error().message);
  std::vector<std::string> warnings;
  Result<parser::TrackingRules> rules = parser::TrackingRules::parse_clear_urls(*json, warnings);
  if (rules.has_error()) throw CLI::ValidationError("--tracking-rules", file + " " + rules.error().message);
  if (!quiet) {
    for (const std::string& warning : warnings) {
      streams.err << "linkherd: " << reports::escape_message(fmt::format("{}: {}", file, warning)) << '\n';
    }
  }
  return std::move(rules).value();
}

}  // namespace linkherd::crawler
