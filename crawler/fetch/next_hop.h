// What follows from a hop's answer: another hop (a redirect, a retry) or the end. Pure rules; time and chance come from
// the caller.
#pragma once

#include "crawler/fetch/fetch_options.h"
#include "crawler/fetch/http/fetch_request.h"
#include "crawler/fetch/http/fetch_result.h"
#include "crawler/frontier/politeness.h"
#include "parser/timestamp.h"

namespace linkherd::crawler {

// True: `fetch` is now the next hop. False: `answer` is the last one; a redirect that leads nowhere has become its
// failure.
bool make_next_hop(PendingFetch& fetch, HopAnswer& answer, const FetchOptions& options, Timestamp now, double jitter);

// Whether `answer` refuses a plain request in a way that one with a browser's headers may get past.
bool may_retry_as_browser(const PendingFetch& fetch, const HopAnswer& answer, const FetchOptions& options);
// Makes that the next hop; the answer is kept meanwhile, without most of a long body.
void retry_as_browser(PendingFetch& fetch, HopAnswer answer);
// Whether the answer to it says more than the refusal did: there, elsewhere, or gone.
bool is_no_refusal(const HopAnswer& answer);

// Whether the next request of `fetch` is a HEAD.
bool asks_head(const PendingFetch& fetch, const FetchOptions& options);

// How much of its time over all hops, waits and retries the link has left.
Duration time_left(const PendingFetch& fetch, const FetchOptions& options);

// How many bytes of an answer are wanted. What a witness or an archive says has a limit of its own; the user's is for
// pages.
std::size_t body_limit(const FetchRequest& request, std::size_t max_body);

// How the contact went for the host: for its pace, and for its circuit breaker.
ContactOutcome contact_outcome(const HopAnswer& answer);
Reply host_reply(const HopAnswer& answer);
// For the address, whichever host it was asked about: an error is the host's own matter.
Reply server_reply(const HopAnswer& answer);

}  // namespace linkherd::crawler
