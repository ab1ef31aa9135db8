#include "crawler/run/link_table_builder.h"

#include <map>
#include <set>
#include <stdexcept>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "parser/url/registrable_domain.h"
#include "tests/support/temp_dir.h"

using namespace linkherd;
using namespace linkherd::crawler;
using parser::LinkNote;

namespace {

LinkTable plan_of(std::string text) {
  std::vector<InputDocument> documents{{"list.md", std::move(text), parser::DocumentFormat::markdown}};
  return build_link_table(documents, {});
}

}  // namespace

TEST_CASE("a URL that is written three times is one link with three occurrences") {
  const LinkTable plan = plan_of("[a](https://a.cn/p/1)\n\n[b](https://A.cn/p/1)\n\n[c](https://a.cn/p/1#part)\n");
  REQUIRE(plan.size() == 1);
  CHECK(plan.occurrences(0).size() == 3);
  REQUIRE_FALSE(plan.href(0).empty());
  CHECK(plan.href(0) == "https://a.cn/p/1");
}

TEST_CASE("only the first occurrences of an endlessly repeated link are kept per file") {
  constexpr std::size_t repeats = LinkTable::max_occurrences_in_file + 5;
  std::string text;
  for (std::size_t i = 0; i < repeats; ++i) text += "[a](https://a.cn/p) [b](https://a.cn/{x})\n\n";
  const std::vector<InputDocument> documents{{"one.md", text, parser::DocumentFormat::markdown},
                                             {"two.md", "[a](https://a.cn/p)", parser::DocumentFormat::markdown}};
  const LinkTable plan = build_link_table(documents, {});
  REQUIRE(plan.size() == 2);
  CHECK(plan.occurrence_count(0) == LinkTable::max_occurrences_in_file + 1);
  CHECK(plan.occurrence_count(1) == LinkTable::max_occurrences_in_file);
}

TEST_CASE("a link id is that of the URL without fragment and without later normalisation") {
  const LinkTable plan = plan_of("[a](https://a.cn/p#x) [b](https://a.cn/p?utm_source=y) [c](http://a.cn/p)\n");
  REQUIRE(plan.size() == 3);
  const auto id = storage::LinkId::of(parser::Url::parse("https://a.cn/p").value());
  CHECK(plan.id(0) == id);
  CHECK(plan.id(1) != id);
  CHECK(plan.id(2) != id);
}

TEST_CASE("links that cannot be fetched get their verdict in the link table") {
  struct Row {
    const char* markdown;
    storage::Health health;
    std::string_view reason;
  };
  LinkTableOptions options;
  options.extract.include_local = true;
  const Row rows[] = {
      {"[n]()", storage::Health::skipped, storage::reason::empty_target},
      {"[m](mailto:a@b.cn)", storage::Health::skipped, storage::reason::unsupported_scheme},
      {"[f](ftp://ftp.gnu.org/x)", storage::Health::skipped, storage::reason::unsupported_scheme},
      {"[r](notes/other.md)", storage::Health::skipped, storage::reason::relative_link},
      {"[e](https://example.com/x)", storage::Health::skipped, storage::reason::placeholder},
      {"[b](https://[broken/x)", storage::Health::dead, storage::reason::invalid_url},
      {"[b](http::80)", storage::Health::dead, storage::reason::invalid_url},
      {"[b](http::StatusCode)", storage::Health::skipped, storage::reason::unsupported_scheme},
      {"[b](http::header::HeaderMap::get())", storage::Health::skipped, storage::reason::unsupported_scheme},
  };
  for (const Row& row : rows) {
    CAPTURE(row.markdown);
    const LinkTable plan = build_link_table({{"list.md", row.markdown, parser::DocumentFormat::markdown}}, options);
    REQUIRE(plan.size() == 1);
    REQUIRE(plan.verdict(0) != nullptr);
    CHECK(plan.verdict(0)->health == row.health);
    CHECK(plan.verdict(0)->reason == row.reason);
    CHECK_FALSE(plan.verdict(0)->evidence.empty());
  }
}

