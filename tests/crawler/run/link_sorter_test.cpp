#include "crawler/run/link_sorter.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "crawler/run/link_table_builder.h"
#include "storage/stored_values.h"
#include "tests/support/temp_dir.h"

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

// Creates lists that share links and link to existing and missing files.
std::vector<InputDocument> lists_in(const tests::TempDir& folder, int lists) {
  std::vector<InputDocument> documents;
  for (int list = 0; list < lists; ++list) {
    const std::string name = fmt::format("list{}.md", list);
    std::string text = fmt::format("# List {}\n\n[next](list{}.md#list-{}) [gone](gone.md)\n\n## Links\n\n", list,
                                   (list + 1) % lists, (list + 1) % lists);
    for (int link = 0; link < 40; ++link) {
      const int number = (list * 31 + link * 7) % 100;
      text += fmt::format("- [link {}](https://host{}.cn/{}#part{})\n", link, number % 9, number, list);
    }
    text += "\n[ignored](https://ignored.cn/) <!-- linkherd-ignore-line -->\n[mail](mailto:a@b.cn)\n";
    if (list == lists / 2) text += "\n[wanted](https://ignored.cn/)\n";
    const auto path = folder.write(name, text);
    documents.push_back({name, text, parser::DocumentFormat::markdown, path});
  }
  return documents;
}

struct Joined {
  LinkTable plan;
  LinkSorter::Count count;
  std::size_t visited = 0;
};

Joined sorted_and_joined(const std::vector<InputDocument>& documents, const std::optional<storage::Shard>& shard,
                         std::size_t in_memory, bool backwards) {
  LinkSorter sorter(shard, in_memory);
  LocalLinks local({});
  LinkTableOptions options;
  options.local = &local;
  options.take_part = [&sorter](const LinkTable& part, std::uint64_t order) { sorter.add(part, order); };
  CHECK(build_link_table(documents, options).empty());
  std::vector<LinkPart> links;
  Joined joined;
  joined.count = sorter.for_each([&links](const LinkPart& link) { links.push_back(link); });
  joined.visited = links.size();
  if (backwards) std::ranges::reverse(links);
  LinkJoiner joiner;
  for (const LinkPart& link : links) CHECK_FALSE(joiner.add(link).has_error());
  joined.plan = joiner.finish();
  return joined;
}

void check_same_link(const LinkTable& one, std::size_t at, const LinkTable& other, std::size_t number) {
  CHECK(one.id(at) == other.id(number));
  CHECK(one.href(at) == other.href(number));
  REQUIRE((one.verdict(at) == nullptr) == (other.verdict(number) == nullptr));
  if (one.verdict(at) != nullptr) CHECK(*one.verdict(at) == *other.verdict(number));
  CHECK(one.occurrence_count(at) == other.occurrence_count(number));
}

}  // namespace

