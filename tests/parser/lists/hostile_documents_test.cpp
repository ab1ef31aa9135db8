// Tests that every reader takes linear time and memory for hostile lists and finds the links between.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "parser/lists/markdown/markdown_preprocessor.h"
#include "tests/parser/lists/extracted.h"
#include "tests/parser/lists/hostile_text.h"

using namespace linkherd::parser;

namespace {

const std::vector<std::string>& units() {
  using namespace std::literals;
  static const std::vector<std::string> all{"[",
                                            "]",
                                            "(",
                                            "![](",
                                            "[a](",
                                            "[a](<b",
                                            "<",
                                            "|",
                                            "> ",
                                            "- ",
                                            "1. ",
                                            "*a ",
                                            "**a",
                                            "_a",
                                            "*_",
                                            "`",
                                            "~~a ",
                                            "\\",
                                            "&",
                                            "&a;",
                                            "<!--",
                                            "<?",
                                            "<a ",
                                            "<a href=\"",
                                            "<a href=x>",
                                            "</a",
                                            "<b><p>",
                                            "<h1>",
                                            "<title>",
                                            "<script>",
                                            "[a](b '\n",
                                            "[a](b (c\n",
                                            "[a]: b\n'c\n",
                                            "[a]: <b\n",
                                            "[a]: b\n",
                                            "[a]\n",
                                            "[a]:",
                                            "[![",
                                            "a|b\n-|-\n",
                                            "```\n",
                                            "<div>\n",
                                            "a\n=\n",
                                            "> - ",
                                            "\0"s,
                                            "\0\n"s,
                                            "https://",
                                            "https://a",
                                            "https://a/(",
                                            "https://a/[1]",
                                            "https://a.b/;",
                                            "www.",
                                            "www.a.b/c;",
                                            "mailto:a;",
                                            "mailto:a@b.c;",
                                            "*https://a.b*",
                                            "&lt;https://a.b&gt;",
                                            "a:\n",
                                            "# a\n",
                                            "中",
                                            "（",
                                            "https://a.b/中",
                                            "{",
                                            "https://{a}/",
                                            "<img srcset='a,",
                                            "![a](b)",
                                            "[a](b)\n",
                                            "<meta http-equiv=refresh content='0;",
                                            "[^1]: a\n",
                                            "<x>",
                                            "https://a/<x>",
                                            "!!! a\n\n    ",
                                            "=== \"a\"\n    ```\n",
                                            "a\n    ```\n",
                                            "- a\n    ```\n",
                                            ":name: ",
                                            "[a](__A"};
  return all;
}

// Runs `work` in a separate process. Returns its additional peak memory, or infinity if it fails.
[[maybe_unused]] double peak_megabytes_of(const std::function<void()>& work) {
  std::size_t size = 0, resident_pages = 0;
  std::ifstream("/proc/self/statm") >> size >> resident_pages;
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(0);
  }
  int status = 1;
  rusage usage{};
  if (child < 0 || ::wait4(child, &status, 0, &usage) != child || status != 0) return HUGE_VAL;
  const double before = static_cast<double>(resident_pages) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  return static_cast<double>(usage.ru_maxrss) / 1024 - before / (1 << 20);
}

}  // namespace

TEST_CASE("repeated constructs take linear time in Markdown") {
  for (const std::string& unit : units()) {
    CAPTURE(unit);
    const std::vector<LinkOccurrence> links =
        links_of("[a](https://first.org/)\n\n" + repeated(unit), DocumentFormat::markdown);
    CHECK(has_url(links, "https://first.org/"));
  }
}

TEST_CASE("containers with an indented fence take linear time") {
  for (const char* const unit : {"- ", "1. ", "- a\n", "  - a\n", "\t", "    ", "    ~~~\n", "- ~~~\n", "!!! a\n"}) {
    CAPTURE(unit);
    const std::vector<LinkOccurrence> links = links_of(
        "a\n    ```\n\n[a](https://first.org/)\n\n" + repeated(unit, 2 * hostile_size), DocumentFormat::markdown);
    CHECK(has_url(links, "https://first.org/"));
  }
}

