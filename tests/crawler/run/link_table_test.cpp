#include "crawler/run/link_table.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "crawler/run/run_links.h"

using namespace linkherd;
using namespace linkherd::crawler;
using parser::LinkOccurrence;

namespace {

struct Planned {
  storage::LinkId id;
  std::string href;
  std::optional<storage::Verdict> verdict;
  std::vector<LinkOccurrence> occurrences;
};

Planned link_to(const std::string& url) {
  return {.id = storage::LinkId::of(parser::Url::parse(url).value()), .href = url, .verdict = {}, .occurrences = {}};
}

std::size_t add(LinkTable& links, const Planned& link) {
  const std::size_t number = links.find_or_add(link.id, link.href, link.verdict);
  for (const LinkOccurrence& occurrence : link.occurrences) links.add_occurrence(number, occurrence);
  return number;
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
  occurrence.headings = {"Part", "Heading"};
  occurrence.entry = UINT32_MAX;
  occurrence.role = parser::LinkRole::mention;
  occurrence.rel = "nofollow";
  occurrence.ignored_by = "linkherd-ignore";
  occurrence.notes = {parser::LinkNote::wrapped_line, parser::LinkNote::missing_scheme};
  return occurrence;
}

}  // namespace

TEST_CASE("a link table returns links and occurrences unchanged") {
  LinkTable links;
  CHECK(links.empty());
  Planned first = link_to("https://a.cn/p");
  LinkOccurrence plain;
  plain.file = "a.md";
  plain.url = plain.href = "https://a.cn/p";
  LinkOccurrence respelled = plain;
  respelled.url = "HTTPS://a.cn/p";
  first.occurrences = {everything("https://a.cn/p"), plain, respelled};
  Planned second;  // no link to fetch
  second.id = storage::LinkId::of_text("mailto:x");
  second.verdict = storage::Verdict{
      .health = storage::Health::skipped, .reason = "unsupported_scheme", .rule = "scheme", .evidence = "e"};
  LinkOccurrence empty;
  empty.url = "mailto:x";
  second.occurrences = {empty};
  CHECK(add(links, first) == 0);
  CHECK(add(links, second) == 1);
  links.add_occurrence(0, plain);
  first.occurrences.push_back(plain);
  std::ranges::rotate(first.occurrences, first.occurrences.begin() + 1);  // ignored occurrences come last

  REQUIRE(links.size() == 2);
  for (const auto& [number, expected] : {std::pair<std::size_t, const Planned&>{0, first}, {1, second}}) {
    CHECK(links.id(number) == expected.id);
    CHECK(links.href(number) == expected.href);
    CHECK((links.verdict(number) != nullptr) == expected.verdict.has_value());
    if (expected.verdict) CHECK(*links.verdict(number) == *expected.verdict);
    CHECK(links.occurrences(number) == expected.occurrences);
    CHECK(links.find(expected.id) == number);
  }
  CHECK(links.verdict(0) == nullptr);
  links.set_verdict(1, std::nullopt);
  CHECK(links.verdict(1) == nullptr);
  CHECK(links.occurrences(1) == second.occurrences);
  links.set_verdict(0, second.verdict);
  CHECK(*links.verdict(0) == *second.verdict);
  CHECK(links.occurrences(0) == first.occurrences);
  CHECK(links.occurrences(0, 1) == std::vector{links.occurrences(0).front()});
  CHECK_FALSE(links.find(storage::LinkId::of_text("other")));
}

TEST_CASE("a link without a fetch is emitted with its first occurrence that is not ignored") {
  LinkTable table;
  const auto add = [&table](std::string_view href, const std::optional<storage::Verdict>& verdict) {
    const std::size_t link =
        table.find_or_add(storage::LinkId::of_text(href), verdict ? std::string_view() : href, verdict);
    for (const char* const file : {"ignored.md", "1.md", "2.md"}) {
      LinkOccurrence occurrence;
      occurrence.file = file;
      occurrence.url = href;
      if (occurrence.file == "ignored.md") occurrence.ignored_by = "linkherd-ignore";
      table.add_occurrence(link, occurrence);
    }
  };
  add("a.md", storage::without_request(storage::Health::alive, storage::reason::ok, "file", "a.md is there"));
  add("https://a.cn/", std::nullopt);
  const RunLinks links(std::move(table), nullptr);
  std::size_t visited = 0;
  std::mutex visiting;  // the calls come from several threads
  links.for_each_result([&](std::span<const storage::NumberedResult> batch) {
    const std::lock_guard lock(visiting);
    for (const auto& [number, result] : batch) {
      ++visited;
      CHECK(result.occurrence_count == 3);
      REQUIRE(result.occurrences.size() == (number == 0 ? 1 : 3));
      CHECK(result.first.file == "1.md");
      CHECK(result.url == (number == 0 ? "a.md" : "https://a.cn/"));
      CHECK(links.at(number).result.occurrences.back().file == "ignored.md");
    }
  });
  CHECK(visited == 2);
}

