// Links to GitHub, asked of its GraphQL API before their pages, up to a hundred with one request. What the API cannot
// tell is fetched like any other link, as are second looks at what it says is gone: a repository that a token does not
// see may be there for others.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/fetch/http/fetch_request.h"
#include "crawler/lookups/api_answer.h"
#include "crawler/lookups/github_links.h"
#include "parser/timestamp.h"
#include "parser/url/url.h"
#include "storage/snapshot.h"

namespace linkherd::crawler {

struct GithubApi {
  parser::Url url;
  std::string token;  // sent to `url` alone
};

// The questions of a run, one at a time. An API that refuses or has failed several times is not asked again. Used by
// one thread.
class GithubLookups {
 public:
  // `max_pause`: for one that asks for more it is not waited.
  GithubLookups(GithubApi api, Duration max_pause)
      : api_(std::move(api)), host_(github_host(api_.url)), max_pause_(max_pause) {}

  // Takes the request where the API may know its link.
  bool take(FetchRequest& request);

  struct Request {
    FetchRequest request;
    std::optional<Timestamp> not_before;
  };
  // Nothing while an answer is waited for, or no link is. `is_end`: no more links may come soon, so fewer than a
  // hundred are asked about as well.
  std::optional<Request> ask(bool is_end);

  // A link that the API knows, with the snapshot that its page would have.
  struct KnownLink {
    FetchRequest request;
    parser::Url url;  // the request's, parsed
    storage::Snapshot snapshot;
  };
  struct Outcome {
    std::vector<KnownLink> known;
    std::vector<FetchRequest> unknown;  // linkherd fetches their own pages
  };
  Outcome enter(const ApiAnswer& answer);

  // All that wait, once the run is stopped: it asks nothing more.
  std::vector<FetchRequest> give_up();

 private:
  static constexpr std::size_t max_links = 100;
  static constexpr int max_failures = 4;

  void give_up_because(std::string_view why, bool is_fault);
  void note_failure(const storage::Snapshot& reply, std::string_view problem);
  KnownLink known_link(FetchRequest request, GithubResult statement, const storage::Snapshot& answer) const;

  GithubApi api_;
  std::string host_;
  Duration max_pause_;
  std::deque<FetchRequest> waiting_;
  std::vector<FetchRequest> asked_;  // with the request that is under way
  std::vector<GithubLink> links_;    // theirs
  std::size_t at_once_ = max_links;
  std::optional<Timestamp> not_before_;
  int failures_ = 0;  // in a row
  bool has_given_up_ = false;
};

}  // namespace linkherd::crawler
