#include "crawler/run/fragment_links.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

LinkTable table_of(const std::vector<std::string>& urls) {
  LinkTable table;
  std::uint32_t line = 0;
  for (const std::string& text : urls) {
    const parser::Url url = parser::Url::parse(text).value();
    const std::size_t link = table.find_or_add(storage::LinkId::of(url), url.href_without_fragment(), std::nullopt);
    parser::LinkOccurrence occurrence;
    occurrence.file = "list.md";
    occurrence.line = ++line;
    occurrence.url = occurrence.href = text;
    table.add_occurrence(link, occurrence);
  }
  return table;
}

storage::Snapshot page_at(const std::string& url) {
  storage::Snapshot page;
  page.status = 200;
  page.final_url = url;
  page.content_type = "text/html";
  return page;
}

PageAnchors anchors_named(std::vector<std::string> names) {
  PageAnchors anchors;
  anchors.names = std::move(names);
  anchors.is_html = anchors.is_whole = true;
  return anchors;
}

// The indices that FragmentLinks::evaluate() reports.
struct Reported {
  std::vector<std::size_t> made, changed;
  std::vector<storage::LinkId> replaced;

  explicit Reported(FragmentLinks& fragments)
      : replaced(fragments.evaluate([this](std::size_t index) { made.push_back(index); },
                                    [this](std::size_t index) { changed.push_back(index); })) {}
};

}  // namespace

TEST_CASE("a missing fragment becomes a dead link beside the link to its page") {
  RunLinks links(table_of({"https://a.cn/p", "https://a.cn/p#here", "https://a.cn/p#gone"}), nullptr);
  FragmentLinks fragments(links, nullptr, nullptr);
  REQUIRE(fragments.has_fragment(0));
  fragments.add(0, page_at("https://a.cn/p"), anchors_named({"here"}));
  const Reported reported(fragments);
  CHECK(reported.made == std::vector<std::size_t>{1});
  CHECK(reported.changed == std::vector<std::size_t>{0});
  CHECK(reported.replaced.empty());
  CHECK(links.table().occurrence_count(0) == 2);
  REQUIRE(links.table().verdict(1) != nullptr);
  CHECK(links.table().verdict(1)->health == storage::Health::dead);
  CHECK(links.href_to_fetch(1) == "https://a.cn/p#gone");
}

TEST_CASE("a link whose only fragment is missing is replaced") {
  RunLinks links(table_of({"https://a.cn/p#gone"}), nullptr);
  const storage::LinkId page = links.id(0);
  FragmentLinks fragments(links, nullptr, nullptr);
  fragments.add(0, page_at("https://a.cn/p"), anchors_named({"here"}));
  const Reported reported(fragments);
  CHECK(reported.made == std::vector<std::size_t>{0});
  CHECK(reported.changed.empty());
  CHECK(reported.replaced == std::vector{page});
  CHECK(links.size() == 1);
}

TEST_CASE("pages with all their fragments change nothing") {
  RunLinks links(table_of({"https://a.cn/p#here", "https://b.cn/p#!route"}), nullptr);
  FragmentLinks fragments(links, nullptr, nullptr);
  CHECK_FALSE(fragments.has_fragment(1));
  fragments.add(0, page_at("https://a.cn/p"), anchors_named({"here"}));
  const Reported reported(fragments);
  CHECK(reported.made.empty());
  CHECK(reported.changed.empty());
  CHECK(reported.replaced.empty());
}
