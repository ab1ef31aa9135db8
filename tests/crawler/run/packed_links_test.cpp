#include "crawler/run/packed_links.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace linkherd;
using namespace linkherd::crawler;
using parser::LinkOccurrence;

namespace {

PlannedLink link_to(const std::string& url) {
  PlannedLink link;
  link.url = parser::Url::parse(url).value();
  link.id = storage::LinkId::of(*link.url);
  return link;
}

LinkOccurrence everything(const std::string& url) {
  LinkOccurrence occurrence;
  occurrence.file = "lists/中文.md";
  occurrence.line = UINT32_MAX;
  occurrence.column = 128;
  occurrence.offset = UINT64_MAX;
  occurrence.length = 1ULL << 35U;
  occurrence.url = url + "#Part";
  occurrence.href = url + "#part";
  occurrence.element = parser::LinkElement::wikilink;
  occurrence.text = std::string("a\0b", 3) + std::string(300, 'x');
  occurrence.heading = "Heading";
  occurrence.rel = "nofollow";
  occurrence.ignored_by = "linkherd-ignore";
  occurrence.notes = {parser::LinkNote::wrapped_line, parser::LinkNote::missing_scheme};
  return occurrence;
}

}  // namespace

TEST_CASE("what is packed comes out as it was") {
  PackedLinks links;
  CHECK(links.empty());
  PlannedLink first = link_to("https://a.cn/p");
  LinkOccurrence plain;
  plain.file = "a.md";
  plain.url = plain.href = "https://a.cn/p";
  LinkOccurrence respelled = plain;
  respelled.url = "HTTPS://a.cn/p";
  first.occurrences = {everything("https://a.cn/p"), plain, respelled};
  PlannedLink second;  // nothing to fetch
  second.id = storage::LinkId::of_text("mailto:x");
  second.verdict = storage::Verdict{
      .health = storage::Health::skipped, .reason = "unsupported_scheme", .rule = "scheme", .evidence = "e"};
  LinkOccurrence empty;
  empty.url = "mailto:x";
  second.occurrences = {empty};
  CHECK(links.push_back(first) == 0);
  CHECK(links.push_back(second) == 1);
  links.add_occurrence(0, plain);
  first.occurrences.push_back(plain);
  std::ranges::rotate(first.occurrences, first.occurrences.begin() + 1);  // what is to be ignored comes last

  REQUIRE(links.size() == 2);
  for (const auto& [number, expected] : {std::pair<std::size_t, const PlannedLink&>{0, first}, {1, second}}) {
    const PlannedLink link = links[number];
    CHECK(link.id == expected.id);
    CHECK(link.url == expected.url);
    CHECK(link.verdict == expected.verdict);
    CHECK(link.occurrences == expected.occurrences);
    CHECK(links.occurrences(number) == expected.occurrences);
    CHECK(links.find(expected.id) == number);
  }
  CHECK(links.verdict(0) == nullptr);
  links.replace(1, first.url, std::nullopt);
  CHECK(links[1].url == first.url);
  CHECK_FALSE(links[1].verdict);
  CHECK(links[1].occurrences == second.occurrences);
  links.replace(0, std::nullopt, second.verdict);
  CHECK_FALSE(links[0].url);
  CHECK(links[0].occurrences == first.occurrences);
  CHECK_FALSE(links.find(storage::LinkId::of_text("other")));
}

TEST_CASE("every one of many links is found and texts above a chunk have room") {
  PackedLinks links;
  CHECK_FALSE(links.find(storage::LinkId::of_text("x")));
  constexpr std::size_t count = 5000;
  const auto url = [](std::size_t i) { return "https://h" + std::to_string(i % 77) + ".cn/" + std::to_string(i); };
  for (std::size_t i = 0; i < count; ++i) {
    PlannedLink link = link_to(url(i));
    LinkOccurrence occurrence;
    occurrence.file = "list" + std::to_string(i % 3);
    occurrence.url = occurrence.href = url(i);
    if (i % 1000 == 0) occurrence.text = std::string(2'000'000, static_cast<char>('a' + i / 1000));
    link.occurrences = {occurrence};
    links.push_back(link);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto parsed = parser::Url::parse(url(i)).value();
    REQUIRE(links.find(storage::LinkId::of(parsed)) == i);
    REQUIRE(links[i].url == parsed);
    REQUIRE(links[i].occurrences.at(0).href == url(i));
    REQUIRE(links[i].occurrences.at(0).text.size() == (i % 1000 == 0 ? 2'000'000U : 0U));
  }
}
