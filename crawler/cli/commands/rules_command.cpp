// `linkherd rules`: lists the rules for bot walls, login pages, soft 404s and parked domains in order, and the site
// APIs.
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>
#include <fmt/format.h>

#include "crawler/cli/command.h"
#include "crawler/cli/options/option_table.h"
#include "crawler/cli/options/rule_options.h"
#include "crawler/cli/process.h"
#include "parser/join.h"
#include "reports/escape.h"
#include "storage/json_writer.h"

namespace linkherd::crawler {
namespace {

namespace json = boost::json;

std::string rule_as_json(const PageRule& rule) {
  std::string text;
  storage::JsonWriter json(text);
  json.begin_object();
  json.member("id", rule.id);
  json.member("site", storage::or_null(rule.site));
  json.member("where", enum_name(where_names, rule.where));
  json.member(rule.pattern == nullptr ? "mark" : "pattern", rule.mark);
  json.member("status", rule.status == 0 ? std::nullopt : std::optional(std::int64_t{rule.status}));
  json.member("max_visible", std::uint64_t{rule.max_visible});
  json.member("health", enum_name(storage::health_names, rule.health));
  json.member("reason", rule.reason);
  json.member("confidence", rule.confidence);
  json.member("built_in", rule.built_in);
  json.end_object();
  return text;
}

void write_text(std::ostream& out, const PageRule& rule) {
  out << fmt::format("{:<24} {:<8} {:<14} {:.2f}  {} {}{}{}{}\n", rule.id,
                     enum_name(storage::health_names, rule.health), rule.reason, rule.confidence,
                     enum_name(where_names, rule.where), rule.pattern == nullptr ? "" : "pattern ",
                     reports::escape_for_terminal(rule.mark), rule.site.empty() ? "" : " on " + rule.site,
                     rule.built_in ? "" : "  (your own)");
}

json::array to_json(const std::vector<SiteApiSign>& signs) {
  json::array all;
  for (const SiteApiSign& sign : signs) {
    json::object one{{"status", json::value_from(sign.statuses)}};
    if (!sign.text.empty()) one["text"] = sign.text;
    for (const auto& [pointer, values] : sign.values) one[pointer] = json::value_from(values);
    all.push_back(std::move(one));
  }
  return all;
}

std::string rule_as_json(const SiteApi& site_api) {
  json::object line{{"id", "site_api:" + site_api.name},
                    {"site", nullptr},
                    {"where", "site_api"},
                    {"pattern", nullptr},
                    {"url", nullptr},
                    {"there", to_json(site_api.exists)},
                    {"gone", to_json(site_api.missing)},
                    {"built_in", site_api.built_in}};
  if (!site_api.site.empty()) line["site"] = site_api.site;
  if (!site_api.pattern.empty()) {
    line["pattern"] = site_api.pattern;
    line["url"] = site_api.url;
  }
  return json::serialize(line);
}

void write_text(std::ostream& out, const SiteApi& site_api) {
  const bool by_page = site_api.pattern.empty();
  out << fmt::format("{:<24} {} asks {}{}\n", "site_api:" + site_api.name,
                     by_page ? "the page's own" : reports::escape_for_terminal(site_api.pattern),
                     by_page ? "its oEmbed address" : reports::escape_for_terminal(site_api.url),
                     site_api.built_in ? "" : "  (your own)");
}

std::string rule_as_json(const MoveRule& rule) {
  return json::serialize(json::object{{"id", "move_rule:" + rule.name},
                                      {"site", nullptr},
                                      {"where", "move_rule"},
                                      {"pattern", rule.pattern},
                                      {"url", rule.url},
                                      {"built_in", rule.built_in}});
}

void write_text(std::ostream& out, const MoveRule& rule) {
  out << fmt::format("{:<24} {} may have moved to {}{}\n", "move_rule:" + rule.name,
                     reports::escape_for_terminal(rule.pattern), reports::escape_for_terminal(rule.url),
                     rule.built_in ? "" : "  (your own)");
}

template <class T>
void write_one(const T& one, OutputFormat format, std::vector<std::string>& all, std::ostream& out) {
  switch (format) {
    case OutputFormat::text: write_text(out, one); break;
    case OutputFormat::jsonl: out << reports::escape_json(rule_as_json(one)) << '\n'; break;
    case OutputFormat::json: all.push_back(rule_as_json(one)); break;
  }
}

ExitCode run_rules(const CheckOptions& options, const Streams& streams) {
  start_log(options.common);
  const RuleSet& rules = options.crawl.rules == nullptr ? RuleSet::built_in() : *options.crawl.rules;
  std::vector<std::string> all;
  for (const PageRule& rule : rules.rules()) write_one(rule, options.format, all, streams.out);
  const SiteApiSet& site_apis = options.crawl.site_apis == nullptr ? SiteApiSet::built_in() : *options.crawl.site_apis;
  for (const auto& site_api : site_apis.site_apis()) write_one(*site_api, options.format, all, streams.out);
  const std::shared_ptr<const MoveRuleSet>& own = options.relocation.rules;
  for (const MoveRule& rule : (own == nullptr ? MoveRuleSet::built_in() : *own).rules())
    write_one(rule, options.format, all, streams.out);
  if (options.format == OutputFormat::json)
    streams.out << reports::escape_json(fmt::format("[{}]", join(all, ","))) << '\n';
  return ExitCode::ok;
}

}  // namespace

Command add_rules_command(CLI::App& app) {
  return add_command<CheckOptions>(app, "rules",
                                   "Show the rules and site APIs that decide verdicts, and the move rules",
                                   commands::rules, run_rules);
}

}  // namespace linkherd::crawler
