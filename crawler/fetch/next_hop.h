// Decides what follows from the response of an attempt: the next hop of the link, another attempt of the same hop, or
// the end. Pure rules; the caller passes time and randomness.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "crawler/fetch/fetch_options.h"
#include "crawler/fetch/http/fetch_request.h"
#include "crawler/fetch/http/fetch_result.h"
#include "parser/timestamp.h"

namespace linkherd::crawler {

// An attempt that has ended with evidence about its host. A rule turns its fetch into the next hop.
struct EndedAttempt {
  FetchState& fetch;
  AttemptResult& response;  // gets the failure if a redirect leads nowhere; moved from if it is kept as the refusal
  const FetchOptions& options;
  Timestamp now;
  double jitter = 0;  // in [0, 1)
  // The attempt was as usual in this respect, and such repetitions have not failed too often at its host.
  bool may_change_version = false;
  bool may_imitate_browser = false;
};

// The purpose of the next hop of a link, or of the next attempt of the same hop.
enum class NextHop : std::uint8_t {
  other_version,   // the response may depend on the version of HTTP: repeats the hop once with the other one
  redirect,        // the target of a redirect, unless the chain forms a loop or is too long
  page_redirect,   // the target of a page that redirects by itself
  get_after_head,  // HEAD gave no clear response
  retry,           // a temporary failure: repeats the hop after a wait, at most three times by default
  browser,         // a refusal, such as 403: repeats the hop once with the headers of a browser
};

struct NextHopRule {
  NextHop next;
  // Returns nullopt if the rule does not apply. Returns true if the fetch is now its next hop, and false if the
  // response is final.
  std::optional<bool> (*apply)(EndedAttempt& hop);
};
// The first rule that applies decides. If there is none, the response is final.
extern const std::array<NextHopRule, 6> next_hop_rules;

// Returns false if the response is final.
bool make_next_hop(EndedAttempt& hop);

// Returns true if the response says more than the refusal did: the page exists, has moved or is gone.
bool is_no_refusal(const AttemptResult& response);

// Returns true if the next request of `fetch` is a HEAD.
bool uses_head(const FetchState& fetch, const FetchOptions& options);

// Returns the time that the link has left for all its hops, waits and retries.
Duration time_left(const FetchState& fetch, const FetchOptions& options);

}  // namespace linkherd::crawler
