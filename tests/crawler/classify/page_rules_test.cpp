// The built-in rules match their examples, and rules may use phrases and word lists.
#include "crawler/classify/page_rules.h"

#include <array>
#include <fstream>
#include <string>

#include <doctest/doctest.h>

#include "crawler/classify/lazy_pattern.h"
#include "parser/utf8.h"

namespace linkherd::crawler {

namespace {

PageRule rule_with(const std::string& lines) {
  const auto set =
      RuleSet::read("[[rule]]\nid = 'x'\nwhere = 'text'\nhealth = 'suspect'\nreason = 'soft_404'\n" + lines);
  REQUIRE_MESSAGE(set.has_value(), (set.has_error() ? set.error().message : std::string()));
  REQUIRE(set->rules().size() == 1);
  return set->rules().front();
}

std::string refusal_of(const std::string& lines) {
  const auto set =
      RuleSet::read("[[rule]]\nid = 'x'\nwhere = 'text'\nhealth = 'suspect'\nreason = 'soft_404'\n" + lines);
  return set.has_error() ? set.error().message : std::string();
}

}  // namespace

TEST_CASE("every built-in pattern compiles and matches its example") {
  std::size_t patterns = 0;
  for (const PageRule& rule : RuleSet::built_in().rules()) {
    if (rule.pattern == nullptr) continue;
    CAPTURE(rule.id);
    CAPTURE(rule.example);
    ++patterns;
    CHECK_FALSE(rule.example.empty());
    CHECK(rule.pattern->matches(rule.example));
    CHECK_FALSE(rule.pattern->matches("A quiet evening by the river."));
  }
  CHECK(patterns > 100);
}

TEST_CASE("no line of rules.toml is longer than 400 characters") {
  std::ifstream file(std::string(LINKHERD_SOURCE_DIR) + "/crawler/classify/rules.toml");
  REQUIRE(file.is_open());
  for (std::string line; std::getline(file, line);) {
    CAPTURE(line);
    CHECK(count_code_points(line) <= 400);
  }
}

TEST_CASE("phrases stand in the pattern as alternatives with any white space and both apostrophes") {
  const PageRule rule = rule_with(R"(pattern = '(?i)^sorry, {phrases}\.$'
phrases = ["it doesn't exist", 'it is (?:gone|lost) [ab c]x']
)");
  for (const char* text :
       {"Sorry, it doesn't exist.", "sorry, it  doesn’t\nexist.", "Sorry, it is gone bx.", "Sorry, it is lost  x."}) {
    CAPTURE(text);
    CHECK(rule.pattern->matches(text));
  }
  for (const char* text : {"Sorry, it doesnt exist.", "it is gone bx.", "Sorry, it is gone dx."}) {
    CAPTURE(text);
    CHECK_FALSE(rule.pattern->matches(text));
  }
}

TEST_CASE("rules of users may name the word lists of the built-in rules") {
  const PageRule rule = rule_with("pattern = '(?i)^no {thing.en}, x{2}$'\nexample = 'no page, xx'\n");
  CHECK(rule.pattern->matches("No article, xx"));
  CHECK_FALSE(rule.pattern->matches("No luck, xx"));
}

TEST_CASE("wrong phrases, word lists and examples are refused") {
  struct Row {
    const char* lines;
    const char* message;
  };
  constexpr std::array<Row, 9> rows{{
      {"pattern = 'a {thing.klingon}'", "unknown word list {thing.klingon}"},
      {"pattern = 'a {phrases}'", "need each other"},
      {"pattern = 'a'\nphrases = ['b']", "need each other"},
      {"mark = 'a'\nphrases = ['b']", "phrases need a pattern"},
      {"pattern = 'a {phrases}'\nphrases = 'b'", "must be an array"},
      {"pattern = 'a {phrases}'\nphrases = []", "must be an array"},
      {"pattern = 'a {phrases}'\nphrases = ['b', 3]", "must be an array"},
      {"pattern = 'a {phrases}'\nphrases = ['b', '']", "must be an array"},
      {"pattern = 'a+b'\nexample = 'b'", "does not match its example"},
  }};
  for (const Row& row : rows) {
    CAPTURE(row.lines);
    CHECK(refusal_of(row.lines).find(row.message) != std::string::npos);
  }
  std::string many = "pattern = '";
  for (int i = 0; i < 20; ++i) many += "{thing.en}";
  CHECK(refusal_of(many + "'").find("longer than 4000 bytes") != std::string::npos);
  CHECK(refusal_of("pattern = '" + std::string(1001, 'a') + "'").find("longer than 1000 bytes") != std::string::npos);
}

}  // namespace linkherd::crawler