TEST_CASE("ignored and excluded links are skipped with their cause and not fetched") {
  LinkFilterOptions filters;
  filters.exclude = {{".linkherdignore:2", "intranet"}};
  const auto filter = LinkFilter::make(filters);
  REQUIRE(filter.has_value());
  std::vector<InputDocument> documents{
      {"list.md",
       "[a](https://intranet.cn/x)\n\n<!-- linkherd-ignore-next-line -->\n[b](https://b.cn/)\n\n"
       "[c](https://c.cn/)\n",
       parser::DocumentFormat::markdown}};
  LinkTableOptions options;
  options.filter = &*filter;
  const LinkTable plan = build_link_table(documents, options);
  REQUIRE(plan.size() == 3);
  REQUIRE(plan.verdict(0) != nullptr);
  CHECK(plan.verdict(0)->reason == storage::reason::excluded);
  CHECK(plan.verdict(0)->evidence == ".linkherdignore:2 matches: intranet");
  REQUIRE(plan.verdict(1) != nullptr);
  CHECK(plan.verdict(1)->health == storage::Health::skipped);
  CHECK(plan.verdict(1)->reason == storage::reason::ignored);
  CHECK(plan.verdict(2) == nullptr);
}

TEST_CASE("a link with one occurrence that is not ignored is checked") {
  for (const char* text : {"[b](https://b.cn/)\n\n<!-- linkherd-ignore-next-line -->\n[b](https://b.cn/)\n",
                           "<!-- linkherd-ignore-next-line -->\n[b](https://b.cn/)\n\n[b](https://b.cn/)\n"}) {
    const LinkTable plan = plan_of(text);
    REQUIRE(plan.size() == 1);
    CHECK(plan.verdict(0) == nullptr);
    REQUIRE_FALSE(plan.href(0).empty());
    REQUIRE(plan.occurrences(0).size() == 2);
    CHECK(plan.occurrences(0)[0].ignored_by.empty());
    CHECK_FALSE(plan.occurrences(0)[1].ignored_by.empty());
  }
}

TEST_CASE("remapped links are fetched at their new address") {
  LinkFilterOptions filters;
  filters.remap = {"^https://example\\.com http://127.0.0.1:8080", "^https://bad http://[", "^mailto: https://m.cn/"};
  const auto filter = LinkFilter::make(filters);
  REQUIRE(filter.has_value());
  std::vector<InputDocument> documents{{"list.md",
                                        "[a](https://example.com/x) [b](https://bad.cn/) [c](mailto:a@b.cn)\n",
                                        parser::DocumentFormat::markdown}};
  LinkTableOptions options;
  options.filter = &*filter;
  const LinkTable plan = build_link_table(documents, options);
  REQUIRE(plan.size() == 3);
  REQUIRE_FALSE(plan.href(0).empty());
  CHECK(plan.href(0) == "http://127.0.0.1:8080/x");
  CHECK(plan.verdict(0) == nullptr);
  CHECK(plan.occurrences(0)[0].url == "https://example.com/x");
  CHECK(plan.occurrences(0)[0].href == "http://127.0.0.1:8080/x");
  REQUIRE(plan.verdict(1) != nullptr);
  CHECK(plan.verdict(1)->reason == storage::reason::invalid_url);
  CHECK(plan.href(2) == "https://m.cn/a@b.cn");
}

TEST_CASE("mail addresses are judged by their syntax on request") {
  std::vector<InputDocument> documents{
      {"list.md", "[a](mailto:a@b.cn) [b](mailto:a@@b)\n", parser::DocumentFormat::markdown}};
  LinkTableOptions options;
  options.include_mail = true;
  const LinkTable plan = build_link_table(documents, options);
  REQUIRE(plan.size() == 2);
  CHECK(plan.verdict(0)->health == storage::Health::alive);
  CHECK(plan.verdict(1)->health == storage::Health::dead);
  CHECK(plan.verdict(1)->reason == storage::reason::invalid_mail_address);
}

