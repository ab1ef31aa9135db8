// Tests what is read of single GitHub repositories, and the names of sites and repositories.
#include "crawler/lookups/github_repositories.h"

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

parser::Url parse_url(std::string_view text) { return parser::Url::parse(text).value(); }

}  // namespace

TEST_CASE("the REST API is beside the GraphQL API, and the token is sent only if there is one") {
  const GithubLink link = github_link(parse_url("https://github.com/ada/kiln"), "github.com").value();
  struct Row {
    std::string graphql;
    std::string expected;
  };
  for (const Row& row : std::vector<Row>{
           {"https://api.github.com/graphql", "https://api.github.com/repos/ada/kiln"},
           {"https://git.example.org/api/graphql", "https://git.example.org/api/v3/repos/ada/kiln"},
           {"http://127.0.0.1:8080/graphql", "http://127.0.0.1:8080/repos/ada/kiln"},
       }) {
    const FetchRequest request = request_repository({parse_url(row.graphql), "t0ken"}, link);
    CHECK(request.href() == row.expected);
    CHECK(request.purpose() == Purpose::relocation_lookup);
    CHECK(request.validators()->lines.size() == 2);
    CHECK(request_repository({parse_url(row.graphql), ""}, link).validators()->lines.size() == 1);
  }
}

TEST_CASE("only public repositories with usable names are read") {
  const auto read = [](const std::string& fields) { return read_repository("{" + fields + "}"); };
  const std::string usable = R"("full_name":"ada/kiln","default_branch":"main","private":false)";
  const auto repository = read(usable + R"(,"homepage":"kiln.example.org")");
  REQUIRE(repository.has_value());
  CHECK(repository->full_name == "ada/kiln");
  REQUIRE(repository->homepage.has_value());
  CHECK(repository->homepage->href() == "https://kiln.example.org/");
  for (const char* homepage : {"", "javascript:alert(1)", "https://a:b@kiln.example.org/", "::"}) {
    const auto other = read(fmt::format(R"({},"homepage":"{}")", usable, homepage));
    REQUIRE(other.has_value());
    CHECK_FALSE(other->homepage.has_value());
  }
  for (const std::string fields :
       {R"("full_name":"ada/kiln","default_branch":"main","private":true)",
        R"("full_name":"ada/kiln","default_branch":"main")",
        R"("full_name":"../kiln","default_branch":"main","private":false)",
        R"("full_name":"ada/kiln","default_branch":"a b","private":false)", R"("message":"Not Found")"}) {
    CAPTURE(fields);
    CHECK_FALSE(read(fields).has_value());
  }
  CHECK_FALSE(read_repository("<html>").has_value());
}

TEST_CASE("the files with the name of a lost file have pages on the default branch") {
  const std::vector<std::string> files =
      read_files(R"({"tree":[{"path":"docs","type":"tree"},{"path":"docs/a b#.md","type":"blob"},)"
                 R"({"path":"A B#.md","type":"blob"},{"path":"c.md","type":"commit"},7,{}]})");
  CHECK(files == std::vector<std::string>{"docs/a b#.md", "A B#.md"});
  const GithubLink lost =
      github_link(parse_url("https://github.com/ada/kiln/blob/v1/x/a%20b%23.md"), "github.com").value();
  const std::vector<ListedAddress> named = files_named_like(lost, files, {"ada/kiln", "main", {}}, "github.com");
  REQUIRE(named.size() == 2);
  CHECK(named[0].url.href() == "https://github.com/ada/kiln/blob/main/docs/a%20b%23.md");
  CHECK(read_files("{").empty());
  CHECK(read_files("[]").empty());
}

TEST_CASE("sites and repositories of the same name") {
  CHECK(repository_name(parse_url("https://github.com/ada/kiln-notes")) == "kiln-notes");
  CHECK(repository_name(parse_url("https://gitlab.com/ada/kiln-notes/")) == "kiln-notes");
  CHECK(repository_name(parse_url("https://github.com/ada/kiln-notes/issues/7")).empty());
  CHECK(repository_name(parse_url("https://github.com/topics/kiln")).empty());
  CHECK(repository_name(parse_url("https://gitlab.com/ada/group/kiln")).empty());
  CHECK(repository_name(parse_url("https://example.org/ada/kiln")).empty());
  struct Row {
    std::string site;
    bool expected;
  };
  for (const Row& row : std::vector<Row>{{"https://kilnnotes.example.org/", true},
                                         {"https://www.kiln-notes.org/", true},
                                         {"https://example.org/kiln_notes/", true},
                                         {"https://ada.github.io/kiln-notes/", true},
                                         {"https://kiln-notes.org/about", false},
                                         {"https://kiln.example.org/", false},
                                         {"mailto:kiln-notes@example.org", false}}) {
    CAPTURE(row.site);
    CHECK(has_name_of_site("kiln-notes", parse_url(row.site)) == row.expected);
  }
  CHECK_FALSE(has_name_of_site("", parse_url("https://example.org/")));
  CHECK_FALSE(has_name_of_site("x", parse_url("https://x.org/")));
}
