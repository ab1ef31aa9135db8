#include "crawler/frontier/circuit_breaker.h"

#include <algorithm>

#include "crawler/fetch/http/retry_policy.h"

namespace linkherd::crawler {

namespace {

constexpr int no_connection = 20;

// With the default policy, 3 failed connections open the breaker, or 5 requests without a response, or 20 errors. If
// the host has served something before, it takes 10 without a response. The reason is that the slow pages of a list may
// be adjacent and requested at the same time.
int weight(ContactResult result, bool has_served) {
  switch (result) {
    case ContactResult::unconnected:
    case ContactResult::address_down: return no_connection;
    case ContactResult::unresponsive: return has_served ? 6 : 12;
    case ContactResult::closed:
    case ContactResult::server_error: return 3;
    case ContactResult::served:
    case ContactResult::no_evidence: break;
  }
  return 0;
}

Duration wait_before_probe(int failed_probes, const BreakerPolicy& policy) {
  constexpr int max_doublings = 20;
  return policy.first_wait * (1 << std::clamp(failed_probes, 0, max_doublings));
}

void count_unanswered(Breaker& breaker, ContactResult result, Timestamp started, Timestamp now) {
  if (result == ContactResult::server_error) breaker.unanswered = 0;
  if (result != ContactResult::unresponsive || started < breaker.unanswered_at) return;
  ++breaker.unanswered;
  breaker.unanswered_at = now;
}

}  // namespace

Breaker before_contact(Breaker breaker) {
  breaker.is_probing = breaker.is_open();
  return breaker;
}

Breaker after_contact(Breaker breaker, ContactResult result, Timestamp started, Timestamp now,
                      const BreakerPolicy& policy) {
  if (result == ContactResult::served) {
    Breaker closed;
    closed.served_at = now;
    return closed;
  }
  if (result == ContactResult::no_evidence) {
    breaker.is_probing = false;
    return breaker;
  }
  const bool was_served_meanwhile = started < breaker.served_at;
  if (!was_served_meanwhile) count_unanswered(breaker, result, started, now);
  if (policy.max_unanswered > 0 && breaker.unanswered >= policy.max_unanswered) {
    breaker.is_probing = false;
    breaker.failed_probes = policy.max_probes;
  } else if (breaker.is_open()) {
    // A contact that started before the breaker opened is no new evidence.
    if (!breaker.is_probing) return breaker;
    breaker.is_probing = false;
    ++breaker.failed_probes;
  } else {
    if (was_served_meanwhile) return breaker;
    breaker.failures += weight(result, breaker.served_at != Timestamp{});
    if (breaker.failures < policy.failures_to_open * no_connection) return breaker;
  }
  breaker.next_probe = now + wait_before_probe(breaker.failed_probes, policy);
  return breaker;
}

ContactResult host_result(const AttemptResult& response) {
  if (response.is_no_evidence()) return ContactResult::no_evidence;
  switch (response.failure) {
    case FailureKind::host_unavailable: return ContactResult::address_down;
    case FailureKind::dns_failed:
    case FailureKind::dns_timeout:
    case FailureKind::dns_no_address: return ContactResult::unconnected;
    case FailureKind::proxy_unreachable:
    case FailureKind::proxy_login:
    case FailureKind::proxy_refused: return ContactResult::no_evidence;  // the host was not contacted
    default: break;
  }
  if (!response.was_contacted()) return ContactResult::no_evidence;
  if (response.status >= 500 && is_transient_status(response.status)) return ContactResult::server_error;
  if (response.status != 0 || response.unverified_status != 0) return ContactResult::served;
  switch (response.failure) {
    case FailureKind::interrupted: return ContactResult::no_evidence;
    case FailureKind::timeout:
    case FailureKind::proxy_silent: return ContactResult::unresponsive;
    case FailureKind::client_certificate:
    case FailureKind::odd_status_line:
    case FailureKind::headers_too_large: return ContactResult::served;
    case FailureKind::connection_reset:
    case FailureKind::bad_response:
      return response.is_connection_reused() ? ContactResult::no_evidence : ContactResult::closed;
    default: return ContactResult::unconnected;
  }
}

ContactResult server_result(const AttemptResult& response) {
  if (response.is_no_evidence() || !response.was_contacted()) return ContactResult::no_evidence;
  switch (response.failure) {
    case FailureKind::connection_refused:
    case FailureKind::network_unreachable:
    case FailureKind::connect_timeout: return ContactResult::unconnected;
    case FailureKind::timeout: return ContactResult::unresponsive;
    case FailureKind::interrupted: return ContactResult::no_evidence;
    default: return ContactResult::served;
  }
}

}  // namespace linkherd::crawler