TEST_CASE("links to files are resolved against the folder of their list and stay relative") {
  const tests::TempDir folder;
  folder.write("other.md", "# Here\n");
  const std::string text =
      "# Top\n\n[a](other.md) [b](./other.md#here) [c](other.md#gone) [d](gone.md) [e](#top) [f](#gone)\n"
      "[g](//cdn.cn/x) [h](news.cn/p/x) [i](other.md)\n";
  folder.write("list.md", text);
  std::vector<InputDocument> documents{{"list.md", text, parser::DocumentFormat::markdown, folder / "list.md"}};
  LocalLinks local({});
  LinkTableOptions options;
  options.local = &local;
  const LinkTable plan = build_link_table(documents, options);
  std::string seen;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const parser::LinkOccurrence first = plan.occurrences(i).front();
    const storage::Verdict* const verdict = plan.verdict(i);
    seen += first.url + " " + (verdict ? verdict->reason : std::string(plan.href(i))) + "\n";
    CHECK(first.href.find(folder.path().string()) == std::string::npos);
    CHECK(first.has(LinkNote::relative) == first.href.empty());
  }
  CHECK(seen ==
        "other.md ok\n./other.md#here ok\nother.md#gone anchor_not_found\ngone.md file_not_found\n#top ok\n"
        "#gone anchor_not_found\n//cdn.cn/x https://cdn.cn/x\nnews.cn/p/x file_not_found\n");
  CHECK(plan.occurrences(0).size() == 2);
}

TEST_CASE("a missing include that may be generated has another reason than an example address") {
  const tests::TempDir folder;
  folder.write(".git/x", "");
  folder.write(".gitignore", "/api/\n");
  folder.write("conf.py", "");
  const std::string text = ":doc:`api/x`, :doc:`gone`, :doc:`{x}` and `e <https://example.com/x>`_\n";
  folder.write("list.rst", text);
  LocalLinks local({});
  LinkTableOptions options;
  options.local = &local;
  const LinkTable plan =
      build_link_table({{"list.rst", text, parser::DocumentFormat::restructured_text, folder / "list.rst"}}, options);
  std::map<std::string, std::string> reasons;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    REQUIRE(plan.verdict(i) != nullptr);
    reasons[plan.occurrences(i).front().url] = plan.verdict(i)->reason;
  }
  CHECK(reasons == std::map<std::string, std::string>{{"api/x", "relative_link"},
                                                      {"gone", "file_not_found"},
                                                      {"{x}", "placeholder"},
                                                      {"https://example.com/x", "placeholder"}});
}

TEST_CASE("a target in AsciiDoc does not take the meaning that it has in Markdown") {
  const tests::TempDir folder;
  folder.write(".git/x", "");
  folder.write("images/p.png", "");
  const std::vector<InputDocument> documents{
      {"part/a.md", "![p](images/p.png)", parser::DocumentFormat::markdown, folder / "part/a.md"},
      {"part/b.adoc", "image::images/p.png[]", parser::DocumentFormat::asciidoc, folder / "part/b.adoc"}};
  LocalLinks local({});
  LinkTableOptions options;
  options.local = &local;
  const LinkTable plan = build_link_table(documents, options);
  REQUIRE(plan.size() == 2);
  CHECK(plan.verdict(0)->health == Health::dead);
  CHECK(plan.verdict(1)->health == Health::alive);
}

TEST_CASE("a page of the own site maps to its source file and other pages are fetched") {
  const tests::TempDir folder;
  folder.write("guide.md", "# Guide\n");
  const std::string text =
      "[a](https://own.cn/guide/) [b](guide.md) [c](https://own.cn/gone/) [d](https://own.cn.evil.cn/guide/)\n";
  folder.write("list.md", text);
  const std::vector<InputDocument> documents{{"list.md", text, parser::DocumentFormat::markdown, folder / "list.md"}};
  LocalLinks local({.sites = {{parser::Url::parse("https://own.cn").value(), folder.path().string()}}});
  LinkTableOptions options;
  options.local = &local;
  const LinkTable plan = build_link_table(documents, options);
  REQUIRE(plan.size() == 3);
  CHECK(plan.verdict(0)->reason == "ok");
  CHECK(plan.occurrences(0).size() == 2);
  CHECK(plan.occurrences(0).front().href == "https://own.cn/guide/");
  CHECK(plan.verdict(1)->reason == "file_not_found");
  CHECK(plan.verdict(2) == nullptr);
}

