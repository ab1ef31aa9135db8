#include "reports/duplicates.h"

#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "parser/html/text_signature.h"
#include "report_fixture.h"

using namespace linkherd;
using namespace linkherd::reports;
using storage::CheckedLink;
using storage::Health;

namespace {

constexpr DuplicateScope across = DuplicateScope::across;

// Formats a group as one line: the layer, "?" if it is uncertain, and the occurrences of its entries.
std::string line_of(const DuplicateGroup& group) {
  std::string line(enum_name(duplicate_layer_names, group.layer));
  if (!group.is_certain) line += "?";
  for (const EntryLocation& entry : group.entries) {
    line += " " + entry.file + ":" + std::to_string(entry.line);
  }
  if (group.parallel_link_count > 0) line += " share " + std::to_string(group.parallel_link_count);
  return line;
}

std::vector<std::string> found(const LinksInMemory& links, DuplicateScope scope = across) {
  std::vector<std::string> lines;
  for (const DuplicateGroup& group : find_duplicates(links, scope)) lines.push_back(line_of(group));
  return lines;
}

using Lines = std::vector<std::string>;

// Adds an occurrence of a link, possibly with another spelling or a fragment.
void also(CheckedLink& link, std::string file, unsigned line, std::string href, std::string written = "") {
  link.result.occurrences.push_back(occurrence(std::move(file), line, 1, std::move(href)));
  if (!written.empty()) link.result.occurrences.back().url = std::move(written);
}

CheckedLink refused_link(std::string file, unsigned line, std::string url) {
  return link(std::move(file), line, std::move(url), verdict(Health::blocked, "http_403"));
}

using Families = std::vector<std::size_t>;

std::vector<std::size_t> no_other_pages(std::size_t files) { return std::vector<std::size_t>(files); }

// Returns the pages `first` to `first + number - 1` in `file`.
std::vector<Listing> listed(std::size_t file, std::size_t first, std::size_t number) {
  std::vector<Listing> listings;
  for (std::size_t page = first; page < first + number; ++page) listings.push_back({page, file});
  return listings;
}

std::vector<Listing> operator+(std::vector<Listing> some, const std::vector<Listing>& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

}  // namespace

TEST_CASE("three entries of one article are one group of the same address") {
  LinksInMemory links{refused_link("resources.md", 99, "https://zhuanlan.zhihu.com/p/622212228")};
  also(links[0], "bookmarks.txt", 151, "https://zhuanlan.zhihu.com/p/622212228");
  also(links[0], "bookmarks.txt", 160, "https://zhuanlan.zhihu.com/p/622212228");
  CHECK(found(links) == Lines{"address resources.md:99 bookmarks.txt:151 bookmarks.txt:160"});
  CHECK(found(links, DuplicateScope::within) == Lines{"address bookmarks.txt:151 bookmarks.txt:160"});
  CHECK(found(links, DuplicateScope::off).empty());

  LinksInMemory empty_fragment{refused_link("a.md", 1, "https://a.cn/x")};
  also(empty_fragment[0], "a.md", 2, "https://a.cn/x#");
  CHECK(found(empty_fragment) == Lines{"address a.md:1 a.md:2"});
  const std::vector<DuplicateGroup> groups = find_duplicates(links, across);
  CHECK(groups[0].shared_value == "https://zhuanlan.zhihu.com/p/622212228");
  CHECK(groups[0].is_certain);
}

TEST_CASE("only main links of entries are repeated and other links are counted") {
  using parser::LinkRole;
  const std::string url = "https://a.example.org/x";
  LinksInMemory links{alive("a.md", 1, url), alive("a.md", 9, "https://b.example.org/")};
  for (const auto& [line, role] :
       {std::pair(1U, LinkRole::secondary), std::pair(2U, LinkRole::mention), std::pair(3U, LinkRole::prose)}) {
    also(links[0], "a.md", line, url);
    links[0].result.occurrences.back().column = 40;
    links[0].result.occurrences.back().role = role;
  }
  also(links[1], "a.md", 10, "https://b.example.org/");
  links[1].result.occurrences.back().role = LinkRole::mention;
  CHECK(found(links).empty());
  CHECK(report_on(links, {.duplicates = across}).duplicate_mentions == 4);
  CHECK(found(links, DuplicateScope::mentions) ==
        Lines{"address a.md:1 a.md:1 a.md:2 a.md:3", "address a.md:9 a.md:10"});
  CHECK(report_on(links, {.duplicates = DuplicateScope::mentions}).duplicate_mentions == 0);
  CHECK(report_on(links, {.duplicates = DuplicateScope::off}).duplicate_mentions == 0);

  also(links[0], "b.md", 7, url);
  CHECK(found(links) == Lines{"address a.md:1 b.md:7"});
  CHECK(report_on(links, {.duplicates = across}).duplicate_mentions == 4);
  CHECK(found(links, DuplicateScope::within).empty());
}

TEST_CASE("mentions are counted once per location whether or not another entry is the same page") {
  const std::string url = "https://a.example/guide";
  LinksInMemory links{alive("a.md", 1, url), alive("z.md", 1, "https://other.example/")};
  for (const auto& [file, line] : {std::pair("b.md", 1U), std::pair("c.md", 4U), std::pair("b.md", 1U)})
    also(links[0], file, line, url);
  for (parser::LinkOccurrence& occurrence : links[0].result.occurrences) occurrence.role = parser::LinkRole::prose;
  CHECK(report_on(links, {.duplicates = across}).duplicate_mentions == 2);
  CHECK(report_on(links, {.duplicates = DuplicateScope::within}).duplicate_mentions == 0);
  CHECK(found(links, DuplicateScope::mentions) == Lines{"address a.md:1 b.md:1 c.md:4"});

  SUBCASE("another link is the same page") {
    links.push_back(alive("d.md", 1, "http://a.example/guide"));
    CHECK(report_on(links, {.duplicates = across}).duplicate_mentions == 3);
    CHECK(found(links).empty());
  }
  SUBCASE("one of them is a main link") {
    links[0].result.occurrences[1].role = parser::LinkRole::main;
    CHECK(report_on(links, {.duplicates = across}).duplicate_mentions == 2);
  }
  SUBCASE("one of them has another spelling") {
    links[0].result.occurrences[1].url = "HTTPS://a.example/guide";
    CHECK(report_on(links, {.duplicates = across}).duplicate_mentions == 2);
  }
}

TEST_CASE("counted mentions equal the groups of mentions") {
  LinksInMemory links{alive("a.md", 1, "https://a.example/guide"), alive("z.md", 1, "https://other.example/")};
  const char* const reached = "https://a.example/manual#all";
  std::size_t repeated = 3;
  also(links[0], "b.md", 1, "https://a.example/guide#install", "guide#install");
  also(links[0], "b.md", 2, "https://a.example/guide", "guide");
  also(links[0], "c.md", 3, "https://a.example/guide#install", "../guide#install");
  also(links[0], "c.md", 3, "https://a.example/guide#install", "../guide#install");
  also(links[0], "d.md", 4, "https://a.example/guide#use");
  also(links[0], "d.md", 5, "https://a.example/guide#");
  for (parser::LinkOccurrence& occurrence : links[0].result.occurrences) occurrence.role = parser::LinkRole::prose;
  SUBCASE("different fragments are no repetition") {}
  SUBCASE("a fragment of the final URL overrides them") {
    links[0].state.snapshot.final_url = reached;
    repeated = 5;
  }
  CHECK(report_on(links, {.duplicates = across}).duplicate_mentions == repeated);
  std::size_t in_groups = 0;
  for (const DuplicateGroup& group : find_duplicates(links, DuplicateScope::mentions))
    in_groups += group.entries.size() - 1;
  CHECK(in_groups == repeated);
}

TEST_CASE("spellings of one href are certain duplicates") {
  LinksInMemory links{alive("a.md", 1, "https://newsletter.example/p/x")};
  also(links[0], "a.md", 2, "https://newsletter.example/p/x", "newsletter.example/p/x");
  also(links[0], "a.md", 3, "https://newsletter.example/p/x", "HTTPS://Newsletter.example/p/x");
  CHECK(found(links) == Lines{"address a.md:1 a.md:2 a.md:3"});
}

TEST_CASE("equal text that resolves to two URLs is no duplicate") {
  LinksInMemory links{alive("a/x.html", 1, "https://a.example/page"), alive("b/x.html", 1, "https://b.example/page")};
  links[0].result.occurrences[0].url = links[1].result.occurrences[0].url = "/page";
  CHECK(found(links).empty());
}

TEST_CASE("safe normalisation joins URLs that differ only in escapes") {
  const LinksInMemory links{refused_link("a.md", 1, "https://a.example/%7Euser"),
                            refused_link("a.md", 2, "https://a.example/~user")};
  CHECK(found(links) == Lines{"address a.md:1 a.md:2"});
}

TEST_CASE("a redirector and its target are uncertain duplicates until a redirect or the content agrees") {
  const std::string wrapped = "https://link.zhihu.com/?target=https%3A//juejin.cn/post/7290740395913969705";
  const std::string target = "https://juejin.cn/post/7290740395913969705";
  SUBCASE("both refuse access") {
    const LinksInMemory links{refused_link("a.md", 143, wrapped), refused_link("b.txt", 7, target)};
    CHECK(found(links) == Lines{"equivalent? a.md:143 b.txt:7"});
    CHECK(find_duplicates(links, across)[0].shared_value == target);
  }
  SUBCASE("it redirects there") {
    const LinksInMemory links{redirected("a.md", 143, wrapped, target, 302), alive("b.txt", 7, target)};
    CHECK(found(links) == Lines{"equivalent a.md:143 b.txt:7"});
  }
  SUBCASE("it redirects there and the target refuses access") {
    LinksInMemory links{refused_link("a.md", 143, wrapped), refused_link("b.txt", 7, target)};
    links[0].state.snapshot.redirects.push_back({wrapped, 302, target});
    CHECK(found(links) == Lines{"equivalent a.md:143 b.txt:7"});
  }
  SUBCASE("it redirects there and other files have the target too") {
    LinksInMemory links{refused_link("a.md", 143, wrapped), refused_link("b.txt", 7, target)};
    links[0].state.snapshot.redirects.push_back({wrapped, 302, target});
    also(links[1], "a.md", 200, target);
    CHECK(found(links, DuplicateScope::within) == Lines{"equivalent a.md:143 a.md:200"});
  }
  SUBCASE("it redirects to a wall") {
    LinksInMemory links{refused_link("a.md", 143, wrapped), refused_link("b.txt", 7, target)};
    links[0].state.snapshot.redirects.push_back({wrapped, 302, "https://www.zhihu.com/account/unhuman"});
    CHECK(found(links) == Lines{"equivalent? a.md:143 b.txt:7"});
  }
}

TEST_CASE("URLs that differ in tracking are uncertain duplicates until the pages agree") {
  const std::string one = "https://a.example/x?utm_source=wechat";
  const std::string two = "https://a.example/x?utm_source=mail";
  const std::string plain = "https://a.example/x";
  struct Row {
    const char* name;
    LinksInMemory links;
    Lines groups;
  };
  const std::vector<Row> rows = {
      {"other content", {alive("a.md", 1, one, "d1"), alive("a.md", 2, two, "d2")}, {"equivalent? a.md:1 a.md:2"}},
      {"same content", {alive("a.md", 1, one, "d1"), alive("a.md", 2, two, "d1")}, {"equivalent a.md:1 a.md:2"}},
      {"redirected to the plain one",
       {redirected("a.md", 1, one, plain), alive("a.md", 2, plain)},
       {"equivalent a.md:1 a.md:2"}},
      {"one agrees, one does not",
       {redirected("a.md", 1, one, plain), alive("a.md", 2, plain, "d1"), alive("a.md", 3, two, "d2")},
       {"equivalent? a.md:1 a.md:2 a.md:3"}},
      {"both dead",
       {link("a.md", 1, one, verdict(Health::dead, "http_404")),
        link("a.md", 2, two, verdict(Health::dead, "http_404"))},
       {"equivalent? a.md:1 a.md:2"}},
      {"another parameter", {alive("a.md", 1, one), alive("a.md", 2, plain + "?id=2")}, {}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CHECK(found(row.links) == row.groups);
  }
}

TEST_CASE("the same final page joins only successfully fetched links") {
  const std::string home = "https://new.example/page";
  CHECK(found({redirected("a.md", 1, "https://old.example/page", home), alive("a.md", 2, home)}) ==
        Lines{"redirect a.md:1 a.md:2"});
  CHECK(found({redirected("a.md", 1, "https://old.example/1", home),
               redirected("a.md", 2, "https://older.example/1", home)}) == Lines{"redirect a.md:1 a.md:2"});
  LinksInMemory walled{refused_link("a.md", 1, "https://a.example/1"), refused_link("a.md", 2, "https://a.example/2")};
  for (CheckedLink& link : walled) link.state.snapshot.final_url = "https://a.example/login";
  CHECK(found(walled).empty());
  // Results of an earlier run are no evidence for this run.
  LinksInMemory older{redirected("a.md", 1, "https://old.example/page", home), alive("a.md", 2, home)};
  older[0].result.verdict = verdict(Health::deferred, "interrupted");
  CHECK(found(older).empty());
}

TEST_CASE("the same payload joins mirrors") {
  CHECK(found({alive("a.md", 1, "https://a.example/paper.pdf", "d"), alive("a.md", 2, "https://b.example/p", "d")}) ==
        Lines{"content a.md:1 a.md:2"});
  CHECK(find_duplicates({alive("a.md", 1, "https://a.example/1", "d"), alive("a.md", 2, "https://b.example/2", "d")},
                        across)[0]
            .shared_value == storage::content_digest("d"));
  CHECK(found({alive("a.md", 1, "https://a.example/1"), alive("a.md", 2, "https://b.example/2")}).empty());  // no body
}

TEST_CASE("a body shared by many pages or by a missing page is a template") {
  LinksInMemory links;
  for (unsigned i = 0; i < 3; ++i)
    links.push_back(alive("a.md", i, "https://app.example/" + std::to_string(i), "shell"));
  CHECK(found(links) == Lines{"content a.md:0 a.md:1 a.md:2"});
  links.push_back(alive("a.md", 3, "https://app.example/3", "shell"));
  CHECK(found(links).empty());

  LinksInMemory missing{alive("a.md", 1, "https://a.example/1", "sorry"),
                        alive("a.md", 2, "https://a.example/2", "sorry"),
                        link("a.md", 3, "https://a.example/3", verdict(Health::dead, "http_404"))};
  missing[2].state.snapshot.body_digest = storage::content_digest("sorry");
  CHECK(found(missing).empty());
}

TEST_CASE("a shared template joins none of the links that are listed twice") {
  LinksInMemory links;
  for (unsigned i = 0; i < 6; ++i)
    links.push_back(alive("a.md", i, "https://app.example/" + std::to_string(i), "shell"));
  for (const std::size_t twice : {1U, 4U})
    also(links[twice], "b.md", static_cast<unsigned>(twice), links[twice].state.url);
  CHECK(found(links) == Lines{"address a.md:1 b.md:1", "address a.md:4 b.md:4"});
}

TEST_CASE("many spellings of one page are no template") {
  LinksInMemory links;
  for (unsigned i = 0; i < 6; ++i) {
    links.push_back(alive("a.md", i, "https://a.example/x?utm_campaign=" + std::to_string(i), "d"));
  }
  CHECK(found(links) == Lines{"equivalent a.md:0 a.md:1 a.md:2 a.md:3 a.md:4 a.md:5"});
}

namespace {

// Returns a text of `words` words. Texts with the same start share words.
std::string numbered_words(int first, int words) {
  std::string text;
  for (int i = first; i < first + words; ++i) text += "word" + std::to_string(i) + " ";
  return text;
}

CheckedLink read_page(unsigned line, std::string url, const std::string& title, const std::string& text) {
  CheckedLink made = alive("a.md", line, std::move(url));
  made.state.snapshot.body_digest = storage::content_digest("body " + std::to_string(line));
  if (!title.empty()) made.state.snapshot.metadata.title = {title, "title", 0.9};
  made.state.snapshot.main_text = parser::compute_signature(text);
  return made;
}

CheckedLink with_canonical(CheckedLink link, std::string canonical, std::string source = "link:canonical") {
  link.state.snapshot.metadata.canonical = {std::move(canonical), std::move(source), 0.9};
  return link;
}

const std::string article = numbered_words(0, 200);
const std::string edited_article = numbered_words(5, 200);
const std::string other_article = numbered_words(1000, 200);

}  // namespace

TEST_CASE("other URLs of a page are uncertain duplicates until redirects or content agree") {
  const std::string one = "http://www.a.example/x/index.html";
  const std::string two = "https://a.example/x";
  CHECK(found({refused_link("a.md", 1, one), refused_link("a.md", 2, two)}) == Lines{"equivalent? a.md:1 a.md:2"});
  CHECK(find_duplicates({refused_link("a.md", 1, one), refused_link("a.md", 2, two)}, across)[0].shared_value == two);
  CHECK(found({alive("a.md", 1, one, "d"), alive("a.md", 2, two, "d")}) == Lines{"equivalent a.md:1 a.md:2"});
  CHECK(found({redirected("a.md", 1, one, two), alive("a.md", 2, two)}) == Lines{"equivalent a.md:1 a.md:2"});
  CHECK(found({read_page(1, one, "A", article), read_page(2, two, "A", edited_article)}) ==
        Lines{"equivalent a.md:1 a.md:2"});
  CHECK(found({read_page(1, one, "A", article), read_page(2, two, "A", other_article)}).empty());
  CHECK(found({refused_link("a.md", 1, "https://www.zhihu.com/tardis/zm/art/7"),
               refused_link("a.md", 2, "https://zhuanlan.zhihu.com/p/7")}) == Lines{"equivalent? a.md:1 a.md:2"});
  // The less certain layer determines the name of the group.
  CHECK(found({refused_link("a.md", 1, two + "?utm_source=a"), refused_link("a.md", 2, two),
               refused_link("a.md", 3, one)}) == Lines{"equivalent? a.md:1 a.md:2 a.md:3"});
}

TEST_CASE("a canonical URL joins pages unless their texts contradict it") {
  const std::string home = "https://a.example/article";
  const auto copy = [&home](unsigned line, const std::string& text) {
    return with_canonical(read_page(line, "https://b.example/" + std::to_string(line), "A", text), home);
  };
  CHECK(found({copy(1, ""), read_page(2, home, "A", "")}) == Lines{"canonical? a.md:1 a.md:2"});
  CHECK(find_duplicates({copy(1, ""), read_page(2, home, "A", "")}, across)[0].shared_value == home);
  CHECK(found({copy(1, article), read_page(2, home, "A", edited_article)}) == Lines{"canonical a.md:1 a.md:2"});
  CHECK(found({copy(1, article), read_page(2, home, "A", other_article)}).empty());
  CHECK(found({copy(1, ""), copy(2, ""), copy(3, "")}) == Lines{"canonical? a.md:1 a.md:2 a.md:3"});
  CHECK(found({copy(1, ""), copy(2, ""), copy(3, ""), copy(4, ""), read_page(5, home, "A", "")}).empty());
  CHECK(found({with_canonical(read_page(1, "https://b.example/1", "A", ""), home, "meta:og:url"),
               read_page(2, home, "A", "")})
            .empty());
  CHECK(
      found({with_canonical(read_page(1, "https://b.example/1", "A", ""), "javascript:1"), read_page(2, home, "A", "")})
          .empty());
}

TEST_CASE("the same main text with the same title is the same page whatever surrounds it") {
  CHECK(found({read_page(1, "https://a.example/1", "The tale", article),
               read_page(2, "https://b.example/2", "the TALE!", article + " 12")}) == Lines{"content a.md:1 a.md:2"});
  CHECK(found({read_page(1, "https://a.example/1", "The tale", "too short"),
               read_page(2, "https://b.example/2", "The tale", "too short")})
            .empty());
  LinksInMemory shells;
  for (unsigned i = 1; i <= 4; ++i) {
    shells.push_back(read_page(i, "https://app.example/" + std::to_string(i), "App", article));
  }
  CHECK(found({shells[0], shells[1], shells[2]}) == Lines{"content a.md:1 a.md:2 a.md:3"});
  LinksInMemory dead{shells[0], shells[1]};
  dead[1].result.verdict = verdict(Health::dead, "http_404");
  CHECK(found(dead).empty());
}

TEST_CASE("nearly equal texts are duplicates but not what the pages of a host share") {
  const auto groups = find_duplicates({read_page(1, "https://a.example/1", "The tale", article),
                                       read_page(2, "https://b.example/2", "The tale, again", edited_article)},
                                      across);
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].layer == DuplicateLayer::near);
  CHECK(groups[0].is_certain);
  CHECK(groups[0].shared_value.starts_with("similarity 0."));
  CHECK(found({read_page(1, "https://a.example/1", "The tale", article),
               read_page(2, "https://a.example/2", "Another one", edited_article)})
            .empty());
  CHECK(found({read_page(1, "https://a.example/1", "The tale", article),
               read_page(2, "https://a.example/2", "The tale", edited_article)}) == Lines{"near a.md:1 a.md:2"});
  CHECK(found({read_page(1, "https://a.example/1", "The tale", article),
               read_page(2, "https://b.example/2", "The tale", other_article)})
            .empty());
  CHECK(found({read_page(1, "https://a.example/1#x", "The tale", article),
               read_page(2, "https://b.example/2#y", "The tale", edited_article)})
            .empty());
  LinksInMemory across_files{read_page(1, "https://a.example/1", "The tale", article),
                             read_page(2, "https://b.example/2", "The tale", edited_article)};
  across_files[1].result.occurrences[0].file = "b.md";
  CHECK(found(across_files, DuplicateScope::within).empty());
  CHECK(found(across_files) == Lines{"near a.md:1 b.md:2"});
}