TEST_CASE("a link table that is sorted and joined in parts equals the whole table") {
  const tests::TempDir folder;
  const std::vector<InputDocument> documents = lists_in(folder, 30);
  LocalLinks local({});
  LinkTableOptions options;
  options.local = &local;
  const LinkTable whole = build_link_table(documents, options);
  for (const std::size_t in_memory : {std::size_t{1}, std::size_t{5'000}, std::size_t{64} << 20}) {
    CAPTURE(in_memory);
    const Joined joined = sorted_and_joined(documents, std::nullopt, in_memory, in_memory == 1);
    CHECK(joined.count.all == whole.size());
    CHECK(joined.count.in_shard == whole.size());
    REQUIRE(joined.plan.size() == whole.size());
    for (std::size_t link = 0; link < whole.size(); ++link) {
      check_same_link(joined.plan, link, whole, link);
      if (in_memory > 1) CHECK(joined.plan.occurrences(link) == whole.occurrences(link));
      CHECK(joined.plan.find(whole.id(link)) == link);
    }
  }
}

TEST_CASE("a shard equals its part of the whole link table and knows the size of the other shards") {
  const tests::TempDir folder;
  const std::vector<InputDocument> documents = lists_in(folder, 10);
  LocalLinks local({});
  LinkTableOptions options;
  options.local = &local;
  const LinkTable whole = build_link_table(documents, options);
  std::size_t links = 0;
  for (std::uint32_t number = 1; number <= 3; ++number) {
    CAPTURE(number);
    LinkTable part = build_link_table(documents, options);
    keep_shard(part, number, 3);
    const Joined joined = sorted_and_joined(documents, storage::Shard{.number = number, .count = 3}, 5'000, false);
    CHECK(joined.count.all == whole.size());
    CHECK(joined.count.in_shard == part.size());
    REQUIRE(joined.plan.size() == part.size());
    for (std::size_t link = 0; link < part.size(); ++link) check_same_link(joined.plan, link, part, link);
    links += part.size();
  }
  CHECK(links == whole.size());
}

TEST_CASE("a link with very many occurrences and a list of very many links are sent in parts") {
  std::string text;
  for (int i = 0; i < 9'000; ++i) text += fmt::format("https://same.cn/ https://other{}.cn/{}\n", i % 7, i);
  const std::vector<InputDocument> documents{{"a.txt", text, parser::DocumentFormat::plain_text},
                                             {"b.txt", text, parser::DocumentFormat::plain_text},
                                             {"c.txt", text, parser::DocumentFormat::plain_text}};
  const LinkTable whole = build_link_table(documents, {});
  LinkSorter sorter(std::nullopt, std::size_t{1} << 20);
  std::mutex mutex;
  std::size_t max_occurrences = 0;
  LinkTableOptions options;
  options.take_part = [&](const LinkTable& part, std::uint64_t order) {
    {
      const std::scoped_lock lock(mutex);
      max_occurrences = std::max(max_occurrences, part.occurrence_count());
    }
    sorter.add(part, order);
  };
  static_cast<void>(build_link_table(documents, options));
  CHECK(max_occurrences == 10'000);
  for (int again = 0; again < 2; ++again) {
    LinkJoiner joiner;
    std::size_t visited = 0;
    sorter.for_each([&](const LinkPart& link) {
      ++visited;
      CHECK_FALSE(joiner.add(link).has_error());
    });
    CHECK(visited > whole.size());
    const LinkTable joined = joiner.finish();
    REQUIRE(joined.size() == whole.size());
    check_same_link(joined, 0, whole, 0);
    CHECK(joined.occurrences(0).size() == 27'000);
    check_same_link(joined, whole.size() - 1, whole, whole.size() - 1);
  }
}

TEST_CASE("invalid parts of a link table are refused") {
  const auto id = [](const char* text) { return storage::LinkId::of_text(text); };
  LinkJoiner joiner;
  CHECK_FALSE(joiner.add({id("https://a.cn/"), 2, "https://a.cn/", {}, {}}).has_error());
  CHECK_FALSE(joiner.add({id("x"), 1, "https://b.cn/", {}, {}}).has_error());
  CHECK_FALSE(joiner.add({id("file:///etc/passwd"), 0, "file:///etc/passwd", {}, {}}).has_error());
  CHECK_FALSE(joiner.add({id("HTTPS://A.cn"), 0, "HTTPS://A.cn", {}, {}}).has_error());
  CHECK_FALSE(joiner.add({id("nothing"), late_order, "", {}, {}}).has_error());
  CHECK(joiner.add({id("https://c.cn/"), 0, "https://c.cn/", "no verdict", {}}).has_error());
  CHECK(joiner.add({id("https://c.cn/"), 0, "https://c.cn/", {}, {"no places"}}).has_error());
  const LinkTable plan = joiner.finish();
  REQUIRE(plan.size() == 5);
  for (std::size_t link = 0; link < plan.size(); ++link) {
    const bool is_fetched = plan.href(link) == "https://a.cn/";
    CHECK((plan.verdict(link) != nullptr) != is_fetched);
  }
}
