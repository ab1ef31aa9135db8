// Checks links to GitHub with its GraphQL API, up to a hundred per request, instead of fetching their pages. Links that
// the API cannot answer are fetched like any other. So are confirmations of links that the API calls missing: a
// repository that a token cannot see may be visible to others.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/fetch/http/fetch_request.h"
#include "crawler/lookups/github_links.h"
#include "parser/timestamp.h"
#include "parser/url/url.h"
#include "storage/snapshot.h"

namespace linkherd::crawler {

struct GithubApi {
  parser::Url url;
  std::string token;  // sent only to the origin of `url`
};

// The API requests of a run, one at a time. If the API refuses, or fails several times, it is not used again. Used by
// one thread.
class GithubLookups {
 public:
  // If the API asks for a longer pause than `max_pause`, it is not used again.
  GithubLookups(GithubApi api, Duration max_pause)
      : api_(std::move(api)), host_(github_host(api_.url)), max_pause_(max_pause) {}

  // Takes the request and returns true if the API may know its link.
  bool add(FetchRequest& request);

  struct Request {
    FetchRequest request;
    std::optional<Timestamp> not_before;
  };
  // Returns the next request. Returns nullopt while a reply is pending, or if too few links wait. `is_end` means that
  // no more links may arrive soon, so that fewer than a hundred suffice.
  std::optional<Request> next_request(bool is_end);

  // A link that the API knows, with the snapshot that its page would have.
  struct KnownLink {
    FetchRequest request;
    parser::Url url;  // the URL of the request, parsed
    storage::Snapshot snapshot;
  };
  struct Outcome {
    std::vector<KnownLink> known;
    std::vector<FetchRequest> unknown;  // their pages must be fetched
  };
  // `body` is decoded.
  Outcome handle_response(const storage::Snapshot& response, std::string_view body);

  // Stops all lookups and returns the waiting links.
  std::vector<FetchRequest> give_up();

 private:
  static constexpr std::size_t max_links = 100;
  static constexpr int max_failures = 4;

  void give_up_because(std::string_view why, bool is_fault);
  void note_failure(const storage::Snapshot& reply, std::string_view problem);
  KnownLink known_link(FetchRequest request, GithubResult github_result, const storage::Snapshot& answer) const;

  GithubApi api_;
  std::string host_;
  Duration max_pause_;
  std::deque<FetchRequest> waiting_;
  std::vector<FetchRequest> in_flight_;  // the links of the current request
  std::vector<GithubLink> links_;        // parallel to in_flight_
  std::size_t at_once_ = max_links;
  std::optional<Timestamp> not_before_;
  int failures_ = 0;  // consecutive failures, weighted
  bool has_given_up_ = false;
};

}  // namespace linkherd::crawler