TEST_CASE("a truncated body proves nothing") {
  LinksInMemory links{alive("a.md", 1, "https://a.example/1", "d"), alive("a.md", 2, "https://a.example/2", "d")};
  links[1].state.snapshot.is_body_complete = false;
  CHECK(found(links).empty());
}

TEST_CASE("entries that differ in their fragment are the same page but no duplicates") {
  LinksInMemory links{alive("a.md", 1, "https://a.example/doc#one", "d")};
  also(links[0], "a.md", 2, "https://a.example/doc#two");
  also(links[0], "a.md", 3, "https://a.example/doc");
  CHECK(found(links).empty());
  also(links[0], "a.md", 4, "https://a.example/doc#two");
  CHECK(found(links) == Lines{"address a.md:2 a.md:4"});
  links.push_back(redirected("b.md", 1, "https://old.example/doc#one", "https://a.example/doc"));
  CHECK(found(links) == Lines{"redirect a.md:1 b.md:1", "address a.md:2 a.md:4"});
  // The target of a redirect may have a fragment of its own.
  links.back().state.snapshot.final_url = "https://a.example/doc#two";
  CHECK(found(links) == Lines{"redirect a.md:2 a.md:4 b.md:1"});
}

TEST_CASE("a redirector's target keeps its fragment") {
  const LinksInMemory links{refused_link("a.md", 1, "https://link.zhihu.com/?target=https%3A//a.example/x%23part"),
                            refused_link("a.md", 2, "https://a.example/x#part"),
                            refused_link("a.md", 3, "https://a.example/x")};
  // The crawler treats the last two as one link. Here they are two, which gives the same result.
  CHECK(found(links) == Lines{"equivalent? a.md:1 a.md:2"});
}

