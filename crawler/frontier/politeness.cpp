#include "crawler/frontier/politeness.h"

#include <algorithm>

#include "parser/url/registrable_domain.h"

namespace linkherd::crawler {

namespace {

constexpr int clean_contacts_per_step = 8;

}  // namespace

HostPace adapt(HostPace pace, ContactOutcome outcome, int max_concurrency) {
  const double ceiling = std::max(1, max_concurrency);
  switch (outcome) {
    case ContactOutcome::clean:
      if (++pace.clean_in_a_row >= clean_contacts_per_step) {
        pace.concurrency += 1;
        pace.clean_in_a_row = 0;
      }
      break;
    case ContactOutcome::overloaded:
      pace.concurrency /= 2;
      pace.clean_in_a_row = 0;
      break;
    case ContactOutcome::failed: pace.clean_in_a_row = 0; break;
    case ContactOutcome::not_contacted: break;
  }
  pace.concurrency = std::clamp(pace.concurrency, 1.0, ceiling);
  return pace;
}

HostLimits host_limits(const Politeness& politeness, const parser::Url& url) {
  const HostOverride set = override_for(politeness.overrides, url);
  return {.concurrency = std::max(1, set.concurrency.value_or(politeness.host_concurrency)),
          .interval = set.request_interval.value_or(politeness.host_request_interval),
          .is_interval_set_by_user = set.request_interval.has_value()};
}

HostLimits with_crawl_delay(HostLimits limits, std::chrono::duration<double> crawl_delay) {
  if (limits.is_interval_set_by_user || !(crawl_delay.count() > 0)) return limits;
  const auto delay =
      std::chrono::duration_cast<Duration>(std::min<std::chrono::duration<double>>(crawl_delay, max_crawl_delay));
  limits.is_crawl_delay = limits.is_crawl_delay || delay > limits.interval;
  limits.interval = std::max(limits.interval, delay);
  limits.concurrency = 1;  // a host that names a delay expects one request at a time
  return limits;
}

HostOverride override_for(const HostOverrides& overrides, const parser::Url& url) {
  HostOverride result;
  if (overrides.empty()) return result;
  for (const std::string& name : {std::string(url.host()), parser::registrable_domain(url)}) {
    const auto found = overrides.find(name);
    if (found == overrides.end()) continue;
    if (!result.concurrency) result.concurrency = found->second.concurrency;
    if (!result.request_interval) result.request_interval = found->second.request_interval;
  }
  return result;
}

ContactOutcome contact_outcome(const AttemptResult& response) {
  if (response.is_no_evidence() || !response.was_contacted()) return ContactOutcome::not_contacted;
  if (response.failure == FailureKind::connect_timeout || find_meaning(response.failure).rule == "proxy")
    return ContactOutcome::failed;
  if (response.status == 429 || response.status == 503 || response.body_state == BodyState::timed_out)
    return ContactOutcome::overloaded;
  if (response.status != 0 || response.unverified_status != 0) return ContactOutcome::clean;
  switch (response.failure) {
    case FailureKind::timeout:
    case FailureKind::connection_reset: return ContactOutcome::overloaded;
    case FailureKind::bad_response:
    case FailureKind::odd_status_line:
    case FailureKind::client_certificate:
    case FailureKind::headers_too_large: return ContactOutcome::clean;
    default: return ContactOutcome::failed;
  }
}

}  // namespace linkherd::crawler
