// Rules as text: the [[rule]] tables of rules.toml and of users, read and checked.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "crawler/classify/page_rules.h"
#include "crawler/classify/table_reader.h"
#include "parser/ascii.h"

namespace linkherd::crawler {

namespace {

using storage::Health;

constexpr std::size_t max_word_bytes = 500;  // bytes of a mark or a pattern
constexpr std::size_t max_built_in_word_bytes = 4000;
constexpr std::size_t visible_in_html = 800;
constexpr std::size_t visible_in_text = 400;
constexpr std::size_t max_visible_length = 4000;  // so much of a main text is looked at

constexpr std::array<std::string_view, 10> rule_keys{"id",     "site",        "where",  "mark",   "pattern",
                                                     "status", "max_visible", "health", "reason", "confidence"};

class RuleReader : private TableReader {
 public:
  RuleReader(const toml::table& table, bool built_in)
      : TableReader(table, "rule", built_in), max_word_bytes_(built_in ? max_built_in_word_bytes : max_word_bytes) {
    rule_.built_in = built_in;
  }

  PageRule read() {
    refuse_other_keys(rule_keys);
    rule_.id = name("id", "_:.-");
    rule_.site = parser::to_ascii_lower(text("site"));
    read_where();
    read_mark();
    read_limits();
    read_verdict();
    return std::move(rule_);
  }

 private:
  void read_where() {
    const auto where = enum_value(where_names, text("where"));
    if (!where) refuse("where must be header, redirect_url, title, title_start, title_whole, html, text, lead or page");
    rule_.where = *where;
  }

  void read_mark() {
    if (has("mark") == has("pattern")) refuse("requires either mark or pattern");
    const bool is_pattern = has("pattern");
    rule_.mark = text(is_pattern ? "pattern" : "mark");
    if (rule_.mark.empty()) refuse("its mark is empty");
    if (rule_.mark.size() > max_word_bytes_) refuse(fmt::format("its mark is longer than {} bytes", max_word_bytes_));
    if (rule_.where == Where::header && rule_.mark.find(": ") == std::string::npos)
      refuse("a mark in headers must have the form \"name: text\"");
    if (!is_pattern) return;
    if (rule_.where == Where::header || rule_.where == Where::title_start || rule_.where == Where::title_whole)
      refuse(fmt::format("{} takes a mark, not a pattern", enum_name(where_names, rule_.where)));
    rule_.pattern = pattern(rule_.mark);
    if (!is_built_in() && rule_.pattern->matches("")) refuse("its pattern matches every page");
  }

  void read_limits() {
    const std::size_t usual = rule_.where == Where::html ? visible_in_html : visible_in_text;
    rule_.max_visible =
        static_cast<std::size_t>(number("max_visible", max_visible_length).value_or(static_cast<std::int64_t>(usual)));
    rule_.status = static_cast<int>(number("status", 999).value_or(0));
  }

  void read_verdict() {
    const auto health = enum_value(storage::health_names, has("health") ? text("health") : "blocked");
    if (health != Health::blocked && health != Health::suspect && health != Health::dead)
      refuse("health must be blocked, suspect or dead");
    rule_.health = *health;
    rule_.reason = name("reason", "_");
    read_confidence();
  }

  void read_confidence() {
    const bool outside = rule_.where == Where::header || rule_.where == Where::redirect_url;
    rule_.confidence = outside ? 1.0 : 0.95;
    if (rule_.health == Health::dead) rule_.confidence = storage::sure_of_death;
    if (rule_.health == Health::suspect) rule_.confidence = 0.85;
    const std::optional<double> confidence = share("confidence");
    if (!confidence) return;
    rule_.confidence = *confidence;
    if (rule_.health == Health::dead && *confidence < storage::sure_of_death)
      refuse(fmt::format("confidence must be at least {} for dead; with a lower value, the link is suspect",
                         storage::sure_of_death));
    if (rule_.health == Health::suspect && *confidence >= storage::sure_of_death)
      refuse(fmt::format("confidence must be less than {} for suspect; with a higher value, the link is dead",
                         storage::sure_of_death));
  }

  std::size_t max_word_bytes_;
  PageRule rule_;
};

std::vector<PageRule> read_rules(std::string_view text, bool built_in) {
  return read_tables<PageRule>(text, "rule",
                               [built_in](const toml::table& table) { return RuleReader(table, built_in).read(); });
}

}  // namespace

Result<RuleSet> RuleSet::read(std::string_view toml) {
  return as_result<RuleSet>([toml] {
    RuleSet set;
    set.rules_ = read_rules(toml, false);
    return set;
  });
}

const RuleSet& RuleSet::built_in() {
  static const RuleSet set = [] {
    RuleSet made;
    made.rules_ = read_rules(built_in_rules, true);
    return made;
  }();
  return set;
}

}  // namespace linkherd::crawler