TEST_CASE("a group is as certain as its weakest tie") {
  LinksInMemory links{alive("a.md", 1, "https://a.example/x", "d"),
                      redirected("a.md", 2, "https://b.example/x", "https://a.example/x"),
                      alive("a.md", 3, "https://c.example/x", "d")};
  also(links[0], "a.md", 4, "https://a.example/x");
  CHECK(found(links) == Lines{"content a.md:1 a.md:2 a.md:3 a.md:4"});
}

TEST_CASE("groups and entries come in the order of the lists") {
  LinksInMemory links{alive("z.md", 5, "https://a.example/"), alive("z.md", 9, "https://b.example/"),
                      alive("a.md", 1, "https://c.example/")};
  also(links[0], "a.md", 2, "https://a.example/");
  also(links[0], "z.md", 7, "https://a.example/");
  also(links[1], "z.md", 10, "https://b.example/");
  CHECK(found(links) == Lines{"address z.md:5 z.md:7 a.md:2", "address z.md:9 z.md:10"});
}

TEST_CASE("resources and forms and refreshes are no entries") {
  const auto elements = {parser::LinkElement::image, parser::LinkElement::resource, parser::LinkElement::form,
                         parser::LinkElement::refresh};
  for (const parser::LinkElement element : elements) {
    LinksInMemory links{alive("a.html", 1, "https://a.example/style.css")};
    also(links[0], "b.html", 1, "https://a.example/style.css");
    CHECK(found(links).size() == 1);
    links[0].result.occurrences[0].element = element;
    CHECK(found(links).empty());
  }
  LinksInMemory placeholders{link("a.md", 1, "https://example.com/", verdict(Health::skipped, "placeholder"))};
  placeholders[0].result.occurrences[0].notes.push_back(parser::LinkNote::placeholder);
  also(placeholders[0], "a.md", 2, "https://example.com/");
  CHECK(found(placeholders).empty());
  LinksInMemory mails{link("a.md", 1, "mailto:me@a.example", verdict(Health::skipped, "unsupported_scheme"))};
  also(mails[0], "a.md", 2, "mailto:me@a.example");
  CHECK(found(mails).empty());
}

