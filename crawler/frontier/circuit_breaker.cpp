#include "crawler/frontier/circuit_breaker.h"

#include <algorithm>

namespace linkherd::crawler {

namespace {

Duration wait_before_probe(int failed_probes, const BreakerPolicy& policy) {
  constexpr int most_doublings = 20;
  return policy.first_wait * (1 << std::clamp(failed_probes, 0, most_doublings));
}

}  // namespace

Breaker before_contact(Breaker breaker) {
  breaker.probing = breaker.is_open();
  return breaker;
}

Breaker after_contact(Breaker breaker, ConnectOutcome outcome, Timestamp now, const BreakerPolicy& policy) {
  switch (outcome) {
    case ConnectOutcome::reached: return {};
    case ConnectOutcome::undecided: breaker.probing = false; return breaker;
    case ConnectOutcome::failed: break;
  }
  if (breaker.is_open()) {
    // One that had started before the breaker opened says nothing new.
    if (!breaker.probing) return breaker;
    breaker.probing = false;
    ++breaker.failed_probes;
  } else if (++breaker.failures < policy.failures_to_open) {
    return breaker;
  }
  breaker.next_probe = now + wait_before_probe(breaker.failed_probes, policy);
  return breaker;
}

}  // namespace linkherd::crawler
