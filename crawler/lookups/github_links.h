// Links to GitHub that its GraphQL API can be asked about, many with one request: which links these are, the query, and
// what the answer says of each. Pure; who asks, and when, is github_lookups.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parser/metadata/metadata.h"
#include "parser/timestamp.h"
#include "parser/url/url.h"
#include "storage/snapshot.h"

namespace linkherd::crawler {

enum class GithubKind : std::uint8_t {
  owner,
  repository,
  releases,
  release,
  issue,
  pull_request,
  discussion,
  file,
  folder
};

// What a link leads to.
struct GithubLink {
  GithubKind kind = GithubKind::repository;
  std::string owner;
  std::string name;        // of the repository; empty: the owner's page
  std::string rest;        // of the path, behind the repository's: "/issues/7"
  std::string number;      // of an issue, a pull request or a discussion
  std::string expression;  // of a file or folder, as git names it: "main:docs/a.md"; of a release, its tag
  bool has_query = false;
};

// The host whose links an API knows: "github.com" for "https://api.github.com/graphql", its own for that of a GitHub
// Enterprise server.
std::string github_host(const parser::Url& api);

// Nothing for what the API cannot be asked about, or not so that the answer is that of the page.
std::optional<GithubLink> github_link(const parser::Url& url, std::string_view host);

// A query for all of them, as the body of a request.
std::string github_query(std::span<const GithubLink> links);

enum class GithubState : std::uint8_t {
  unknown,  // nothing is said from which the page's own answer follows: it is to be asked
  there,
  gone,      // or not to be seen with this token
  is_secret  // private: there with this token, and for nobody else
};

// What the API says of a link.
struct GithubResult {
  GithubState state = GithubState::unknown;
  std::string moved_to;  // the path where it is now; empty: where the link says
  parser::Metadata metadata;
  std::vector<storage::Fact> facts;
};

struct GithubReply {
  std::vector<GithubResult> results;  // one for each link; empty: it is no answer
  std::string problem;                // why it is none
  bool is_limit = false;              // the token's points are used up
  bool is_last = false;               // so they are after this answer
};

// `now` bounds the dates that the answer may claim.
GithubReply read_github_reply(std::string_view json, std::span<const GithubLink> links, Timestamp now);

}  // namespace linkherd::crawler