TEST_CASE("an occurrence that is read twice is no duplicate") {
  LinksInMemory links{alive("a.md", 1, "https://a.example/")};
  also(links[0], "a.md", 1, "https://a.example/");
  CHECK(found(links).empty());
}

TEST_CASE("parallel lists are named once and repetitions inside them are kept") {
  LinksInMemory links;
  for (unsigned i = 1; i <= 12; ++i) {
    const std::string url = "https://a.example/" + std::to_string(i);
    links.push_back(refused_link("README.md", i, url));
    also(links.back(), "README.zh.md", i + 100, url);
  }
  CHECK(found(links) == Lines{"address README.md:1 README.zh.md:101 share 12"});
  CHECK(find_duplicates(links, across)[0].shared_value == "README.md, README.zh.md");
  CHECK(found(links, DuplicateScope::within).empty());

  also(links[4], "README.md", 50, "https://a.example/5");
  also(links[6], "notes.md", 1, "https://a.example/7");
  links.push_back(refused_link("README.zh.md", 200, "https://a.example/3?utm_source=x"));
  CHECK(found(links) == Lines{"address README.md:1 README.zh.md:101 share 12",
                              "equivalent? README.md:3 README.zh.md:103 README.zh.md:200",
                              "address README.md:5 README.md:50 README.zh.md:105",
                              "address README.md:7 README.zh.md:107 notes.md:1"});
}

