#include "parser/nearest_name.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

using linkherd::parser::did_you_mean;
using linkherd::parser::NearestName;

namespace {

std::optional<std::string> nearest(std::string_view typed, const std::vector<std::string_view>& names) {
  NearestName nearest(typed);
  for (const std::string_view name : names) nearest.consider(name);
  return nearest.best_match();
}

}  // namespace

TEST_CASE("a mistyped name gets the intended one as suggestion") {
  struct Row {
    std::string_view typed;
    std::vector<std::string_view> names;
    std::optional<std::string> found;
  };
  for (const Row& row : {Row{"chekc", {"check", "links"}, "check"},       // exchanged
                         Row{"chck", {"check", "links"}, "check"},        // missing
                         Row{"checck", {"links", "check"}, "check"},      // doubled
                         Row{"chack", {"check", "links"}, "check"},       // replaced
                         Row{"CHECK", {"check"}, "check"},                // case
                         Row{"frobnicate", {"check", "links"}, {}},       // no similar name
                         Row{"run", {"rum", "runs"}, {}},                 // two names are equally near
                         Row{"runz", {"rums", "runs", "ruins"}, "runs"},  // one is nearer
                         Row{"runs", {"ruins", "rums", "runs"}, "runs"},  // the nearest name is last
                         Row{"json", {"jsonl", "json"}, "json"},          // equal
                         Row{"jsn", {"json", "json"}, "json"},            // the same name twice
                         Row{"ab", {"ac", "abc"}, {}},                    // too short for a change
                         Row{"max-concurency", {"max-concurrency"}, "max-concurrency"},
                         Row{"安装与设置", {"安裝与设置", "使用"}, "安裝与设置"},  // characters, not bytes
                         Row{"安装", {"安裝"}, {}}, Row{"", {"a", ""}, {}}}) {
    CAPTURE(row.typed);
    CHECK(nearest(row.typed, row.names) == row.found);
  }
}

TEST_CASE("very long names are never near") {
  const std::string name(5000, 'a');
  CHECK_FALSE(nearest(name, {name + "b"}));
  CHECK_FALSE(nearest(name, {std::string_view(name).substr(1)}));
}

TEST_CASE("the suggestion is the end of its message") {
  CHECK(did_you_mean("jsn", std::vector<std::string>{"text", "json"}) == "; did you mean json?");
  CHECK(linkherd::parser::find_suggestion("jsn is none; did you mean json?") == "did you mean json?");
  CHECK(linkherd::parser::find_suggestion("jsn is none").empty());
  CHECK(did_you_mean("yaml", std::vector<std::string>{"text", "json"}).empty());
}