TEST_CASE("lists keep their order and know the anchors of each other") {
  const tests::TempDir folder;
  constexpr int count = 200;
  std::vector<InputDocument> documents;
  const auto name = [](int list) { return fmt::format("{}.html", list); };
  for (int i = 0; i < count; ++i) {
    const std::string text =
        fmt::format("<a id=own{0}></a><a href=https://a.cn/{0}>x</a><a href={1}#own{2}>y</a><a href={1}#gone>z</a>", i,
                    name((i + 1) % count), (i + 1) % count);
    folder.write(name(i), text);
    documents.push_back({name(i), text, parser::DocumentFormat::html, folder / name(i)});
  }
  LocalLinks local({});
  LinkTableOptions options;
  options.local = &local;
  const LinkTable plan = build_link_table(documents, options);
  REQUIRE(plan.size() == 3 * count);
  for (std::size_t i = 0; i < count; ++i) {
    CHECK(plan.href(3 * i) == fmt::format("https://a.cn/{}", i));
    CHECK(plan.verdict(3 * i + 1)->reason == storage::reason::ok);
    CHECK(plan.verdict(3 * i + 2)->reason == storage::reason::anchor_not_found);
    CHECK(plan.occurrences(3 * i + 2).front().file == documents[i].file);
  }
}

