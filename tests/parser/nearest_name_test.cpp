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
  struct NearestNameRow {
    std::string_view typed;
    std::vector<std::string_view> names;
    std::optional<std::string> found;
  };
  for (const NearestNameRow& row :
       {NearestNameRow{"chekc", {"check", "links"}, "check"},       // exchanged
        NearestNameRow{"chck", {"check", "links"}, "check"},        // missing
        NearestNameRow{"checck", {"links", "check"}, "check"},      // doubled
        NearestNameRow{"chack", {"check", "links"}, "check"},       // replaced
        NearestNameRow{"CHECK", {"check"}, "check"},                // case
        NearestNameRow{"frobnicate", {"check", "links"}, {}},       // no similar name
        NearestNameRow{"run", {"rum", "runs"}, {}},                 // two names are equally near
        NearestNameRow{"runz", {"rums", "runs", "ruins"}, "runs"},  // one is nearer
        NearestNameRow{"runs", {"ruins", "rums", "runs"}, "runs"},  // the nearest name is last
        NearestNameRow{"json", {"jsonl", "json"}, "json"},          // equal
        NearestNameRow{"jsn", {"json", "json"}, "json"},            // the same name twice
        NearestNameRow{"ab", {"ac", "abc"}, {}},                    // too short for a change
        NearestNameRow{"max-concurency", {"max-concurrency"}, "max-concurrency"},
        NearestNameRow{"安装与设置", {"安裝与设置", "使用"}, "安裝与设置"},  // characters, not bytes
        NearestNameRow{"安装", {"安裝"}, {}}, NearestNameRow{"", {"a", ""}, {}}}) {
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
