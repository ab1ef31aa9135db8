#include "crawler/frontier/host_schedule.h"

#include <algorithm>
#include <utility>

#include "parser/url/host.h"
#include "parser/url/registrable_domain.h"

namespace linkherd::crawler {

HostQueue* Frontier::Hosts::find(std::string_view origin) const {
  const auto found = by_origin.find(origin);
  return found == by_origin.end() ? nullptr : found->second.get();
}

DomainQueue& Frontier::Hosts::domain_of(const parser::Url& url) {
  std::string name = parser::registrable_domain(url);
  const auto found = domains.find(name);
  if (found != domains.end()) return *found->second;
  auto domain = std::make_unique<DomainQueue>(std::move(name));
  const std::string_view key = domain->name;
  return *domains.emplace(key, std::move(domain)).first->second;
}

HostQueue& Frontier::Hosts::add(std::string_view origin, const parser::Url& url) {
  DomainQueue& domain = domain_of(url);
  const HostLimits limits = host_limits(politeness, url);
  ++domain.hosts;
  domain.limit = std::max({domain.limit, limits.concurrency, politeness.domain_concurrency});
  auto host = std::make_unique<HostQueue>(std::string(origin), limits, domain);
  const std::string_view key = host->origin();
  return *by_origin.emplace(key, std::move(host)).first->second;
}

HostQueue& Frontier::Hosts::of(const parser::Url& url) {
  const std::string origin = url.origin();
  HostQueue* const known = find(origin);
  return known != nullptr ? *known : add(origin, url);
}

HostQueue& Frontier::Hosts::of(std::string_view href) {
  const std::string origin = parser::parse_origin(href);
  HostQueue* const known = find(origin);
  return known != nullptr ? *known : add(origin, parser::Url::parse(href).value());
}

void Frontier::Hosts::forget(HostQueue& host) {
  DomainQueue& domain = host.domain;
  by_origin.erase(host.origin());
  if (--domain.hosts == 0) domains.erase(domain.name);
}

// Returns null if `origin` is not an origin.
HostQueue* Frontier::Hosts::find_or_add(std::string_view origin) {
  if (HostQueue* known = find(origin)) return known;
  const Result<parser::Url> url = parser::Url::parse(origin);
  return url.has_error() ? nullptr : &add(origin, *url);
}

void Frontier::Hosts::unschedule(HostQueue& host) {
  switch (host.schedule_state) {
    case ScheduleState::waiting: waiting.remove(host); break;
    case ScheduleState::untried:
      untried.remove(host);
      --host.domain.startable;
      break;
    case ScheduleState::ready:
      ready.remove(host);
      --host.domain.startable;
      break;
    case ScheduleState::held_back: host.domain.held_back.remove(host); break;
    case ScheduleState::abandoned: abandoned.remove(host); break;
    case ScheduleState::resting: resting.remove(host); break;
    case ScheduleState::nowhere: break;
  }
  host.schedule_state = ScheduleState::nowhere;
}

void Frontier::Hosts::make_startable(HostQueue& host) {
  ++host.domain.startable;
  host.schedule_state = host.was_tried() ? ScheduleState::ready : ScheduleState::untried;
  host.schedule_state == ScheduleState::ready ? ready.add(host) : untried.add(host);
}

void Frontier::Hosts::schedule(HostQueue& host) {
  unschedule(host);
  if (host.pending() != 0 && host.is_abandoned(politeness.breaker, now)) {
    host.schedule_state = ScheduleState::abandoned;
    abandoned.add(host);
  } else if (const std::optional<Timestamp> at = host.next_contact(politeness.breaker)) {
    host.contact_at = *at;
    if (*at > now) {
      host.schedule_state = ScheduleState::waiting;
      waiting.add(host);
    } else if (host.domain.has_slot()) {
      make_startable(host);
    } else {
      host.schedule_state = ScheduleState::held_back;
      host.domain.held_back.add(host);
    }
  } else if (host.idle()) {
    host.contact_at = host.earliest_start();
    host.schedule_state = ScheduleState::resting;
    resting.add(host);
  }
  release_held_back(host.domain);
}

// At most as many hosts of a domain are startable as it has free slots; the others stay in `held_back`.
void Frontier::Hosts::release_held_back(DomainQueue& domain) {
  while (!domain.held_back.empty() && domain.in_flight + domain.startable < domain.limit) {
    HostQueue& host = domain.held_back.top();
    domain.held_back.remove(host);
    make_startable(host);
  }
}

// Takes turns between hosts without any contact so far and the longest queue of the others. The first need DNS,
// certificates and robots.txt early; the second determine how long the run takes.
HostQueue* Frontier::Hosts::next_host(bool include_first_contacts) {
  while ((include_first_contacts && !untried.empty()) || !ready.empty()) {
    const bool untried_turn = ready.empty() || (include_first_contacts && !untried.empty() && !untried_had_last_turn);
    HostQueue& host = untried_turn ? untried.top() : ready.top();
    unschedule(host);
    if (host.domain.has_slot()) {
      untried_had_last_turn = untried_turn;
      return &host;
    }
    host.schedule_state = ScheduleState::held_back;
    host.domain.held_back.add(host);
  }
  return nullptr;
}

// Moves hosts whose time has come. Erases idle hosts that have nothing worth keeping, so that a run over millions of
// hosts does not keep them all. A host is kept until its pause is over, so that a link that arrives later cannot
// violate the pause.
void Frontier::Hosts::advance(Timestamp to) {
  now = std::max(now, to);
  while (!waiting.empty() && waiting.top().contact_at <= now) schedule(waiting.top());
  while (!resting.empty() && resting.top().contact_at <= now) {
    HostQueue& host = resting.top();
    unschedule(host);
    if (!host.state_worth_keeping(now) && !host.is_abandoned(politeness.breaker, now)) forget(host);
  }
}

}  // namespace linkherd::crawler