TEST_CASE("occurrences of a link are kept unchanged in list order") {
  const std::string lines =
      "- [one](https://a.cn/x?a=1&b=2), words\n- [other](https://a.cn/x?a=1&amp;b=2)\n## "
      "Part\n<https://a.cn/x?a=1&b=2>\n";
  std::string text;
  for (int i = 0; i < 2000; ++i) text += lines;  // more than fits into a segment of a plan
  std::vector<InputDocument> documents;
  for (const char* const name : {"b.md", "folder/a.md", "folder/b.md", "a.md"})
    documents.push_back({name, text, parser::DocumentFormat::markdown});
  std::vector<parser::LinkOccurrence> read;
  for (const InputDocument& document : documents) {
    parser::for_each_link({document.file, document.text, document.format}, {},
                          [&read](parser::LinkOccurrence& occurrence) { read.push_back(occurrence); });
  }
  const LinkTable plan = build_link_table(documents, {});
  REQUIRE(plan.size() == 1);
  const std::vector<parser::LinkOccurrence> planned = plan.occurrences(0);
  REQUIRE(planned.size() == 24'000);
  for (std::size_t i = 0; i < read.size(); ++i) REQUIRE(planned[i] == read[i]);
}

TEST_CASE("an occurrence may have any length and a list any name") {
  LinkTable plan;
  plan.find_or_add(storage::LinkId::of_text("a"), "https://a.cn/", std::nullopt);
  std::vector<parser::LinkOccurrence> added;
  for (const char* const file : {"", "/", "a.md", "docs/", "docs/a.md", "/docs/b.md", "-"}) {
    for (const std::size_t length : {std::size_t{0}, std::size_t{13}, std::size_t{14}, std::size_t{1} << 40U}) {
      for (const std::uint32_t entry : {0U, 1U, UINT32_MAX}) {
        parser::LinkOccurrence occurrence;
        occurrence.file = file;
        occurrence.url = occurrence.href = "https://a.cn/";
        occurrence.line = UINT32_MAX;
        occurrence.length = length;
        occurrence.entry = entry;
        plan.add_occurrence(0, occurrence);
        added.push_back(std::move(occurrence));
      }
    }
  }
  CHECK(plan.occurrences(0) == added);
  CHECK(plan.first_occurrence(0).file.empty());
}

TEST_CASE("an exception in a planner thread is thrown when lists are added or at the end") {
  LinkTableOptions options;
  options.take_part = [](const LinkTable& /*part*/, std::uint64_t /*order*/) { throw std::runtime_error("no room"); };
  const std::string text = "https://a.cn/\n" + std::string(10'000, '\n');
  CHECK_THROWS_AS(build_link_table({{"a.txt", text}}, options), std::runtime_error);
  CHECK_THROWS_AS(build_link_table(std::vector<InputDocument>(1000, {"a.txt", text}), options), std::runtime_error);
}

TEST_CASE("pages of a folder share resolved links except links to themselves") {
  const tests::TempDir folder;
  constexpr std::size_t count = 40;
  folder.write("a/there.html", "<p>there");
  std::vector<InputDocument> documents;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = fmt::format("{}/{}.html", i % 4 < 2 ? "a" : "b", i);
    const std::string text = fmt::format(
        "<a id={}></a><a href=there.html>t</a><a href=#x>own</a><a href='?q#x'>own</a>", i % 2 == 0 ? "x" : "y");
    folder.write(name, text);
    documents.push_back({name, text, parser::DocumentFormat::html, folder / name});
  }
  LocalLinks local({});
  LinkTableOptions options;
  options.local = &local;
  const LinkTable plan = build_link_table(documents, options);
  REQUIRE(plan.size() == 2 + count);
  for (std::size_t link = 0; link < plan.size(); ++link) {
    const std::vector<parser::LinkOccurrence> occurrences = plan.occurrences(link);
    const bool in_first_folder = occurrences.front().file.starts_with("a/");
    CAPTURE(occurrences.front().file);
    if (occurrences.front().url == "there.html") {
      CHECK(occurrences.size() == count / 2);
      CHECK(plan.verdict(link)->reason == (in_first_folder ? storage::reason::ok : storage::reason::file_not_found));
      continue;
    }
    REQUIRE(occurrences.size() == 2);
    CHECK(occurrences.back().url == "?q#x");
    CHECK(occurrences.front().file == occurrences.back().file);
    const bool has_anchor = std::stoul(occurrences.front().file.substr(2)) % 2 == 0;
    CHECK(plan.verdict(link)->reason == (has_anchor ? storage::reason::ok : storage::reason::anchor_not_found));
  }
}

TEST_CASE("a link resolves the same whatever anchors of its page come before it") {
  const std::vector<std::string> targets{"page.html#second",
                                         "page.html#gone",
                                         "page.html",
                                         "page.html#",
                                         "page.html#a b",
                                         "page.html#\u00FC",
                                         "page.html#%C3%BC",
                                         "page.html#{{ x }}",
                                         "page.html#${x}",
                                         "page.html#__name__",
                                         "page.html#%",
                                         "page.html#`b`",
                                         " page.html#second ",
                                         "page.html?q#second",
                                         "?q#second",
                                         "#second",
                                         "#gone",
                                         "#top",
                                         "#",
                                         "gone.html#second",
                                         "gone.html#other",
                                         "sub#second",
                                         "sub/#second",
                                         "sub/#other",
                                         "/page.html#second",
                                         "//page.html#second",
                                         "sub/../page.html#second",
                                         "PAGE.html#second",
                                         "page.html#L10",
                                         "page.html#/route",
                                         "page.html#a#b",
                                         "page.html#:~:text=x",
                                         "https://a.cn/p#x",
                                         "https://a.cn/p#y",
                                         "mailto:a@b.cn#x",
                                         "file:///page.html#second",
                                         "page&amp;x.html#second",
                                         "page.html#se&#99;ond",
                                         "sub/page.html#second"};
  const tests::TempDir folder;
  folder.write("index.html", "");
  folder.write("page.html", "<p id=first><p id=second><p id='a b'><p id=\u00FC>");
  folder.write("sub/index.html", "<p id=second>");
  folder.write("sub/page.html", "<p id=first>");
  LinkFilterOptions excluding;
  excluding.exclude = {{"--exclude", "#gone"}};
  const auto filter = LinkFilter::make(excluding);
  REQUIRE(filter.has_value());
  for (const std::string head :
       {"<p id=second>", "<base href='sub/'>", "<base href='https://a.cn/'>", "excluding", "# second\n"}) {
    CAPTURE(head);
    const bool is_markdown = head.starts_with('#');
    const auto plan_with = [&](const std::vector<std::string>& written) {
      std::string text = head;
      for (const std::string& target : written)
        text += is_markdown ? fmt::format("\n[x](<{}>)\n", target) : fmt::format("<a href=\"{}\">x</a>\n", target);
      LocalLinks local({});
      LinkTableOptions options;
      options.local = &local;
      if (head == "excluding") options.filter = &*filter;
      InputDocument document{"index.html", text, parser::DocumentFormat::html, folder / "index.html"};
      if (is_markdown) document.format = parser::DocumentFormat::markdown;
      if (!is_markdown) document.site = folder.path();
      return build_link_table({document}, options);
    };
    std::vector<std::string> all{"page.html#first", "#first", "gone.html#first", "sub/#first", "https://a.cn/p#z"};
    all.insert(all.end(), targets.begin(), targets.end());
    const LinkTable together = plan_with(all);
    for (const std::string& target : targets) {
      CAPTURE(target);
      const LinkTable alone = plan_with({target});
      REQUIRE(alone.size() == 1);
      const parser::LinkOccurrence expected = alone.occurrences(0).front();
      const std::optional<std::size_t> number = together.find(alone.id(0));
      REQUIRE(number.has_value());
      CHECK(together.href(*number) == alone.href(0));
      // A link that is invalid or excluded alone has the same verdict beside other links to that page.
      const storage::Verdict* const verdict = alone.verdict(0);
      const storage::Verdict* const other = together.verdict(*number);
      if (verdict == nullptr) CHECK(other == nullptr);
      if (verdict != nullptr && verdict->health != storage::Health::skipped) {
        REQUIRE(other != nullptr);
        CHECK(*other == *verdict);
      }
      const std::vector<parser::LinkOccurrence> occurrences = together.occurrences(*number);
      const auto same = std::ranges::find(occurrences, expected.url, &parser::LinkOccurrence::url);
      REQUIRE(same != occurrences.end());
      CHECK(same->href == expected.href);
      CHECK(same->notes == expected.notes);
    }
  }
}

TEST_CASE("links are recognised again beyond the size of the cache and in other spellings") {
  constexpr int links = 5000;
  const std::string tail(3000, 'x');
  const auto text_of = [&](std::string_view words) {
    std::string text;
    for (int i = 0; i < links; ++i) text += fmt::format("<a href=https://a.cn/{}>{}</a>\n", i, words);
    text += fmt::format("<a href=\"https://a.cn/{}?a&amp;b\">{}</a><a href=https://a.cn/{}?a&b>{}</a>\n", tail, words,
                        0, words);
    return text +
           "<a href=\"https://a.cn/0?a&amp;b\">again</a><a href=https://a.cn/0>0</a><a href=https://a.cn/0>1</a>\n";
  };
  std::vector<InputDocument> documents;
  for (int list = 0; list < 4; ++list)
    documents.push_back(
        {fmt::format("{}.html", list), text_of(list < 2 ? "one" : "other"), parser::DocumentFormat::html});
  const LinkTable plan = build_link_table(documents, {});
  REQUIRE(plan.size() == links + 2);
  for (std::size_t link = 0; link < plan.size(); ++link) {
    const std::vector<parser::LinkOccurrence> occurrences = plan.occurrences(link);
    const std::string href(plan.href(link));
    CAPTURE(href.substr(0, 40));
    const std::size_t on_a_page = link == 0 ? 3 : href == "https://a.cn/0?a&b" ? 2 : 1;
    REQUIRE(occurrences.size() == 4 * on_a_page);
    for (std::size_t i = 0; i < occurrences.size(); ++i) {
      CHECK(occurrences[i].file == fmt::format("{}.html", i / on_a_page));
      CHECK(occurrences[i].href == href);
      if (i % on_a_page == 0) CHECK(occurrences[i].text == (i / on_a_page < 2 ? "one" : "other"));
    }
    if (on_a_page == 2)
      CHECK((occurrences[0].url == "https://a.cn/0?a&b" && occurrences[1].url == "https://a.cn/0?a&amp;b"));
    if (on_a_page == 3) CHECK((occurrences[1].text == "0" && occurrences[2].text == "1"));
  }
}

TEST_CASE("the same file name in two folders gives two links") {
  const tests::TempDir folder;
  folder.write("a/other.md", "");
  std::vector<InputDocument> documents{
      {"a/list.md", "[x](other.md)\n", parser::DocumentFormat::markdown, folder / "a/list.md"},
      {"b/list.md", "[x](other.md) [y](../a/other.md)\n", parser::DocumentFormat::markdown, folder / "b/list.md"}};
  LocalLinks local({});
  LinkTableOptions options;
  options.local = &local;
  const LinkTable plan = build_link_table(documents, options);
  REQUIRE(plan.size() == 2);
  CHECK(plan.verdict(0)->reason == storage::reason::ok);
  CHECK(plan.occurrences(0).size() == 2);
  CHECK(plan.verdict(1)->reason == storage::reason::file_not_found);
}

TEST_CASE("links of a web list are resolved against its URL") {
  std::vector<InputDocument> documents{{"https://a.cn/x/list.md",
                                        "[a](b.md) [c](#here)\n",
                                        parser::DocumentFormat::markdown,
                                        {},
                                        parser::Url::parse("https://a.cn/x/list.md").value()}};
  LocalLinks local({});
  LinkTableOptions options;
  options.local = &local;
  const LinkTable plan = build_link_table(documents, options);
  REQUIRE(plan.size() == 1);
  CHECK(plan.href(0) == "https://a.cn/x/b.md");
}

TEST_CASE("a host without scheme becomes https in plain text and not in markup") {
  const LinkTable plan = plan_of("www.python.org/a [x](www.python.org/a)\n");
  REQUIRE(plan.size() == 2);
  CHECK(plan.href(0) == "https://www.python.org/a");
  CHECK(plan.href(1).empty());
  REQUIRE(plan.verdict(1) != nullptr);
  CHECK(plan.verdict(1)->health == storage::Health::skipped);
  CHECK(plan.verdict(1)->evidence.ends_with("; did you mean https://www.python.org/a?"));
}

TEST_CASE("shards have every link once and whole domains and the first has links without host") {
  std::string text = "[file](other.md) [mail](mailto:a@b.cn) [bad](https://)\n\n";
  for (int host = 0; host < 40; ++host) {
    for (const char* name : {"www", "api"})
      text += fmt::format("[a](https://{}.host{}.cn/1) [b](http://{}.host{}.cn:81/2)\n", name, host, name, host);
  }
  const std::size_t links = plan_of(text).size();
  std::map<std::string, std::set<std::uint32_t>> parts;
  std::size_t kept = 0;
  for (std::uint32_t number = 1; number <= 4; ++number) {
    LinkTable plan = plan_of(text);
    keep_shard(plan, number, 4);
    kept += plan.size();
    CHECK(plan.size() > 10);
    for (std::size_t link = 0; link < plan.size(); ++link) {
      const Result<parser::Url> url = parser::Url::parse(plan.href(link));
      if (url.has_error() || !url->is_http()) CHECK(number == 1);
      if (url.has_value() && url->is_http()) parts[parser::registrable_domain(*url)].insert(number);
    }
  }
  CHECK(kept == links);
  CHECK(parts.size() == 40);
  for (const auto& [domain, numbers] : parts) CHECK(numbers.size() == 1);
  CHECK(parts["host0.cn"] == std::set<std::uint32_t>{3});  // regardless of which part builds the plan
  LinkTable whole = plan_of(text);
  keep_shard(whole, 1, 1);
  CHECK(whole.size() == links);
}
