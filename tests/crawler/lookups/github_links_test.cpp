#include "crawler/lookups/github_links.h"

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

const Timestamp github_time = parse_timestamp("2026-11-01T00:00:00Z").value();

std::optional<GithubLink> link(const std::string& href) {
  return github_link(parser::Url::parse(href).value(), "github.com");
}

GithubResult result(const std::string& href, const std::string& json) {
  const std::vector<GithubLink> links{link(href).value()};
  const GithubReply reply = read_github_reply(json, links, github_time);
  REQUIRE(reply.results.size() == 1);
  return reply.results.front();
}

std::string repository(const std::string& name, const std::string& more = {}) {
  return fmt::format(R"({{"data":{{"l0":{{"nameWithOwner":"{}","isPrivate":false,"isDisabled":false{}}}}}}})", name,
                     more);
}

}  // namespace

TEST_CASE("links that the GitHub API can answer are recognised") {
  struct Row {
    const char* href;
    GithubKind kind;
    const char* asked;  // in the query
  };
  for (const Row& row : {
           Row{"https://github.com/a/b", GithubKind::repository, R"(repository(owner:"a",name:"b"))"},
           Row{"http://github.com/A-1/b.c_d/", GithubKind::repository, R"(owner:"A-1",name:"b.c_d")"},
           Row{"https://github.com/a/b?tab=readme-ov-file#x", GithubKind::repository, "description"},
           Row{"https://github.com/octo", GithubKind::owner, R"(repositoryOwner(login:"octo"))"},
           Row{"https://github.com/a/b/issues/12", GithubKind::issue, "issueOrPullRequest(number:12)"},
           Row{"https://github.com/a/b/pull/12#issuecomment-1", GithubKind::pull_request, "number:12"},
           Row{"https://github.com/a/b/discussions/3", GithubKind::discussion, "discussion(number:3)"},
           Row{"https://github.com/a/b/releases", GithubKind::releases, "nameWithOwner"},
           Row{"https://github.com/a/b/releases/tag/v1%2F2", GithubKind::release, R"(release(tagName:"v1/2"))"},
           Row{"https://github.com/a/b/releases/tag/v1/2", GithubKind::release, R"(release(tagName:"v1/2"))"},
           Row{"https://github.com/a/b/blob/main/d%20e/%E4%B8%AD.md", GithubKind::file,
               R"(object(expression:"main:d e/中.md"))"},
           Row{"https://github.com/a/b/blob/main/a%22b", GithubKind::file, R"("main:a\"b")"},
           Row{"https://github.com/a/b/tree/v1.0", GithubKind::folder, R"(object(expression:"v1.0"))"},
       }) {
    CAPTURE(row.href);
    const auto found = link(row.href);
    REQUIRE(found);
    CHECK(found->kind == row.kind);
    const std::string query(boost::json::parse(github_query({&*found, 1})).at("query").as_string());
    CHECK_MESSAGE(query.find(row.asked) != std::string::npos, query);
  }
}

TEST_CASE("links that only their pages can answer are not sent to the GitHub API") {
  for (const char* href : {"https://gist.github.com/a/b",
                           "https://github.com/",
                           "https://github.com/topics/llm",
                           "https://github.com/Features",
                           "https://github.com/a/b.git",
                           "https://github.com/a/b/wiki",
                           "https://github.com/a/b/issues",
                           "https://github.com/a/b/issues/new",
                           "https://github.com/a/b/commit/abc",
                           "https://github.com/a/b/releases/latest",
                           "https://github.com/a/b/issues/12?x=1",
                           "https://github.com/a/b?raw=1",
                           "https://github.com/a/b/blob/main~1/x",
                           "https://github.com/a/b/blob/main",
                           "https://github.com/a/b/blob/main/../x",
                           "https://github.com/a/b//issues/1",
                           "https://me:pw@github.com/a/b",
                           "https://github.com:8443/a/b",
                           "https://github.com/a/..%2F",
                           "https://github.com/a%22b/c",
                           "https://github.com/a/b/blob/main/%FF",
                           "https://github.com/a/b/blob/main/%0A",
                           "https://github.com/a/b/issues/99999999999",
                           "https://www.github.com/a/b"}) {
    CAPTURE(href);
    CHECK_FALSE(link(href));
  }
}

TEST_CASE("the API URL decides which host's links are looked up") {
  const auto host = [](const char* api) { return github_host(parser::Url::parse(api).value()); };
  CHECK(host("https://api.github.com/graphql") == "github.com");
  CHECK(host("https://git.firm.com/api/graphql") == "git.firm.com");
  CHECK(host("https://api.firm.ghe.com/graphql") == "firm.ghe.com");
  CHECK(host("http://127.0.0.1:8080/graphql") == "github.com");
}

