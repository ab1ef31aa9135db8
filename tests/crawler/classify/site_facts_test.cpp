#include "crawler/classify/site_facts.h"

#include <doctest/doctest.h>

#include "tests/crawler/classify/result_builder.h"

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

std::vector<storage::Fact> facts_of(const char* url, const char* final_url, std::string_view html) {
  FetchResult result = build({.url = url, .status = 200});
  result.final_url = parser::Url::parse(final_url).value();
  if (std::string_view(url) != final_url) result.redirects.push_back({url, 301, final_url});
  return site_facts(result, html);
}

std::vector<storage::Fact> redirected(const char* url, const char* final_url) { return facts_of(url, final_url, {}); }

}  // namespace

TEST_CASE("the fact about an archived repository has its date") {
  constexpr std::string_view page =
      "<div class=\"text-bold flash-full flash flash-warn\">\n  This repository has been archived by the owner on "
      "Nov 9, 2023. It is now read-only.\n</div>";
  const auto facts = facts_of("https://github.com/atom/atom", "https://github.com/atom/atom", page);
  REQUIRE(facts.size() == 1);
  CHECK(facts[0].kind == "archived");
  CHECK(facts[0].text == "the repository was archived by its owner on Nov 9, 2023: it is read-only");
  CHECK(facts_of("https://blog.cn/atom", "https://blog.cn/atom", page).empty());
}

TEST_CASE("a withdrawn paper is recognised by its comment or missing abstract and not by its subject") {
  const char* const url = "https://arxiv.org/abs/2401.00001";
  const auto comment = facts_of(url, url,
                                "<td class=\"tablecell comments mathjax\">This paper has been withdrawn by the author "
                                "due to an error in Lemma 2</td>");
  REQUIRE(comment.size() == 1);
  CHECK(comment[0].kind == "withdrawn");
  CHECK(comment[0].text == "the paper was withdrawn from arXiv");
  CHECK(facts_of(url, url, "<span class=\"descriptor\">Abstract:</span>This submission has been withdrawn by arXiv")
            .size() == 1);
  CHECK(facts_of(url, url, "<span class=\"descriptor\">Abstract:</span>Why papers are withdrawn. This paper has been")
            .empty());
}

TEST_CASE("GitHub redirects reveal renamed repositories and branches") {
  auto facts = redirected("https://github.com/facebook/zstd", "https://github.com/meta/zstd");
  REQUIRE(facts.size() == 1);
  CHECK(facts[0].kind == "renamed");
  CHECK(facts[0].text == "the repository facebook/zstd is now meta/zstd");

  facts = redirected("https://github.com/a/b/blob/master/README.md", "https://github.com/a/b/blob/main/README.md");
  REQUIRE(facts.size() == 1);
  CHECK(facts[0].kind == "branch_renamed");
  CHECK(facts[0].text == "the branch master is now main");

  CHECK(redirected("https://github.com/a/b/tree/master", "https://github.com/c/d/tree/main").size() == 2);
}

TEST_CASE("redirects that rename nothing reveal no fact") {
  CHECK(redirected("https://github.com/Torvalds/Linux", "https://github.com/torvalds/linux").empty());
  CHECK(redirected("https://github.com/a/b.git", "https://github.com/a/b").empty());
  CHECK(redirected("https://github.com/a/b/", "https://github.com/a/b").empty());
  CHECK(redirected("https://github.com/a/b/issues/new", "https://github.com/login?return_to=x").empty());
  CHECK(redirected("https://github.com/a/b/issues/new", "https://github.com/login/oauth").empty());
  CHECK(redirected("https://github.com/sponsors/a", "https://github.com/a/b").empty());
  CHECK(redirected("https://github.com/a/b", "https://gitlab.com/c/d").empty());
}

TEST_CASE("a file on main or master has a counterpart on the other branch") {
  struct Row {
    const char* link;
    const char* other;
    const char* path;
  };
  for (const Row& row : {Row{"https://github.com/a/b.c/blob/master/docs/x.md",
                             "https://github.com/a/b.c/blob/main/docs/x.md", "/main/docs/x.md"},
                         Row{"https://github.com/a/b/blob/main/x%20y.md?plain=1#L3",
                             "https://github.com/a/b/blob/master/x%20y.md?plain=1#L3", "/master/x%20y.md"},
                         Row{"https://www.github.com/a/b/tree/master", "https://www.github.com/a/b/tree/main", "/main"},
                         Row{"https://github.com/a/b/raw/refs/heads/master/x",
                             "https://github.com/a/b/raw/refs/heads/main/x", "/main/x"},
                         Row{"https://raw.githubusercontent.com/a/b/master/master/x.sh",
                             "https://raw.githubusercontent.com/a/b/main/master/x.sh", "/main/master/x.sh"},
                         Row{"https://raw.githubusercontent.com/a/b/refs/heads/main/x",
                             "https://raw.githubusercontent.com/a/b/refs/heads/master/x", "/master/x"}}) {
    CAPTURE(row.link);
    const auto other = other_branch(parser::Url::parse(row.link).value());
    REQUIRE(other.has_value());
    CHECK(other->url.href() == row.other);
    CHECK(other->path == row.path);
    CHECK(other->fact.kind == "branch_renamed");
    CHECK(other->fact.text.ends_with(std::string(": ") + row.other));
  }
  CHECK(other_branch(parser::Url::parse("https://github.com/a/b/blob/master/x").value())->fact.text ==
        "the file exists on the branch main: https://github.com/a/b/blob/main/x");
}

TEST_CASE("other links have no counterpart on another branch") {
  for (const char* link :
       {"https://github.com/a/b", "https://github.com/a/b/blob/v1.0/x", "https://github.com/a/b/blob/masterful/x",
        "https://github.com/a/b/issues/master", "https://github.com/master/main",
        "https://gitlab.com/a/b/blob/master/x", "https://github.com.evil.net/a/b/blob/master/x",
        "https://raw.githubusercontent.com/a/b/v1/master/x", "https://me:secret@github.com/a/b/blob/master/x",
        "https://github.com/a/b/blob/feature/master/x", "ftp://github.com/a/b/blob/master/x"}) {
    CAPTURE(link);
    CHECK_FALSE(other_branch(parser::Url::parse(link).value()).has_value());
  }
}
