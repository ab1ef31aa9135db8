// Tests that a set of patterns matches what each of its patterns matches at a fraction of the cost.
#include "parser/pattern_set.h"

#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace linkherd::parser;

namespace {

std::shared_ptr<const RE2> pattern(const std::string& text) {
  RE2::Options options;
  options.set_log_errors(false);
  return std::make_shared<const RE2>(text, options);
}

std::vector<std::size_t> matches_of_each(const PatternSet& set, const std::string& text, RE2::Anchor anchor) {
  std::vector<std::size_t> indexes;
  for (std::size_t i = 0; i < set.patterns().size(); ++i) {
    if (set.patterns()[i]->Match(text, 0, text.size(), anchor, nullptr, 0)) indexes.push_back(i);
  }
  return indexes;
}

}  // namespace

TEST_CASE("a set of patterns finds what each of them finds in their order") {
  std::vector<std::shared_ptr<const RE2>> patterns;
  for (int i = 0; i < 1500; ++i) {
    patterns.push_back(pattern("host" + std::to_string(i) + "\\."));
    if (i % 100 == 0) patterns.push_back(pattern("^https?://[^/]*\\.org/"));
  }
  patterns.push_back(pattern("$"));
  for (const RE2::Anchor anchor : {RE2::UNANCHORED, RE2::ANCHOR_START, RE2::ANCHOR_BOTH}) {
    const PatternSet set(patterns, anchor);
    for (const std::string text :
         {"https://host7.org/", "https://host1499.com/host1.", "", "host7.", "ftp://nothing"}) {
      CAPTURE(text);
      CAPTURE(static_cast<int>(anchor));
      const std::vector<std::size_t> expected = matches_of_each(set, text, anchor);
      CHECK(set.matches(text) == expected);
      CHECK(set.first_match(text) == (expected.empty() ? std::nullopt : std::optional(expected.front())));
    }
  }
  CHECK(PatternSet().matches("a").empty());
  CHECK_FALSE(PatternSet().first_match("a"));
}

TEST_CASE("patterns that need too much memory as a set are matched one by one") {
  std::vector<std::shared_ptr<const RE2>> patterns;
  for (int i = 0; i < 600; ++i)
    patterns.push_back(pattern("(?:a" + std::to_string(i) + "[^b]{100}){9}|^" + std::to_string(i) + "$"));
  for (const auto& each : patterns) REQUIRE(each->ok());
  const PatternSet set(patterns);
  CHECK(set.matches("17") == std::vector<std::size_t>{17});
  CHECK(set.first_match("599") == 599);
  CHECK_FALSE(set.first_match("600"));
}

TEST_CASE("20000 patterns find what each of them finds") {
  std::vector<std::shared_ptr<const RE2>> patterns;
  for (int i = 0; i < 20'000; ++i) patterns.push_back(pattern("^https://host" + std::to_string(i) + "\\.org/"));
  const PatternSet set(patterns);
  for (int i = 0; i < 30'000; i += 97) {
    const std::string url = "https://host" + std::to_string(i) + ".org/page";
    CHECK(set.matches(url).size() == (i < 20'000 ? 1 : 0));
  }
}
