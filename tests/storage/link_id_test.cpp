#include "storage/link_id.h"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "storage/verdict.h"

namespace linkherd::storage {
namespace {

TEST_CASE("a digest is SHA-256 in lower-case hexadecimal") {
  CHECK(content_digest("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(content_digest("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(content_digest(std::string(1'000'000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  CHECK(content_digest(std::string_view("a\0b", 3)) != content_digest("ab"));
}

TEST_CASE("a link id is the start of the digest of its href and never changes") {
  // These values are in every store. If this test fails, stores become unreadable.
  CHECK(LinkId::of_text("https://example.com/").to_hex() == "0f115db062b7c0dd030b16878c99dea5");
  CHECK(LinkId::of_text("").to_hex() == "e3b0c44298fc1c149afbf4c8996fb924");
}

TEST_CASE("the fragment of a URL is not part of the link id") {
  const auto plain = parser::Url::parse("https://example.com/");
  const auto fragment = parser::Url::parse("https://example.com/#section");
  const auto query = parser::Url::parse("https://example.com/?");
  REQUIRE(plain.has_value());
  REQUIRE(fragment.has_value());
  REQUIRE(query.has_value());
  CHECK(LinkId::of(*plain) == LinkId::of_text("https://example.com/"));
  CHECK(LinkId::of(*plain) == LinkId::of(*fragment));
  CHECK(LinkId::of(*plain) != LinkId::of(*query));
}

TEST_CASE("a link id survives hexadecimal and other text is no id") {
  const LinkId id = LinkId::of_text("https://example.com/");
  CHECK(LinkId::from_hex(id.to_hex()) == id);
  for (const std::string_view wrong :
       {"", "0f", "0f115db062b7c0dd030b16878c99dea", "0f115db062b7c0dd030b16878c99dea55",
        "0F115DB062B7C0DD030B16878C99DEA5", "0f115db062b7c0dd030b16878c99deag", "0f115db062b7c0dd 30b16878c99dea5"}) {
    CAPTURE(wrong);
    CHECK_FALSE(LinkId::from_hex(wrong).has_value());
  }
}

TEST_CASE("id ranges are adjacent and of about equal size") {
  for (const std::size_t count : {0U, 1U, 2U, 3U, 4U, 7U, 256U, 1000U}) {
    CAPTURE(count);
    const std::vector<IdRange> parts = split_ids(count);
    REQUIRE(parts.size() == std::clamp<std::size_t>(count, 1, 256));
    CHECK(parts.front().first == LinkId());
    CHECK_FALSE(parts.back().end.has_value());
    for (std::size_t i = 1; i < parts.size(); ++i) {
      REQUIRE(parts[i - 1].end == parts[i].first);
      const std::size_t width = std::size_t{parts[i].first.bytes[0]} - parts[i - 1].first.bytes[0];
      CHECK(width >= 256 / parts.size());
      CHECK(width <= 256 / parts.size() + 1);
    }
  }
}

TEST_CASE("a status code gives its reason") {
  CHECK(http_reason(404) == "http_404");
  CHECK(http_reason(999) == "http_999");
}

TEST_CASE("ids are indexed in insertion order and an equal id keeps its index") {
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

TEST_CASE("ids that differ only at their end are distinguished") {
  LinkIdTable table;  // all of them begin at the same slot
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
