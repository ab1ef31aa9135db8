#include "parser/url/tracking_rules.h"

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "parser/url/canonical.h"
#include "tests/parser/url/href_of.h"

using namespace linkherd::parser;

namespace {

constexpr std::string_view usual_file = R"json({"providers": {
  "herd": {
    "urlPattern": "^https?:\\/\\/(?:[a-z0-9-]+\\.)*?herd\\.example",
    "completeProvider": false,
    "rules": ["continueFlag", "x_[a-z]+", "(?:%3F)?from"],
    "rawRules": ["\\/ref=[^/?]*", "/amp$"],
    "referralMarketing": ["tag"],
    "exceptions": ["^https?:\\/\\/keep\\.herd\\.example"],
    "redirections": ["^https?:\\/\\/out\\.herd\\.example\\/.*?[?&]to=([^&]*)"],
    "forceRedirection": true
  },
  "globalRules": {"urlPattern": ".*", "rules": ["everywhere"]},
  "empty": {"urlPattern": "^https://nothing\\.example"}
}})json";

TrackingRules rules_of(std::string_view json) {
  std::vector<std::string> warnings;
  auto rules = TrackingRules::parse_clear_urls(json, warnings);
  CAPTURE(json);
  REQUIRE(rules.has_value());
  CHECK(warnings.empty());
  return std::move(rules).value();
}

}  // namespace

TEST_CASE("the rules of a file extend the built-in table") {
  const TrackingRules rules = rules_of(usual_file);
  struct Row {
    std::string_view text;
    std::string_view untracked;
  };
  const Row rows[] = {
      {"https://herd.example/?continueFlag=1&id=2", "https://herd.example/?id=2"},
      {"https://www.herd.example/?CONTINUEFLAG=1&x_abc=2&x_1=3", "https://www.herd.example/?x_1=3"},
      {"https://herd.example/?continueFlagged=1", "https://herd.example/?continueFlagged=1"},
      {"https://herd.example/?%63ontinueFlag=1&utm_source=2", "https://herd.example/"},
      {"https://herd.example/?tag=1", "https://herd.example/"},
      {"https://keep.herd.example/?continueFlag=1", "https://keep.herd.example/?continueFlag=1"},
      {"https://other.example/?continueFlag=1", "https://other.example/?continueFlag=1"},
      {"https://other.example/?everywhere=1&a", "https://other.example/?a"},
      {"https://herd.example/book/ref=sr_1_1?a=1", "https://herd.example/book?a=1"},
      {"https://herd.example/page/amp", "https://herd.example/page"},
      {"https://out.herd.example/go?a=1&to=https%3A%2F%2Fother.example%2F%3Feverywhere%3D1", "https://other.example/"},
      {"https://out.herd.example/go?to=javascript%3Aalert(1)", "https://out.herd.example/go?to=javascript%3Aalert(1)"},
      {"mailto:a@herd.example?everywhere=1", "mailto:a@herd.example?everywhere=1"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const CanonicalForm form = canonical_form(url_of(row.text), CanonicalLayer::untracked, &rules);
    CHECK(form.url == row.untracked);
    CHECK(form.rules.empty() == (row.text == row.untracked));
    CHECK(canonical_form(url_of(form.url), CanonicalLayer::untracked, &rules).url == form.url);
  }
  using Names = std::vector<std::string_view>;
  CHECK(canonical_form(url_of("https://herd.example/a/ref=b?tag=1"), CanonicalLayer::untracked, &rules).rules ==
        Names{"tracking_text", "tracking_parameters"});
}

TEST_CASE("an unusable rule is named and the others are kept") {
  struct Row {
    std::string_view json;
    std::string_view named;
  };
  const Row rows[] = {
      {R"json({"providers": {"p": {"urlPattern": ".*", "rules": ["a(?!b)", "x"]}}})json", "a(?!b)"},
      {R"json({"providers": {"p": {"urlPattern": ".*", "rules": ["(a)\\1", "x"]}}})json", "(a)\\1"},
      {R"json({"providers": {"p": {"urlPattern": ".*", "rules": ["(", "x"]}}})json", "provider p: rules"},
      {R"json({"providers": {"p": {"urlPattern": ".*", "rules": [1, "x"]}}})json", "not a string"},
      {R"json({"providers": {"p": {"urlPattern": ".*", "rules": ["x"], "exceptions": "y"}}})json", "is not a list"},
      {R"json({"providers": {"p": {"urlPattern": ".*", "rules": ["x"], "rawRules": ["["]}}})json", "rawRules"},
      {R"json({"providers": {"q": {"urlPattern": "("}, "p": {"urlPattern": ".*", "rules": ["x"]}}})json", "provider q"},
      {R"json({"providers": {"q": {}, "p": {"urlPattern": ".*", "rules": ["x"]}}})json", "has no urlPattern"},
      {R"json({"providers": {"q": 1, "p": {"urlPattern": ".*", "rules": ["x"]}}})json", "is not an object"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.json);
    std::vector<std::string> warnings;
    const auto rules = TrackingRules::parse_clear_urls(row.json, warnings);
    REQUIRE(rules.has_value());
    REQUIRE(warnings.size() == 1);
    CHECK(warnings.front().find(row.named) != std::string::npos);
    CHECK(canonical_form(url_of("https://a/?x=1&y=2"), CanonicalLayer::untracked, &*rules).url == "https://a/?y=2");
  }
}

TEST_CASE("a text that is no rule file is refused in one line") {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "{\"providers\":";
  const std::string texts[] = {"",
                               "{",
                               "[]",
                               "1",
                               "null",
                               "{}",
                               R"json({"providers": []})json",
                               R"json({"providers": 1})json",
                               "\xFF\xFE",
                               deep,
                               std::string((std::size_t{16} << 20) + 1, ' '),
                               std::string("{\"providers\0\":{}}", 17)};
  for (const std::string& text : texts) {
    CAPTURE(text.substr(0, 40));
    std::vector<std::string> warnings;
    const auto rules = TrackingRules::parse_clear_urls(text, warnings);
    REQUIRE(rules.has_error());
    CHECK(rules.error().message.size() < 200);
    CHECK(rules.error().message.find('\n') == std::string::npos);
  }
}

TEST_CASE("hostile patterns take bounded time and memory") {
  std::vector<std::string> warnings;
  std::string rules =
      R"json({"providers": {"p": {"urlPattern": "(?:a*)*(?:a|aa)+$", "rules": ["(x+x+)+y", "(.*)(.*)(.*)z")json";
  for (int i = 0; i < 30'000; ++i) rules += ",\"r" + std::to_string(i) + "\"";
  rules += ",\"" + std::string(10'000, 'a') + "\"]}}}";
  const auto read = TrackingRules::parse_clear_urls(rules, warnings);
  REQUIRE(read.has_value());
  CHECK(warnings.size() <= 101);
  const Url url = url_of("https://h/?" + std::string(100'000, 'x') + "=" + std::string(100'000, 'a'));
  CHECK_FALSE(canonical_form(url, CanonicalLayer::untracked, &*read).url.empty());
}
