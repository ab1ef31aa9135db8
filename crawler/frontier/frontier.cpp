#include "crawler/frontier/frontier.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "crawler/frontier/host_queue.h"
#include "crawler/frontier/indexed_heap.h"

namespace linkherd::crawler {

namespace {

struct EarlierContact {
  bool operator()(const HostQueue& a, const HostQueue& b) const { return a.contact_at < b.contact_at; }
};

// Of two hosts with as much to do, the one that has waited longer.
struct BiggerBacklog {
  bool operator()(const HostQueue& a, const HostQueue& b) const {
    return a.pending() != b.pending() ? a.pending() > b.pending() : a.contact_at < b.contact_at;
  }
};

}  // namespace

// Every host is in one heap or none (HostQueue::place); schedule() puts it where it belongs after anything about it has
// changed.
struct Frontier::Hosts {
  explicit Hosts(const Politeness& p) : politeness(p) {}

  HostQueue* find(std::string_view origin) const;
  HostQueue& find_or_add(std::string_view origin);
  void schedule(HostQueue& host);
  void unschedule(HostQueue& host);
  void advance(Timestamp to);

  Politeness politeness;
  std::unordered_map<std::string_view, std::unique_ptr<HostQueue>> by_origin;  // the key is the host's own origin
  IndexedHeap<HostQueue, EarlierContact> waiting;
  IndexedHeap<HostQueue, BiggerBacklog> ready;
  IndexedHeap<HostQueue, EarlierContact> resting;
  std::size_t pending = 0;
  Timestamp now;  // the latest time that a caller named
};

HostQueue* Frontier::Hosts::find(std::string_view origin) const {
  const auto found = by_origin.find(origin);
  return found == by_origin.end() ? nullptr : found->second.get();
}

HostQueue& Frontier::Hosts::find_or_add(std::string_view origin) {
  if (HostQueue* known = find(origin)) return *known;
  auto host = std::make_unique<HostQueue>(std::string(origin));
  const std::string_view key = host->origin();
  return *by_origin.emplace(key, std::move(host)).first->second;
}

void Frontier::Hosts::unschedule(HostQueue& host) {
  switch (host.place) {
    case HostPlace::waiting: waiting.remove(host); break;
    case HostPlace::ready: ready.remove(host); break;
    case HostPlace::resting: resting.remove(host); break;
    case HostPlace::nowhere: break;
  }
  host.place = HostPlace::nowhere;
}

void Frontier::Hosts::schedule(HostQueue& host) {
  unschedule(host);
  if (const std::optional<Timestamp> at = host.next_contact()) {
    host.contact_at = *at;
    host.place = *at <= now ? HostPlace::ready : HostPlace::waiting;
    host.place == HostPlace::ready ? ready.add(host) : waiting.add(host);
  } else if (host.idle()) {
    host.contact_at = host.silent_until();
    host.place = HostPlace::resting;
    resting.add(host);
  }
}

// Moves hosts whose time has come, and forgets those that have nothing to do and taught nothing, so that a run over
// millions of hosts does not keep them all. They stay until their silence is over: a link that comes later must not
// break it.
void Frontier::Hosts::advance(Timestamp to) {
  now = std::max(now, to);
  while (!waiting.empty() && waiting.top().contact_at <= now) schedule(waiting.top());
  while (!resting.empty() && resting.top().contact_at <= now) {
    HostQueue& host = resting.top();
    unschedule(host);
    if (!host.state_worth_keeping(now)) by_origin.erase(host.origin());
  }
}

Frontier::Frontier(const Politeness& politeness) : hosts_(std::make_unique<Hosts>(politeness)) {}
Frontier::~Frontier() = default;

void Frontier::restore(const storage::HostState& state) {
  HostQueue& host = hosts_->find_or_add(state.origin);
  host.restore(state, hosts_->politeness);
  hosts_->schedule(host);
}

void Frontier::push(std::unique_ptr<PendingFetch> fetch) {
  HostQueue& host = hosts_->find_or_add(fetch->url.origin());
  // The host's backlog is its key in one of the heaps: it may only change outside of them.
  hosts_->unschedule(host);
  host.push(std::move(fetch));
  ++hosts_->pending;
  hosts_->schedule(host);
}

std::unique_ptr<PendingFetch> Frontier::pop(Timestamp now) {
  hosts_->advance(now);
  if (hosts_->ready.empty()) return nullptr;
  HostQueue& host = hosts_->ready.top();
  hosts_->unschedule(host);
  std::unique_ptr<PendingFetch> fetch = host.pop(hosts_->now, hosts_->politeness);
  --hosts_->pending;
  hosts_->schedule(host);
  return fetch;
}

std::optional<Timestamp> Frontier::next_ready() const {
  if (!hosts_->ready.empty()) return hosts_->ready.top().contact_at;
  if (!hosts_->waiting.empty()) return hosts_->waiting.top().contact_at;
  return std::nullopt;
}

void Frontier::finished(std::string_view origin, ContactOutcome outcome, Timestamp now) {
  hosts_->advance(now);
  HostQueue* const host = hosts_->find(origin);
  if (host == nullptr) return;
  host->finished(outcome, hosts_->politeness);
  hosts_->schedule(*host);
}

void Frontier::pause(std::string_view origin, Timestamp until) {
  HostQueue& host = hosts_->find_or_add(origin);
  host.pause(until);
  hosts_->schedule(host);
}

bool Frontier::has_pending(std::string_view origin) const {
  const HostQueue* const host = hosts_->find(origin);
  return host != nullptr && host->pending() != 0;
}

std::size_t Frontier::size() const { return hosts_->pending; }

std::vector<std::unique_ptr<PendingFetch>> Frontier::drain() {
  std::vector<std::unique_ptr<PendingFetch>> all;
  all.reserve(hosts_->pending);
  for (const auto& [origin, host] : hosts_->by_origin) {
    hosts_->unschedule(*host);
    host->drain(all);
    hosts_->schedule(*host);
  }
  hosts_->pending = 0;
  return all;
}

std::vector<HostBacklog> Frontier::biggest_backlogs(std::size_t limit) const {
  std::vector<const HostQueue*> hosts;
  for (const auto& [origin, host] : hosts_->by_origin) {
    if (host->pending() != 0) hosts.push_back(host.get());
  }
  const auto end = hosts.begin() + static_cast<std::ptrdiff_t>(std::min(limit, hosts.size()));
  std::ranges::partial_sort(hosts, end, [](const HostQueue* a, const HostQueue* b) {
    return a->pending() != b->pending() ? a->pending() > b->pending() : a->origin() < b->origin();
  });
  std::vector<HostBacklog> backlogs;
  for (auto host = hosts.begin(); host != end; ++host) {
    HostBacklog& backlog = backlogs.emplace_back(HostBacklog{(*host)->origin(), (*host)->pending(), std::nullopt});
    if ((*host)->place == HostPlace::waiting) backlog.not_before = (*host)->contact_at;
  }
  return backlogs;
}

std::vector<storage::HostState> Frontier::host_states() const {
  std::vector<storage::HostState> states;
  for (const auto& [origin, host] : hosts_->by_origin) {
    if (std::optional<storage::HostState> state = host->state_worth_keeping(hosts_->now)) {
      states.push_back(std::move(*state));
    }
  }
  std::ranges::sort(states, {}, &storage::HostState::origin);
  return states;
}

}  // namespace linkherd::crawler