TEST_CASE("equal occurrences share their text and keep it when others are removed") {
  const std::string url = "https://a.cn/p";
  const auto occurrence_in = [&url](std::uint32_t line, const std::string& text) {
    LinkOccurrence occurrence;
    occurrence.file = "a.md";
    occurrence.line = line;
    occurrence.url = occurrence.href = url;
    occurrence.text = text;
    return occurrence;
  };
  Planned link = link_to(url);
  link.occurrences = {occurrence_in(1, "A"), occurrence_in(2, "A"), occurrence_in(3, "B"), occurrence_in(4, "A"),
                      occurrence_in(5, "A")};
  LinkTable one, other;
  add(one, link);
  add(other, link);
  CHECK(one.append(other) == std::vector<std::uint32_t>{0});
  std::vector<LinkOccurrence> expected = link.occurrences;
  expected.insert(expected.end(), link.occurrences.begin(), link.occurrences.end());
  CHECK(one.occurrences(0) == expected);
  one.keep_only([](std::size_t) { return true; });
  CHECK(one.occurrences(0) == expected);
  // The first of several equal occurrences is removed.
  const auto is_moved = [](const LinkOccurrence& occurrence) { return occurrence.line == 1 || occurrence.line == 4; };
  const storage::Verdict gone =
      storage::without_request(storage::Health::dead, storage::reason::anchor_not_found, "anchor", "it does not exist");
  const auto goes_to = [&](const LinkOccurrence& occurrence) {
    return is_moved(occurrence) ? std::optional<std::size_t>(0) : std::nullopt;
  };
  CHECK(one.split(0, {{storage::LinkId::of_text("x"), "", gone}}, goes_to) == std::vector<std::size_t>{1});
  CHECK(one.occurrences(1).size() == 4);
  std::erase_if(expected, is_moved);
  CHECK(one.occurrences(0) == expected);
  CHECK(one.occurrence_count(0) == expected.size());
}

TEST_CASE("the links of one table are appended to another with their occurrences") {
  const auto occurrence_in = [](const std::string& file, const std::string& url, std::vector<std::string> headings) {
    LinkOccurrence occurrence;
    occurrence.file = file;
    occurrence.url = occurrence.href = url;
    occurrence.headings = std::move(headings);
    return occurrence;
  };
  const storage::Verdict ignored =
      storage::without_request(storage::Health::skipped, storage::reason::ignored, "list", "the list says so");
  LinkTable all, one, other;
  Planned first = link_to("https://a.cn/1");
  first.occurrences = {occurrence_in("one.md", first.href, {"Top", "Part"})};
  first.verdict = ignored;
  add(one, first);
  Planned second = link_to("https://a.cn/2");
  second.occurrences = {occurrence_in("other.md", second.href, {"Part"})};
  Planned again = link_to(first.href);
  again.occurrences = {occurrence_in("other.md", first.href, {"Top", "Else"}), occurrence_in("other.md", "x", {})};
  add(other, second);
  add(other, again);
  CHECK(all.append(one) == std::vector<std::uint32_t>{0});
  CHECK(all.append(other) == std::vector<std::uint32_t>{1, 0});
  REQUIRE(all.size() == 2);
  CHECK(all.href(0) == first.href);
  CHECK(all.verdict(0) == nullptr);  // one wanted occurrence is enough
  first.occurrences.insert(first.occurrences.end(), again.occurrences.begin(), again.occurrences.end());
  CHECK(all.occurrences(0) == first.occurrences);
  CHECK(all.occurrences(1) == second.occurrences);
}

TEST_CASE("removed links lose their occurrences") {
  LinkTable table;
  std::vector<Planned> links;
  for (const char* url : {"https://a.cn/1", "https://a.cn/2", "https://a.cn/3"}) {
    Planned link = link_to(url);
    LinkOccurrence occurrence;
    occurrence.file = "list.md";
    occurrence.url = occurrence.href = url;
    link.occurrences = {occurrence, occurrence};
    add(table, link);
    links.push_back(link);
  }
  table.keep_only([](std::size_t link) { return link != 1; });
  REQUIRE(table.size() == 2);
  CHECK_FALSE(table.find(links[1].id));
  CHECK(table.find(links[2].id) == std::size_t{1});
  CHECK(table.href(1) == links[2].href);
  CHECK(table.occurrences(1) == links[2].occurrences);
}

TEST_CASE("each of many links is found and texts larger than a chunk fit") {
  LinkTable links;
  CHECK_FALSE(links.find(storage::LinkId::of_text("x")));
  constexpr std::size_t count = 5000;
  const auto url = [](std::size_t i) { return "https://h" + std::to_string(i % 77) + ".cn/" + std::to_string(i); };
  for (std::size_t i = 0; i < count; ++i) {
    Planned link = link_to(url(i));
    LinkOccurrence occurrence;
    occurrence.file = "list" + std::to_string(i % 3);
    occurrence.url = occurrence.href = url(i);
    if (i % 1000 == 0) occurrence.text = std::string(2'000'000, static_cast<char>('a' + i / 1000));
    link.occurrences = {occurrence};
    add(links, link);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto parsed = parser::Url::parse(url(i)).value();
    REQUIRE(links.find(storage::LinkId::of(parsed)) == i);
    REQUIRE(links.href(i) == parsed.href());
    REQUIRE(links.occurrences(i).at(0).href == url(i));
    REQUIRE(links.occurrences(i).at(0).text.size() == (i % 1000 == 0 ? 2'000'000U : 0U));
  }
}
