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

TEST_CASE("an archived repository says since when") {
  constexpr std::string_view page =
      "<div class=\"text-bold flash-full flash flash-warn\">\n  This repository has been archived by the owner on "
      "Nov 9, 2023. It is now read-only.\n</div>";
  const auto facts = facts_of("https://github.com/atom/atom", "https://github.com/atom/atom", page);
  REQUIRE(facts.size() == 1);
  CHECK(facts[0].kind == "archived");
  CHECK(facts[0].text == "the repository was archived by its owner on Nov 9, 2023: it is read-only");
  CHECK(facts_of("https://blog.cn/atom", "https://blog.cn/atom", page).empty());
}

TEST_CASE("a withdrawn paper is told by its comment or in place of its abstract and not by what it is about") {
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

TEST_CASE("redirects of GitHub tell renamed repositories and branches") {
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

TEST_CASE("redirects that rename nothing tell nothing") {
  CHECK(redirected("https://github.com/Torvalds/Linux", "https://github.com/torvalds/linux").empty());
  CHECK(redirected("https://github.com/a/b.git", "https://github.com/a/b").empty());
  CHECK(redirected("https://github.com/a/b/", "https://github.com/a/b").empty());
  CHECK(redirected("https://github.com/a/b/issues/new", "https://github.com/login?return_to=x").empty());
  CHECK(redirected("https://github.com/a/b/issues/new", "https://github.com/login/oauth").empty());
  CHECK(redirected("https://github.com/sponsors/a", "https://github.com/a/b").empty());
  CHECK(redirected("https://github.com/a/b", "https://gitlab.com/c/d").empty());
}