TEST_CASE("GitHub API answers give the state and metadata of repositories") {
  const std::string href = "https://github.com/old/name/issues/7";
  const std::string issue =
      R"(,"it":{"__typename":"Issue","title":" A  bug ","createdAt":"2024-01-02T03:04:05Z","author":{"login":"jane"}})";
  const GithubResult found = result(href, repository("Old/Name", issue));
  CHECK(found.state == GithubState::exists);
  CHECK(found.moved_to.empty());  // names are case-insensitive
  CHECK(found.metadata.title->value == "A bug");
  CHECK(found.metadata.authors->value == std::vector<std::string>{"jane"});
  CHECK(found.metadata.published->value == "2024-01-02T03:04:05Z");
  CHECK(result(href, repository("new/name", issue)).moved_to == "/new/name/issues/7");

  const GithubResult archived =
      result("https://github.com/a/b",
             repository("a/b", R"(,"archivedAt":"2024-01-05T00:00:00Z","pushedAt":"2023-01-01T00:00:00Z")"));
  REQUIRE(archived.facts.size() == 1);
  CHECK(archived.facts.front().text == "the repository was archived by its owner on Jan 5, 2024: it is read-only");
  CHECK(archived.metadata.title->value == "a/b");
  CHECK(archived.metadata.modified->value == "2023-01-01T00:00:00Z");

  const std::string not_found = R"({"data":{"l0":null},"errors":[{"type":"NOT_FOUND","path":["l0"]}]})";
  CHECK(result("https://github.com/a/b", not_found).state == GithubState::missing);
  CHECK(result("https://github.com/a", R"({"data":{"l0":null}})").state == GithubState::missing);
  CHECK(
      result("https://github.com/a/b", R"({"data":{"l0":{"nameWithOwner":"a/b","isPrivate":true,"isDisabled":false}}})")
          .state == GithubState::is_secret);
  CHECK(result("https://github.com/a", R"({"data":{"l0":{"login":"A","name":"Ann"}}})").metadata.title->value ==
        "A (Ann)");
  const std::string blob = R"(,"it":{"__typename":"Blob"})";
  CHECK(result("https://github.com/a/b/blob/main/x.md", repository("a/b", blob)).metadata.title->value ==
        "b/x.md at main · a/b");
}

TEST_CASE("GitHub API answers that leave the state of the page open are ignored") {
  const std::string repo = "https://github.com/a/b";
  for (const std::string& json :
       {std::string(R"({"data":{"l0":null}})"), std::string(R"({"data":{}})"), std::string(R"({"data":{"l0":7}})"),
        std::string(R"({"data":{"l0":null},"errors":[{"type":"FORBIDDEN","path":["l0"]}]})"),
        std::string(R"({"data":{"l0":{"nameWithOwner":"a/b"}}})"), repository("evil.com/../b"), repository("a/b/c"),
        std::string(R"({"data":{"l0":{"nameWithOwner":"a/b","isPrivate":"no","isDisabled":false}}})"),
        std::string(R"({"data":{"l0":{"nameWithOwner":"a/b","isPrivate":false,"isDisabled":true}}})")}) {
    CAPTURE(json);
    CHECK(result(repo, json).state == GithubState::unknown);
  }
  CHECK(result(repo + "?tab=x", repository("c/d")).state == GithubState::unknown);
  CHECK(result(repo + "/issues/7", repository("a/b", R"(,"it":null)")).state == GithubState::unknown);
  CHECK(result(repo + "/issues/7", repository("a/b", R"(,"it":{"__typename":"PullRequest","title":"x"})")).state ==
        GithubState::unknown);
  CHECK(result(repo + "/blob/main/x", repository("a/b", R"(,"it":{"__typename":"Tree"})")).state ==
        GithubState::unknown);
}

TEST_CASE("an answer that is no GitHub API reply is a problem") {
  const std::vector<GithubLink> links{link("https://github.com/a/b").value()};
  const std::string deep(100'000, '[');
  for (const std::string& json :
       {std::string(), std::string("<html>"), std::string("[]"), std::string("7"), std::string(R"({"message":"Bad"})"),
        std::string(R"({"data":null,"errors":[]})"), deep}) {
    const GithubReply reply = read_github_reply(json, links, github_time);
    CHECK(reply.results.empty());
    CHECK_FALSE(reply.problem.empty());
    CHECK_FALSE(reply.is_limit);
  }
  CHECK(read_github_reply(R"({"errors":[{"type":"RATE_LIMITED"}]})", links, github_time).is_limit);
  const GithubReply last = read_github_reply(R"({"data":{"rateLimit":{"remaining":0},"l0":null}})", links, github_time);
  CHECK(last.is_last);
  CHECK(last.results.size() == 1);
}
