// Limits the load on a host: the settings, and the pure AIMD rule (additive increase, multiplicative decrease) that
// adapts the concurrency to the host's responses.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "crawler/frontier/circuit_breaker.h"
#include "parser/timestamp.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

// User settings for single hosts ([hosts."example.com"] in linkherd.toml).
struct HostOverride {
  std::optional<int> concurrency = std::nullopt;
  std::optional<Duration> request_interval = std::nullopt;

  bool operator==(const HostOverride&) const = default;
};

using HostOverrides = std::map<std::string, HostOverride>;  // by host name or registrable domain, in lower case

// Returns the settings for the host of `url`, or else for its registrable domain. Each setting is looked up separately:
// the section of a host need not repeat the section of its domain.
HostOverride override_for(const HostOverrides& overrides, const parser::Url& url);

struct Politeness {
  int host_concurrency = 6;                                         // upper limit; every host starts at 1
  Duration host_request_interval = std::chrono::milliseconds(100);  // between the starts of two requests to a host
  int domain_concurrency = 12;  // shared by all hosts of one registrable domain; never below host_concurrency
  BreakerPolicy breaker = {};
  HostOverrides overrides = {};
};

// The outcome of a contact, as far as politeness is concerned.
enum class ContactOutcome {
  clean,          // the host answered
  overloaded,     // 429, 503, timeout or reset: the host cannot take more load
  failed,         // no connection
  not_contacted,  // nothing was sent (no address, address refused, cancelled); the request interval is not used up
};

ContactOutcome contact_outcome(const AttemptResult& response);

struct HostPace {
  double concurrency = 1.0;  // concurrent requests, rounded down; at least 1
  int clean_in_a_row = 0;

  bool operator==(const HostPace&) const = default;
};

// Returns the pace after one more contact: plus 1 after 8 consecutive clean responses, halved on overload, and always
// between 1 and `ceiling`. For example, 40 clean responses take a host from 1 to 6, and a 429 then sets it to 3.
HostPace adapt(HostPace pace, ContactOutcome outcome, int ceiling);

// One contact with a host, as its queue sees it.
struct Contact {
  ContactOutcome outcome = ContactOutcome::clean;  // for the pace
  ContactResult result = ContactResult::served;    // for the circuit breaker
  Timestamp started;
};

// The limits for one host, from the settings, the user's overrides and robots.txt.
struct HostLimits {
  int concurrency = 6;
  Duration interval{};
  bool is_interval_set_by_user = false;  // set for this host or its domain; robots.txt cannot change it
  bool is_crawl_delay = false;           // the interval comes from robots.txt

  bool operator==(const HostLimits&) const = default;
};
HostLimits host_limits(const Politeness& politeness, const parser::Url& url);

// A Crawl-delay can only slow a host down, and to one request in ten seconds at most. Longer delays are not meant as a
// pace.
inline constexpr Duration max_crawl_delay = std::chrono::seconds(10);
HostLimits with_crawl_delay(HostLimits limits, std::chrono::duration<double> crawl_delay);

}  // namespace linkherd::crawler
