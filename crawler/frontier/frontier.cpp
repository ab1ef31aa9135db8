#include "crawler/frontier/frontier.h"

#include <algorithm>
#include <utility>

#include "crawler/frontier/host_queue.h"
#include "crawler/frontier/host_schedule.h"

namespace linkherd::crawler {

Frontier::Frontier(const Politeness& politeness) : hosts_(std::make_unique<Hosts>(politeness)) {}
Frontier::~Frontier() = default;

void Frontier::restore(const storage::HostState& state) {
  HostQueue* const host = hosts_->find_or_add(state.origin);
  if (host == nullptr) return;
  hosts_->unschedule(*host);
  host->restore(state);
  hosts_->schedule(*host);
}

void Frontier::push(std::unique_ptr<FetchState> fetch) {
  HostQueue& host = hosts_->of(fetch->hop_url);
  hosts_->change(host, [&fetch](HostQueue& queue) { queue.push(std::move(fetch)); });
}

void Frontier::push(FetchRequest request) {
  HostQueue& host = hosts_->of(request.href());
  hosts_->change(host, [&request](HostQueue& queue) { queue.push(std::move(request)); });
}

std::unique_ptr<FetchState> Frontier::pop(Timestamp now, bool include_first_contacts) {
  hosts_->advance(now);
  HostQueue* const host = hosts_->next_host(include_first_contacts);
  if (host == nullptr) return nullptr;
  const bool is_first_contact = !host->was_tried();
  std::unique_ptr<FetchState> fetch = host->pop(hosts_->now);
  fetch->is_first_contact = is_first_contact;
  --hosts_->pending;
  ++host->domain.in_flight;
  hosts_->schedule(*host);
  return fetch;
}

std::optional<Timestamp> Frontier::next_ready(bool include_first_contacts) const {
  if (include_first_contacts && !hosts_->untried.empty()) return hosts_->untried.top().contact_at;
  if (!hosts_->ready.empty()) return hosts_->ready.top().contact_at;
  if (!hosts_->waiting.empty()) return hosts_->waiting.top().contact_at;
  return std::nullopt;
}

bool Frontier::has_known_hosts_by(Timestamp time) const {
  return !hosts_->ready.empty() || (!hosts_->waiting.empty() && hosts_->waiting.top().contact_at <= time);
}

void Frontier::note_finished(std::string_view origin, const Contact& contact, Timestamp now) {
  hosts_->advance(now);
  HostQueue* const host = hosts_->find(origin);
  if (host == nullptr) return;
  hosts_->unschedule(*host);
  host->note_finished(contact, hosts_->now, hosts_->politeness.breaker);
  if (host->domain.in_flight > 0) --host->domain.in_flight;
  hosts_->schedule(*host);
}

void Frontier::note_robots_response(std::string_view origin, Timestamp now) {
  hosts_->advance(now);
  HostQueue* const host = hosts_->find(origin);
  if (host == nullptr) return;
  hosts_->unschedule(*host);
  host->note_robots_response(hosts_->now);
  hosts_->schedule(*host);
}

void Frontier::note_unanswered(std::string_view origin, Timestamp started, Timestamp now) {
  hosts_->advance(now);
  HostQueue* const host = hosts_->find(origin);
  if (host == nullptr) return;
  hosts_->unschedule(*host);
  host->note_unanswered(started, hosts_->now, hosts_->politeness.breaker);
  hosts_->schedule(*host);
}

Duration Frontier::pause(std::string_view origin, Timestamp until, Timestamp now, PauseCause cause) {
  HostQueue* const host = hosts_->find_or_add(origin);
  if (host == nullptr) return {};
  hosts_->unschedule(*host);
  host->pauses().pause(until, now, cause);
  const Duration length = host->pauses().silence(until, now);
  hosts_->schedule(*host);
  return length;
}

int Frontier::count_refusal(std::string_view origin) {
  HostQueue* const host = hosts_->find(origin);
  return host == nullptr ? 1 : host->pauses().count_refusal();
}

void Frontier::set_crawl_delay(std::string_view origin, std::chrono::duration<double> crawl_delay) {
  HostQueue* const host = hosts_->find(origin);
  if (host == nullptr) return;
  hosts_->unschedule(*host);
  host->set_crawl_delay(crawl_delay);
  hosts_->schedule(*host);
}

void Frontier::abandon_until(std::string_view origin, Timestamp until) {
  HostQueue* const host = hosts_->find_or_add(origin);
  if (host == nullptr) return;
  hosts_->unschedule(*host);
  host->pauses().abandon_until(until);
  hosts_->schedule(*host);
}

bool Frontier::has_abandoned() const { return !hosts_->abandoned.empty(); }

std::vector<std::unique_ptr<FetchState>> Frontier::take_abandoned(std::size_t max_count) {
  std::vector<std::unique_ptr<FetchState>> taken;
  while (!hosts_->abandoned.empty() && taken.size() < max_count) {
    HostQueue& host = hosts_->abandoned.top();
    hosts_->unschedule(host);
    if (host.is_abandoned(hosts_->politeness.breaker, hosts_->now)) {  // its pause may have ended
      const std::size_t count = taken.size();
      host.drain(taken, max_count);
      hosts_->pending -= taken.size() - count;
      const std::optional<Timestamp> until = host.pauses().abandoned_until(hosts_->now);
      for (std::size_t i = count; i < taken.size(); ++i) taken[i]->not_before = until;
    }
    hosts_->schedule(host);
  }
  return taken;
}

bool Frontier::has_turn_within(std::string_view origin, std::size_t others) const {
  const HostQueue* const host = hosts_->find(origin);
  if (host == nullptr || host->pending() == 0) return false;
  return hosts_->ready.size() <= others || host->pending() > hosts_->ready.top().pending();
}

std::size_t Frontier::pending(std::string_view origin) const {
  const HostQueue* const host = hosts_->find(origin);
  return host == nullptr ? 0 : host->pending();
}

std::size_t Frontier::size() const { return hosts_->pending; }

std::vector<std::unique_ptr<FetchState>> Frontier::drain(std::size_t max_count) {
  std::vector<std::unique_ptr<FetchState>> taken;
  auto next = hosts_->by_origin.begin();
  while (next != hosts_->by_origin.end() && taken.size() < max_count) {
    HostQueue& host = *next->second;
    ++next;  // the host may be erased below
    hosts_->unschedule(host);
    hosts_->pending -= host.pending();
    host.drain(taken, max_count);
    hosts_->pending += host.pending();
    hosts_->schedule(host);
    if (host.idle() && !host.state_worth_keeping(hosts_->now)) {
      hosts_->unschedule(host);
      hosts_->forget(host);
    }
  }
  return taken;
}

std::vector<HostBacklog> Frontier::biggest_backlogs(std::size_t limit, Timestamp now) const {
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
    backlogs.push_back({(*host)->origin(), (*host)->pending(), (*host)->wait(now)});
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