TEST_CASE("unrepeated links count for the length and the order of files") {
  LinksInMemory links{refused_link("z.md", 1, "https://a.example/alone")};
  for (unsigned i = 1; i <= 12; ++i) {
    const std::string url = "https://a.example/" + std::to_string(i);
    links.push_back(refused_link("a.md", i, url));
    also(links.back(), "z.md", i + 100, url);
  }
  CHECK(found(links) == Lines{"address z.md:101 a.md:1 share 12"});  // z.md comes first
  for (unsigned i = 0; i < 10; ++i)
    links.push_back(refused_link("z.md", 200 + i, "https://b.example/" + std::to_string(i)));
  CHECK(found(links).size() == 1);
  links.push_back(refused_link("z.md", 300, "https://c.example/"));
  CHECK(found(links).size() == 12);
  links.back().result.occurrences[0].role = parser::LinkRole::mention;
  CHECK(found(links).size() == 1);
}

TEST_CASE("damaged and foreign input does not crash") {
  LinksInMemory links(4);
  links[1].state.url = "https://";
  links[2].result.occurrences.push_back(occurrence("a.md", 1, 1, ""));
  links[3] = alive("a\xff.md", 1, "https://a.example/");
  links[3].state.snapshot.final_url = "\xff not a url";
  links[3].state.snapshot.redirects.push_back({"", 301, "::"});
  CHECK(found(links).empty());
}

