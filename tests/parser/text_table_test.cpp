#include "parser/text_table.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

using namespace linkherd::parser;

TEST_CASE("an arena keeps texts of any length where they are") {
  TextArena arena;
  const std::string whole_chunk(std::size_t{1} << 18U, 'w'), more(3 * (std::size_t{1} << 18U) + 1, 'm');
  std::vector<std::pair<std::string_view, std::string>> added;
  for (const std::string& text : {std::string(), std::string("a\0b", 3), whole_chunk, std::string(), more,
                                  std::string("x"), std::string(4096, 'y')})
    added.emplace_back(arena.add(text), text);
  for (int i = 0; i < 100'000; ++i)
    added.emplace_back(arena.add("text " + std::to_string(i)), "text " + std::to_string(i));
  const TextArena moved = std::move(arena);
  for (const auto& [copy, text] : added) REQUIRE(copy == text);
}

TEST_CASE("a text table stores each text once under one index") {
  TextTable table;
  CHECK(table.intern("") == 0);
  CHECK(table.intern("a") == 1);
  CHECK(table.intern("") == 0);
  for (std::uint32_t i = 0; i < 10'000; ++i) REQUIRE(table.intern(std::to_string(i)) == i + 2);
  for (std::uint32_t i = 0; i < 10'000; ++i) REQUIRE(table.intern(std::to_string(i)) == i + 2);
  CHECK(table.size() == 10'002);
  CHECK(table.text(10'001) == "9999");
  CHECK(table.find("9999") == 10'001);
  CHECK_FALSE(table.find("10000"));
  CHECK_FALSE(TextTable().find("a"));

  TextTable other;
  other.intern("b");
  other.intern("a");
  CHECK(table.append(other) == std::vector<std::uint32_t>{10'002, 1});
  CHECK(table.text(10'002) == "b");
}

TEST_CASE("each of many texts is found again however full the table is") {
  TextTable table;
  constexpr std::uint32_t count = 349'500;  // two thirds of a power of two, nearly
  const auto text_of = [](std::uint32_t index) { return "https://a.cn/" + std::to_string(index); };
  for (std::uint32_t index = 0; index < count; ++index) table.intern(text_of(index));
  CHECK(table.size() == count);
  for (std::uint32_t index = 0; index < count; ++index) REQUIRE(table.intern(text_of(index)) == index);
}

TEST_CASE("paths appended from another table are found by their index") {
  using Path = std::vector<std::string>;
  const Path below{"Part", "Chapter"}, beside{"Part", "Part"}, other{"Chapter"};
  PathTable one, two;
  CHECK(one.intern({}) == 0);
  const std::uint32_t first = one.intern(below);
  const std::uint32_t second = two.intern(beside), third = two.intern(other);
  const std::uint32_t higher = one.append(two);
  CHECK(one.path(0).empty());
  CHECK(one.path(first) == below);
  CHECK(one.path(second + higher) == beside);
  CHECK(one.path(third + higher) == other);
}
