#include "tests/end_to_end/same_report.h"

#include <set>
#include <string>
#include <string_view>

#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>

namespace linkherd::tests {
namespace {

namespace json = boost::json;

void remove_differing_members(json::value& value) {
  static const std::set<std::string_view> differing{"number",   "started_at", "finished_at",  "seconds", "store",
                                                    "attempts", "checked_at", "first_failed", "pace",    "identity"};
  if (json::array* const array = value.if_array()) {
    for (json::value& one : *array) remove_differing_members(one);
  } else if (json::object* const object = value.if_object()) {
    for (const std::string_view key : differing) object->erase(key);
    for (auto& member : *object) remove_differing_members(member.value());
  }
}

// Durations stand in the texts of evidence, too: "confirmed by a second check after 635ms".
std::string without_times(const std::string& text) {
  std::string kept;
  bool is_number = false;
  for (const char c : text) {
    is_number = (c >= '0' && c <= '9') || (is_number && c >= 'a' && c <= 'z');
    if (!is_number) kept += c;
  }
  return kept;
}

}  // namespace

void check_same_report(json::value expected, json::value found) {
  remove_differing_members(expected);
  remove_differing_members(found);
  for (const char* key : {"run", "summary", "duplicates", "certificates"}) {
    CAPTURE(key);
    CHECK(json::serialize(found.at(key)) == json::serialize(expected.at(key)));
  }
  const json::array& links_found = found.at("links").as_array();
  const json::array& links_expected = expected.at("links").as_array();
  REQUIRE(links_found.size() == links_expected.size());
  for (std::size_t i = 0; i < links_found.size(); ++i) {
    const std::string evidence = json::serialize(links_expected[i].at("evidence"));
    CHECK(without_times(json::serialize(links_found[i].at("evidence"))) == without_times(evidence));
    json::object one = links_found[i].as_object();
    json::object other = links_expected[i].as_object();
    one.erase("evidence");
    other.erase("evidence");
    CHECK(json::serialize(one) == json::serialize(other));
  }
}

}  // namespace linkherd::tests
