#include "storage/link_id_table.h"

#include <string>

#include <doctest/doctest.h>

namespace linkherd::storage {
namespace {

TEST_CASE("Ids have the numbers of their order and the same id has the same number") {
  constexpr std::size_t many = 10'000;
  const auto id = [](std::size_t i) { return LinkId::of_text(std::to_string(i)); };
  LinkIdTable table;
  CHECK_FALSE(table.find(id(0)).has_value());
  for (std::size_t i = 0; i < many; ++i) {
    const LinkIdTable::Added added = table.add(id(i));
    REQUIRE(added.number == i);
    REQUIRE(added.is_new);
  }
  CHECK(table.size() == many);
  for (std::size_t i = 0; i < many; ++i) {
    REQUIRE(table.find(id(i)) == i);
    REQUIRE(table.id(i) == id(i));
    const LinkIdTable::Added again = table.add(id(i));
    REQUIRE(again.number == i);
    REQUIRE_FALSE(again.is_new);
  }
  CHECK(table.size() == many);
  CHECK_FALSE(table.find(id(many)).has_value());
}

TEST_CASE("Ids that only differ at their end are kept apart") {
  LinkIdTable table;  // all of them begin their search in one slot
  for (std::uint8_t last = 0; last < 200; ++last) {
    LinkId id;
    id.bytes.back() = last;
    CHECK(table.add(id).number == last);
  }
  LinkId other;
  other.bytes.back() = 201;
  CHECK_FALSE(table.find(other).has_value());
}

}  // namespace
}  // namespace linkherd::storage
