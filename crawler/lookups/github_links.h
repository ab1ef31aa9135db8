// Translates links to GitHub into queries of its GraphQL API, many links per request, and interprets the answers. Pure
// functions. github_lookups.h decides when to send them.
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

// The target of a link.
struct GithubLink {
  GithubKind kind = GithubKind::repository;
  std::string owner;
  std::string name;        // of the repository; empty: the owner's page
  std::string rest;        // the path after the repository: "/issues/7"
  std::string number;      // of an issue, pull request or discussion
  std::string expression;  // of a file or folder, the git expression "main:docs/a.md"; of a release, its tag
  bool has_query = false;
};

// Returns the host whose links an API knows: "github.com" for "https://api.github.com/graphql", the server's own host
// for GitHub Enterprise.
std::string github_host(const parser::Url& api);

// Returns nullopt if the API does not know such links, or if its answer may differ from the page.
std::optional<GithubLink> github_link(const parser::Url& url, std::string_view host);

// Returns a query for all links, as the body of a request.
std::string github_query(std::span<const GithubLink> links);

enum class GithubState : std::uint8_t {
  // The answer does not show what the page would return, so the page must be requested.
  unknown,
  exists,
  missing,   // or not visible with this token
  is_secret  // private: visible with this token, but not to other readers
};

// The API's answer about one link.
struct GithubResult {
  GithubState state = GithubState::unknown;
  std::string moved_to;  // the current path; empty: unchanged
  parser::Metadata metadata;
  std::vector<storage::Fact> facts;
};

struct GithubReply {
  std::vector<GithubResult> results;  // one per link; empty: the reply is unusable
  std::string problem;                // why the reply is unusable
  bool is_limit = false;              // the rate limit of the token is used up
  bool is_last = false;               // the rate limit is used up after this reply
};

// `now` is the upper bound of the dates in the answer.
GithubReply read_github_reply(std::string_view json, std::span<const GithubLink> links, Timestamp now);

}  // namespace linkherd::crawler
