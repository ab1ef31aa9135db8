// Rules as text: the [[rule]] tables of rules.toml and of users, read and checked.
#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>
#include <re2/re2.h>
#include <toml++/toml.h>

#include "crawler/classify/page_rules.h"
#include "parser/ascii.h"

namespace linkherd::crawler {

extern const char* const built_in_rules;  // rules.toml

namespace {

using storage::Health;

constexpr std::size_t longest_word = 500;  // bytes of a mark or a pattern
constexpr std::size_t longest_built_in = 4000;
constexpr std::size_t most_rules = 1000;
constexpr std::int64_t pattern_memory = std::int64_t{8} << 20;  // of a compiled pattern: bounds its size
constexpr std::size_t visible_in_html = 800;
constexpr std::size_t visible_in_text = 400;
constexpr std::size_t most_visible = 4000;  // so much of a main text is looked at

constexpr std::array<std::string_view, 10> known_keys{"id",     "site",        "where",  "mark",   "pattern",
                                                      "status", "max_visible", "health", "reason", "confidence"};

bool is_name(std::string_view text, std::string_view more) {
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [more](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || more.find(c) != std::string_view::npos;
  });
}

// Reads one table; throws std::invalid_argument with what is wrong.
class RuleReader {
 public:
  RuleReader(const toml::table& table, std::size_t longest) : table_(table), longest_(longest) {}

  PageRule read() {
    for (const auto& [key, value] : table_) {
      if (std::ranges::find(known_keys, key.str()) == known_keys.end()) refuse(fmt::format("{} is no key", key.str()));
    }
    rule_.id = text("id");
    if (!is_name(rule_.id, "_:.-")) refuse("id wants up to 64 of a-z, 0-9, \"_:.-\"");
    rule_.site = parser::to_ascii_lower(text("site"));
    read_where();
    read_mark();
    read_limits();
    read_verdict();
    return std::move(rule_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw std::invalid_argument(rule_.id.empty() ? what : fmt::format("rule {}: {}", rule_.id, what));
  }

  std::string text(std::string_view key) const {
    if (!table_.contains(key)) return {};
    const auto value = table_[key].value_exact<std::string>();
    if (!value) refuse(fmt::format("{} wants a string", key));
    return *value;
  }

  std::optional<std::int64_t> number(std::string_view key, std::int64_t most) const {
    if (!table_.contains(key)) return std::nullopt;
    const auto value = table_[key].value_exact<std::int64_t>();
    if (!value || *value < 0 || *value > most) refuse(fmt::format("{} wants a number from 0 to {}", key, most));
    return value;
  }

  void read_where() {
    const auto where = enum_value(where_names, text("where"));
    if (!where) refuse("where wants header, redirect_url, title, title_start, title_whole, html, text, lead or page");
    rule_.where = *where;
  }

  void read_mark() {
    if (table_.contains("mark") == table_.contains("pattern")) refuse("wants either mark or pattern");
    const bool is_pattern = table_.contains("pattern");
    rule_.mark = text(is_pattern ? "pattern" : "mark");
    if (rule_.mark.empty()) refuse("its mark is empty");
    if (rule_.mark.size() > longest_) refuse(fmt::format("its mark has more than {} bytes", longest_));
    if (rule_.where == Where::header && rule_.mark.find(": ") == std::string::npos)
      refuse("a mark in headers wants the form \"name: text\"");
    if (!is_pattern) return;
    if (rule_.where == Where::header || rule_.where == Where::title_start || rule_.where == Where::title_whole)
      refuse(fmt::format("{} takes a mark, no pattern", enum_name(where_names, rule_.where)));
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(pattern_memory);
    auto pattern = std::make_shared<re2::RE2>(rule_.mark, options);
    if (!pattern->ok()) refuse(fmt::format("its pattern cannot be used: {}", pattern->error()));
    if (pattern->Match("", 0, 0, re2::RE2::UNANCHORED, nullptr, 0)) refuse("its pattern fits any page");
    rule_.pattern = std::move(pattern);
  }

  void read_limits() {
    const std::size_t usual = rule_.where == Where::html ? visible_in_html : visible_in_text;
    rule_.max_visible =
        static_cast<std::size_t>(number("max_visible", most_visible).value_or(static_cast<std::int64_t>(usual)));
    rule_.status = static_cast<int>(number("status", 999).value_or(0));
  }

  void read_verdict() {
    const auto health = enum_value(storage::health_names, table_.contains("health") ? text("health") : "blocked");
    if (health != Health::blocked && health != Health::suspect && health != Health::dead)
      refuse("health wants blocked, suspect or dead");
    rule_.health = *health;
    rule_.reason = text("reason");
    if (!is_name(rule_.reason, "_")) refuse("reason wants a word of a-z, 0-9 and \"_\"");
    read_confidence();
  }

  void read_confidence() {
    const bool outside = rule_.where == Where::header || rule_.where == Where::redirect_url;
    rule_.confidence = outside ? 1.0 : 0.95;
    if (rule_.health == Health::dead) rule_.confidence = storage::sure_of_death;
    if (rule_.health == Health::suspect) rule_.confidence = 0.85;
    if (!table_.contains("confidence")) return;
    const auto confidence = table_["confidence"].value<double>();
    if (!confidence || *confidence < 0 || *confidence > 1) refuse("confidence wants a number from 0 to 1");
    rule_.confidence = *confidence;
    if (rule_.health == Health::dead && *confidence < storage::sure_of_death)
      refuse(fmt::format("confidence wants {} or more for dead; with less a link is suspect", storage::sure_of_death));
    if (rule_.health == Health::suspect && *confidence >= storage::sure_of_death)
      refuse(
          fmt::format("confidence wants less than {} for suspect; with more a link is dead", storage::sure_of_death));
  }

  const toml::table& table_;
  std::size_t longest_;
  PageRule rule_;
};

std::vector<PageRule> read_tables(std::string_view text, std::size_t longest) {
  const toml::table document = toml::parse(text);
  std::vector<PageRule> rules;
  const toml::array* tables = document["rule"].as_array();
  if (tables == nullptr) throw std::invalid_argument("rule wants tables of its own: [[rule]]");
  if (tables->size() > most_rules) throw std::invalid_argument(fmt::format("more than {} rules", most_rules));
  for (const toml::node& item : *tables) {
    const toml::table* table = item.as_table();
    if (table == nullptr) throw std::invalid_argument("rule wants tables of its own: [[rule]]");
    rules.push_back(RuleReader(*table, longest).read());
  }
  return rules;
}

}  // namespace

Result<RuleSet> RuleSet::read(std::string_view toml) {
  try {
    RuleSet set;
    set.rules_ = read_tables(toml, longest_word);
    for (PageRule& rule : set.rules_) rule.built_in = false;
    return set;
  } catch (const toml::parse_error& error) {
    return Error{std::string(error.description())};
  } catch (const std::invalid_argument& error) {
    return Error{error.what()};
  }
}

const RuleSet& RuleSet::built_in() {
  static const RuleSet set = [] {
    RuleSet made;
    made.rules_ = read_tables(built_in_rules, longest_built_in);
    return made;
  }();
  return set;
}

}  // namespace linkherd::crawler