TEST_CASE("comparing 20000 links takes no quadratic time") {
  LinksInMemory links;
  for (unsigned i = 0; i < 20000; ++i) {
    links.push_back(alive("a.md", i,
                          "https://h" + std::to_string(i % 5000) + ".example/" + std::to_string(i / 2 * 2) +
                              (i % 2 == 0 ? "" : "?utm_source=x"),
                          "template"));
  }
  // Every second link equals the one before it, but is on another host.
  CHECK(found(links).empty());
  for (CheckedLink& link : links) link.state.snapshot.final_url = "https://one.example/";
  CHECK(find_duplicates(links, across).size() == 1);
}

TEST_CASE("files are parallel if they share more than half of each") {
  CHECK(parallel_families(listed(0, 0, 20) + listed(1, 0, 20), no_other_pages(2)) == Families{0, 0});
  CHECK(parallel_families(listed(0, 0, 20) + listed(1, 9, 20), no_other_pages(2)) == Families{0, 0});   // 11 of 20
  CHECK(parallel_families(listed(0, 0, 20) + listed(1, 10, 20), no_other_pages(2)) == Families{0, 1});  // exactly half
  CHECK(parallel_families(listed(0, 0, 12) + listed(1, 0, 40), no_other_pages(2)) ==
        Families{0, 1});  // part of a larger list
  CHECK(parallel_families(listed(0, 0, 11) + listed(1, 0, 11), {10, 10}) == Families{0, 0});
  CHECK(parallel_families(listed(0, 0, 11) + listed(1, 0, 11), {10, 11}) == Families{0, 1});
  CHECK(parallel_families({}, {}).empty());
}

