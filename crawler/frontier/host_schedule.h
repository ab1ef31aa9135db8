// The implementation of the frontier: its hosts, and the heaps that decide which host is next. Every host is in one
// heap or none (HostQueue::schedule_state).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "crawler/frontier/frontier.h"
#include "crawler/frontier/host_queue.h"
#include "crawler/frontier/indexed_heap.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

inline bool has_earlier_contact(const HostQueue& a, const HostQueue& b) { return a.contact_at < b.contact_at; }

// Orders hosts by pending fetches. Among equals, the host that has waited longer comes first.
inline bool has_bigger_backlog(const HostQueue& a, const HostQueue& b) {
  return a.pending() != b.pending() ? a.pending() > b.pending() : a.contact_at < b.contact_at;
}

// The hosts of one registrable domain, which share their slots. Hosts without a slot wait in `held_back`, outside the
// frontier's heaps. They return to those heaps when a slot is free.
struct DomainQueue {
  explicit DomainQueue(std::string n) : name(std::move(n)) {}

  std::string name;
  std::size_t hosts = 0;
  int limit = 1;
  int in_flight = 0;
  int startable = 0;  // hosts of the domain in `untried` and `ready`
  IndexedHeap<HostQueue, has_bigger_backlog> held_back;

  bool has_slot() const { return in_flight < limit; }
};

struct Frontier::Hosts {
  explicit Hosts(Politeness p) : politeness(std::move(p)) {}

  HostQueue* find(std::string_view origin) const;
  HostQueue* find_or_add(std::string_view origin);
  HostQueue& of(const parser::Url& url);
  HostQueue& of(std::string_view href);
  // Adds a pending fetch. The number of pending fetches is the host's key in a heap, so it may change only while the
  // host is in none.
  template <class F>
  void change(HostQueue& host, F&& add_one) {
    unschedule(host);
    add_one(host);
    ++pending;
    schedule(host);
  }
  HostQueue& add(std::string_view origin, const parser::Url& url);
  DomainQueue& domain_of(const parser::Url& url);
  void forget(HostQueue& host);
  void schedule(HostQueue& host);
  void unschedule(HostQueue& host);
  void make_startable(HostQueue& host);
  void release_held_back(DomainQueue& domain);
  HostQueue* next_host(bool include_first_contacts);
  void advance(Timestamp to);

  Politeness politeness;
  std::unordered_map<std::string_view, std::unique_ptr<DomainQueue>> domains;  // key: the domain's own name
  std::unordered_map<std::string_view, std::unique_ptr<HostQueue>> by_origin;  // key: the host's own origin
  IndexedHeap<HostQueue, has_earlier_contact> waiting;
  IndexedHeap<HostQueue, has_bigger_backlog> untried;
  IndexedHeap<HostQueue, has_bigger_backlog> ready;
  IndexedHeap<HostQueue, has_bigger_backlog> abandoned;
  IndexedHeap<HostQueue, has_earlier_contact> resting;
  std::size_t pending = 0;
  bool untried_had_last_turn = false;
  Timestamp now;  // the latest time that a caller passed
};

}  // namespace linkherd::crawler