TEST_CASE("repeated constructs take linear time in HTML") {
  for (const std::string& unit : units()) {
    CAPTURE(unit);
    const std::vector<LinkOccurrence> links =
        links_of("<a href=https://first.org/>a</a>" + repeated(unit), DocumentFormat::html);
    CHECK(has_url(links, "https://first.org/"));
  }
}

TEST_CASE("repeated constructs take linear time in plain text") {
  for (const std::string& unit : units()) {
    CAPTURE(unit);
    const std::vector<LinkOccurrence> links =
        links_of("https://first.org/\n" + repeated(unit) + " https://last.org/", DocumentFormat::plain_text);
    CHECK(has_url(links, "https://first.org/"));
    CHECK(has_url(links, "https://last.org/"));
  }
}

TEST_CASE("thousands of brackets nest and close") {
  const std::string close = repeated("](b)", hostile_size / 2);
  CHECK(links_of(repeated("[", hostile_size / 4) + close, DocumentFormat::markdown).size() == 1);
  CHECK(links_of(repeated("![", hostile_size / 4) + close, DocumentFormat::markdown).size() > 1);
  CHECK(links_of(repeated("[", hostile_size / 2) + repeated("]", hostile_size / 2), DocumentFormat::markdown).empty());
}

TEST_CASE("a long definition that is used often costs no more than its length") {
  const std::string target = "https://x.org/" + repeated("&amp;", 500'000);
  const std::vector<LinkOccurrence> links =
      links_of("[a]: " + target + "\n\n" + repeated("[a] ", 500'000), DocumentFormat::markdown);
  REQUIRE(links.size() == 1);
  CHECK(links[0].offset == 5);
}

TEST_CASE("a hostile paragraph is scanned for bare URLs and its neighbours are parsed as Markdown") {
  const std::string hostile = repeated("[a](https://x.org 'b\n", 300'000);
  const std::vector<LinkOccurrence> links =
      links_of("[b](https://first.org)\n\n" + hostile + "\n\n[c](https://last.org)", DocumentFormat::markdown);
  REQUIRE(links.size() > 10'000);
  CHECK(format_link(links.front()) == "1:5:4 https://first.org [link] b");
  CHECK(links.back().text == "c");
  CHECK(links[1].element == LinkElement::bare);
}

TEST_CASE("preprocessing leaves honest Markdown unchanged") {
  std::string honest = "# Title\n\n";
  for (int i = 0; i < 5000; ++i) honest += "- [x] **[title (a) 'b'](https://x.org/a 'title')** @ name\n";
  CHECK(preprocess_markdown(honest) == honest);
  std::string paragraph;
  for (int i = 0; i < 5000; ++i) paragraph += "[title](https://x.org/a)  \n";
  CHECK(preprocess_markdown(paragraph) == paragraph);
  const std::string hostile = repeated("[a](b (\n");
  CHECK(preprocess_markdown(hostile).size() == hostile.size());
  CHECK(preprocess_markdown(hostile) != hostile);
}

TEST_CASE("no link of a long paragraph is lost whatever it costs to parse") {
  struct Row {
    std::string unit;
    std::size_t count;
    std::size_t links;  // links in each unit
  };
  for (const Row& row : std::vector<Row>{{"[x](a.md)\n", 5000, 1},
                                         {"[x](https://a.org/b)\n", 60'000, 1},
                                         {"> [x](a.md)\n", 60'000, 1},
                                         {"|[x](a.md)|y|\n", 5000, 1},
                                         {"![x](a.png) and [y](u.md \"t\")\n", 5000, 2},
                                         {"[x](a.md) (as said) 'b'\n", 40'000, 1},
                                         {"[a]: https://a.org/b\n", 60'000, 1}}) {
    CAPTURE(row.unit);
    ExtractOptions options;
    options.include_local = true;
    const std::string text = repeated(row.unit, row.unit.size() * row.count);
    const std::vector<LinkOccurrence> links = extract_links({"list.md", text, DocumentFormat::markdown}, options);
    CHECK(links.size() == row.links * row.count);
    const auto is_bare = [](const LinkOccurrence& link) { return link.element == LinkElement::bare; };
    // An unused definition is not a Markdown link, but its URL is still found.
    CHECK((std::ranges::none_of(links, is_bare) || row.unit.starts_with("[a]:")));
    CHECK(links.back().line == row.count);
  }
}

TEST_CASE("texts and headings are cut") {
  const std::string words = repeated("中文 ", 100'000);
  const std::vector<LinkOccurrence> links =
      links_of("# " + words + "\n\n[" + words + "](https://x.org)", DocumentFormat::markdown);
  REQUIRE(links.size() == 1);
  CHECK(links[0].text.size() <= 1000);
  CHECK(links[0].heading().size() <= 200);
  CHECK(links[0].text.starts_with("中文 中文"));
}

#ifndef __SANITIZE_ADDRESS__  // its own memory would count
TEST_CASE("10 MB of HTML take at most 450 MB for any number of links") {
  struct Row {
    std::string head, unit;
    bool is_read_in_part = false;
  };
  for (const Row& row : std::vector<Row>{{"<a href=x ping='", "a ", true},
                                         {"<img srcset='", "a, ", true},
                                         {"<style>", "url(a)"},
                                         {"<p>", "<img src=x>"},
                                         {"<p>", "<a href=x>y</a>"},
                                         {"<p>", "http://a.b "},
                                         {"<p>", "<h2><a href=x rel=y>z</a>"}}) {
    CAPTURE(row.head + row.unit);
    CHECK(peak_megabytes_of([&row] {
            const std::string text = row.head + repeated(row.unit, 10'000'000) + "'></style>";
            std::size_t links = 0;
            for_each_link({"list.html", text, DocumentFormat::html}, {}, [&links](const LinkOccurrence&) { ++links; });
            const std::size_t min_links = row.is_read_in_part ? 1000 : 10'000'000 / row.unit.size() - 1;
            if (links < min_links) std::abort();
          }) < 450);
  }
}
#endif

TEST_CASE("a million open brackets are parsed as one level") {
  const std::string brackets = repeated("[", 1'000'000);
  for (const DocumentFormat format :
       {DocumentFormat::json, DocumentFormat::yaml, DocumentFormat::toml, DocumentFormat::markdown,
        DocumentFormat::html, DocumentFormat::plain_text, DocumentFormat::org, DocumentFormat::notebook}) {
    CAPTURE(enum_name(document_format_names, format));
    CHECK(links_of(brackets, format).empty());
  }
  const std::vector<LinkOccurrence> links =
      links_of(repeated("{\"a\":[", 1'000'000) + "\"https://x.org\"", DocumentFormat::json);
  CHECK(links.size() == 1);
}

TEST_CASE("a hundred thousand nested quotes hide no link after them") {
  const std::vector<LinkOccurrence> links =
      links_of(repeated("> ", 200'000) + "a\n\n[b](https://x.org)", DocumentFormat::markdown);
  REQUIRE(links.size() == 1);
  CHECK(links[0].line == 3);
}

TEST_CASE("many ignore comments take linear time") {
  const std::vector<LinkOccurrence> links =
      links_of(repeated("<!-- linkherd-ignore-next-line --> <!-- linkherd-ignore-line --> https://x.org\n") +
                   repeated("<!-- linkherd-ignore-line --> "),
               DocumentFormat::html);
  REQUIRE(links.size() > 1000);
  CHECK(std::ranges::all_of(links, [](const LinkOccurrence& link) { return !link.ignored_by.empty(); }));
}

TEST_CASE("XML entities are not expanded") {
  std::string bomb = "<!DOCTYPE a [<!ENTITY b0 'https://x.org/'>";
  for (int i = 1; i < 30; ++i)
    bomb += "<!ENTITY b" + std::to_string(i) + " '&b" + std::to_string(i - 1) + ";&b" + std::to_string(i - 1) + ";'>";
  bomb += "]><a>&b29; https://y.org &#104;ttps://z.org</a>";
  const std::vector<LinkOccurrence> links = links_of(bomb, DocumentFormat::xml);
  REQUIRE(links.size() == 2);
  CHECK(links[0].url == "https://y.org");
  CHECK(links[1].href == "https://z.org/");
}