TEST_CASE("few shared pages make no parallel lists") {
  CHECK(parallel_families(listed(0, 0, 9) + listed(1, 0, 9), no_other_pages(2)) == Families{0, 1});
  CHECK(parallel_families(listed(0, 0, 10) + listed(1, 0, 10), no_other_pages(2)) == Families{0, 0});
}

TEST_CASE("a page that is listed twice in a file counts once") {
  CHECK(parallel_families(listed(0, 0, 6) + listed(0, 0, 6) + listed(1, 0, 6) + listed(1, 0, 6), no_other_pages(2)) ==
        Families{0, 1});
}

TEST_CASE("forty translations are one family without an unrelated list between them") {
  std::vector<Listing> listings;
  for (std::size_t file = 0; file < 40; ++file) {
    listings = file == 20 ? listings + listed(file, 0, 5) + listed(file, 1000, 30) : listings + listed(file, 0, 50);
  }
  const Families families = parallel_families(listings, no_other_pages(40));
  for (std::size_t file = 0; file < 40; ++file) CHECK(families[file] == (file == 20 ? 20 : 0));
}

TEST_CASE("a page in very many files takes no quadratic time") {
  const std::size_t files = 50000;
  std::vector<Listing> listings;
  for (std::size_t file = 0; file < files; ++file) {
    listings.push_back({0, file});
    listings.push_back({1 + file, file});
  }
  const Families families = parallel_families(listings, no_other_pages(files));
  CHECK(families.back() == files - 1);
}
