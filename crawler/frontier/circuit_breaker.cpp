#include "crawler/frontier/circuit_breaker.h"

#include <algorithm>

namespace linkherd::crawler {

namespace {

constexpr int no_connection = 20;

// With the usual policy 3 without connection open the breaker, 5 without an answer, 20 with errors. It takes 10 without
// an answer where the host has served something before: the slow pages of a list may stand together.
int weight(Reply reply, bool has_served) {
  switch (reply) {
    case Reply::unconnected:
    case Reply::address_down: return no_connection;
    case Reply::silent: return has_served ? 6 : 12;
    case Reply::closed:
    case Reply::server_error: return 3;
    case Reply::served:
    case Reply::undecided: break;
  }
  return 0;
}

Duration wait_before_probe(int failed_probes, const BreakerPolicy& policy) {
  constexpr int most_doublings = 20;
  return policy.first_wait * (1 << std::clamp(failed_probes, 0, most_doublings));
}

}  // namespace

Breaker before_contact(Breaker breaker) {
  breaker.probing = breaker.is_open();
  return breaker;
}

Breaker after_contact(Breaker breaker, Reply reply, Timestamp started, Timestamp now, const BreakerPolicy& policy) {
  if (reply == Reply::served) {
    Breaker closed;
    closed.served_at = now;
    return closed;
  }
  if (reply == Reply::undecided) {
    breaker.probing = false;
    return breaker;
  }
  if (breaker.is_open()) {
    // One that had started before the breaker opened says nothing new.
    if (!breaker.probing) return breaker;
    breaker.probing = false;
    ++breaker.failed_probes;
  } else {
    if (started < breaker.served_at) return breaker;
    breaker.failures += weight(reply, breaker.served_at != Timestamp{});
    if (breaker.failures < policy.failures_to_open * no_connection) return breaker;
  }
  breaker.next_probe = now + wait_before_probe(breaker.failed_probes, policy);
  return breaker;
}

}  // namespace linkherd::crawler
