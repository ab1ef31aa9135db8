#include "crawler/lookups/move_rules.h"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "crawler/classify/table_reader.h"
#include "parser/ascii.h"

namespace linkherd::crawler {

extern const char* const built_in_move_rules;  // move_rules.toml

namespace {

constexpr std::array<std::string_view, 3> move_rule_keys{"name", "pattern", "url"};
constexpr std::size_t max_rule_bytes = 500;  // of a pattern or URL

// Returns the URL in the syntax of RE2: {1} becomes \1.
std::string rewrite_of(std::string_view url) {
  std::string rewrite;
  for (std::size_t i = 0; i < url.size(); ++i) {
    if (url[i] == '\\') {
      rewrite += "\\\\";
    } else if (url[i] == '{' && i + 2 < url.size() && parser::is_ascii_digit(url[i + 1]) && url[i + 2] == '}') {
      rewrite.append(1, '\\').append(1, url[i + 1]);
      i += 2;
    } else {
      rewrite += url[i];
    }
  }
  return rewrite;
}

class MoveRuleReader : private TableReader {
 public:
  MoveRuleReader(const toml::table& table, bool built_in) : TableReader(table, "move_rule", built_in) {}

  MoveRule read() {
    refuse_other_keys(move_rule_keys);
    MoveRule rule;
    rule.built_in = is_built_in();
    rule.name = name("name", "_");
    rule.pattern = bounded("pattern");
    rule.url = bounded("url");
    rule.expression = pattern(rule.pattern);
    if (!rule.url.starts_with("https://") && !rule.url.starts_with("http://"))
      refuse("url must begin with https:// or http://");
    if (is_built_in()) return rule;  // a test checks the built-in rules, without which no run needs to compile them
    if (rule.expression->matches("")) refuse("its pattern matches every URL");
    std::string problem;
    if (!rule.expression->compiled().CheckRewriteString(rewrite_of(rule.url), &problem))
      refuse("url contains a group that the pattern does not have");
    return rule;
  }

 private:
  std::string bounded(std::string_view key) const {
    std::string value = text(key);
    if (value.empty()) refuse(fmt::format("the key {} is missing", key));
    if (value.size() > max_rule_bytes) refuse(fmt::format("{} is longer than {} bytes", key, max_rule_bytes));
    if (parser::has_ascii_control(value)) refuse(fmt::format("{} has a control character", key));
    return value;
  }
};

std::vector<MoveRule> read_move_rules(std::string_view text, bool built_in) {
  return read_tables<MoveRule>(toml::parse(text), "move_rule",
                               [built_in](const toml::table& table) { return MoveRuleReader(table, built_in).read(); });
}

}  // namespace

Result<MoveRuleSet> MoveRuleSet::read(std::string_view toml) {
  return as_result<MoveRuleSet>([toml] {
    MoveRuleSet set;
    set.rules_ = read_move_rules(toml, false);
    return set;
  });
}

const MoveRuleSet& MoveRuleSet::built_in() {
  static const MoveRuleSet set = [] {
    MoveRuleSet made;
    made.rules_ = read_move_rules(built_in_move_rules, true);
    return made;
  }();
  return set;
}

void MoveRuleSet::append(const MoveRuleSet& others) {
  rules_.insert(rules_.begin(), others.rules_.begin(), others.rules_.end());
}

std::optional<parser::Url> MoveRuleSet::apply(const parser::Url& dead) const {
  const std::string href(dead.href_without_fragment());
  for (const MoveRule& rule : rules_) {
    std::string target;
    if (!re2::RE2::Extract(href, rule.expression->compiled(), rewrite_of(rule.url), &target)) continue;
    Result<parser::Url> url = parser::Url::parse(target);
    if (url.has_value() && url->is_http() && url->href() != dead.href()) return std::move(*url);
  }
  return std::nullopt;
}

}  // namespace linkherd::crawler
