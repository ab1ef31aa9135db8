// How hard a host may be asked: the settings, and the pure rule (additive increase, multiplicative decrease) that
// adapts to it.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "crawler/frontier/circuit_breaker.h"
#include "parser/timestamp.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

// What the user has set for single hosts ([hosts."example.com"] of linkherd.toml), and whom it is for: a pure lookup.
struct HostOverride {
  std::optional<int> concurrency = std::nullopt;
  std::optional<Duration> request_interval = std::nullopt;

  bool operator==(const HostOverride&) const = default;
};

using HostOverrides = std::map<std::string, HostOverride>;  // by host name or registrable domain, in lower case

// What is set for the host of `url` itself, or else for its registrable domain. Each setting on its own: a host's own
// section need not repeat what its domain's says.
HostOverride override_for(const HostOverrides& overrides, const parser::Url& url);

struct Politeness {
  int host_concurrency = 6;                                         // the ceiling; every host starts at 1
  Duration host_request_interval = std::chrono::milliseconds(100);  // between the starts of two requests to a host
  int domain_concurrency = 12;  // all hosts of one registrable domain together; never below host_concurrency
  BreakerPolicy breaker = {};
  HostOverrides overrides = {};
};

// How a contact with a host went, as far as politeness is concerned.
enum class ContactOutcome {
  clean,          // answered
  overloaded,     // 429, 503, timeout, reset: it cannot take more
  failed,         // could not be connected to
  not_contacted,  // nothing was sent to it (no address, address refused, cancelled): its interval is given back too
};

ContactOutcome contact_outcome(const HopAnswer& answer);

struct HostPace {
  double concurrency = 1.0;  // requests at once, rounded down; at least 1
  int clean_in_a_row = 0;

  bool operator==(const HostPace&) const = default;
};

// The pace after one more contact: +1 after 8 clean ones in a row, halved when overloaded; between 1 and the ceiling.
HostPace adapt(HostPace pace, ContactOutcome outcome, int ceiling);

// A contact with a host, as its queue sees it.
struct Contact {
  ContactOutcome outcome = ContactOutcome::clean;  // for its pace
  Reply reply = Reply::served;                     // for its circuit breaker
  Timestamp started;
};

// How fast one host may be asked: the settings, what the user has set for it, and what its robots.txt asks for.
struct HostLimits {
  int concurrency = 6;
  Duration interval{};
  bool is_interval_set_by_user = false;  // set for this very host: it stands, whatever robots.txt asks for
  bool is_crawl_delay = false;           // robots.txt asks for the interval

  bool operator==(const HostLimits&) const = default;
};
HostLimits host_limits(const Politeness& politeness, const parser::Url& url);

// A Crawl-delay only ever slows a host down, to one request in ten seconds at most: a longer one is no pace.
inline constexpr Duration max_crawl_delay = std::chrono::seconds(10);
HostLimits with_crawl_delay(HostLimits limits, std::chrono::duration<double> crawl_delay);

}  // namespace linkherd::crawler
