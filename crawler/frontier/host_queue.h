// The pending fetches of one host (an origin) and its pace. It decides which of them is next and when; the frontier
// decides which host is next.
//
// pop() prefers redirect hops, then unstarted links, then fetches with a start time (retries and confirmations). The
// earliest contact is the latest of these times:
// - the request interval after the previous start;
// - the end of a requested pause (Retry-After);
// - the next probe of the circuit breaker, while it is open;
// - the start time of the first deferred fetch, if nothing else is pending.
//
// A host starts with one request at a time. AIMD (see politeness.h) raises that limit by 1 after 8 clean responses and
// halves it on overload, as in 1, 2, 3, 1.5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "crawler/fetch/http/fetch_request.h"
#include "crawler/frontier/frontier.h"
#include "crawler/frontier/indexed_heap.h"
#include "crawler/frontier/politeness.h"
#include "parser/timestamp.h"
#include "storage/host_state.h"

namespace linkherd::crawler {

// A FIFO queue that can also give its last item. It is a vector with a head index, because most hosts have one link and
// a std::deque takes 600 bytes before it holds anything.
template <class T>
class Fifo {
 public:
  bool empty() const { return head_ == items_.size(); }
  std::size_t size() const { return items_.size() - head_; }
  void push(T item) { items_.push_back(std::move(item)); }
  T pop();
  T pop_last();
  T pop_at(std::size_t index);  // the first item moves to that index

 private:
  void let_go();

  std::vector<T> items_;
  std::size_t head_ = 0;
};

template <class T>
T Fifo<T>::pop() {
  T item = std::move(items_[head_++]);
  let_go();
  return item;
}

template <class T>
T Fifo<T>::pop_last() {
  T item = std::move(items_.back());
  items_.pop_back();
  let_go();
  return item;
}

template <class T>
T Fifo<T>::pop_at(std::size_t index) {
  std::swap(items_[head_], items_[head_ + index]);
  return pop();
}

template <class T>
void Fifo<T>::let_go() {
  if (empty()) {
    items_.clear();
    items_.shrink_to_fit();  // most hosts never get another item
    head_ = 0;
  } else if (head_ >= 64 && head_ >= items_.size() / 2) {
    items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }
}

// Names the frontier's heap that holds a host.
enum class ScheduleState : std::uint8_t {
  nowhere,    // in no heap: all slots are taken, or only its learnt facts are kept
  waiting,    // may be contacted at `contact_at`
  untried,    // may be contacted now, for the first time
  ready,      // may be contacted now
  held_back,  // may be contacted now, but the domain has no free slot
  abandoned,  // given up in this run; its pending fetches wait to be taken out
  resting,    // idle; erased at `contact_at` unless something about it is worth keeping
};

struct DomainQueue;

class HostQueue {
 public:
  HostQueue(std::string origin, const HostLimits& limits, DomainQueue& owner)
      : domain(owner), origin_(std::move(origin)), limits_(limits) {}

  const std::string& origin() const { return origin_; }
  std::size_t pending() const { return started_.size() + fresh_.size() + deferred_.size(); }
  bool idle() const { return pending() == 0 && in_flight_ == 0; }

  void push(std::unique_ptr<FetchState> fetch);
  void push(FetchRequest request) { fresh_.push(std::move(request)); }
  // Returns the next fetch and takes a slot. Call it only at or after next_contact().
  std::unique_ptr<FetchState> pop(Timestamp now);
  void note_finished(const Contact& contact, Timestamp now, const BreakerPolicy& policy);
  // Both record the outcome of a request that was not popped (robots.txt).
  void note_robots_response(Timestamp now);
  void note_unanswered(Timestamp started, Timestamp now, const BreakerPolicy& policy);
  void pause(Timestamp until, Timestamp now, PauseCause cause);
  // Returns the total length of the silence at `until`, counted from the first pause after the last clean response.
  Duration pause_length(Timestamp until, Timestamp now);
  int count_refusal() { return ++refusals_; }  // returns the consecutive refusals
  void set_crawl_delay(std::chrono::duration<double> crawl_delay) { limits_ = with_crawl_delay(limits_, crawl_delay); }
  void restore(const storage::HostState& state);
  void drain(std::vector<std::unique_ptr<FetchState>>& into, std::size_t max_count = SIZE_MAX);

  bool was_tried() const { return tried_; }
  void abandon_until(Timestamp until) { abandoned_until_ = until; }
  std::optional<Timestamp> abandoned_until(Timestamp now) const;
  // Returns true if nothing more is tried at the host in this run, or not before its requested pause is over.
  bool is_abandoned(const BreakerPolicy& policy, Timestamp now) const {
    return breaker_.is_abandoned(policy) || abandoned_until(now);
  }
  // Returns the earliest time of the next start. Empty if no slot is free or nothing is pending.
  std::optional<Timestamp> next_contact(const BreakerPolicy& policy) const;
  // Returns why the pending fetches wait.
  HostWait wait(Timestamp now) const;
  // Returns the time until which the host must be left alone, whatever is pending.
  Timestamp earliest_start() const;
  // Returns what the next run should know about the host. Empty if there is nothing.
  std::optional<storage::HostState> state_worth_keeping(Timestamp now) const;

  // Used by the frontier only.
  DomainQueue& domain;
  ScheduleState schedule_state = ScheduleState::nowhere;
  Timestamp contact_at;  // the key in the heaps that are ordered by time
  std::size_t heap_slot = not_in_heap;

 private:
  struct Deferred {
    Timestamp at;
    std::uint64_t order = 0;  // breaks ties: the one pushed first starts first
    std::unique_ptr<FetchState> fetch;
  };
  static bool later(const Deferred& a, const Deferred& b);
  std::unique_ptr<FetchState> pop_deferred();
  std::unique_ptr<FetchState> pop_fresh();
  bool slot_is_free() const;
  void mark_responsive();
  void note_silence(Timestamp now);

  std::string origin_;
  // Started links with a redirect hop or an immediate retry, and follow-ups such as soft-404 probes, which started
  // links wait for.
  Fifo<std::unique_ptr<FetchState>> started_;
  Fifo<FetchRequest> fresh_;        // unstarted links
  std::vector<Deferred> deferred_;  // a heap by start time, earliest first
  std::uint64_t deferrals_ = 0;
  HostLimits limits_;
  HostPace pace_;
  Breaker breaker_;
  int in_flight_ = 0;
  int refusals_ = 0;
  bool tried_ = false;
  bool was_faster_ = false;        // the store has a concurrency above 1, which must be overwritten even if it is 1 now
  bool was_unresponsive_ = false;  // likewise for a stored unresponsive period
  bool has_answered_ = false;
  std::uint8_t spread_count_ = 0;  // links taken from all over the list, for a host that was silent in earlier runs
  bool took_from_end_ = false;     // the latest unstarted link came from the end of the list
  std::unique_ptr<storage::UnresponsivePeriod> unresponsive_;  // allocated separately, because few hosts have one
  std::optional<Timestamp> paused_since_;
  Timestamp next_start_;    // earliest start by the request interval
  Timestamp paused_until_;  // end of the pause by Retry-After
  // The pauses of this run, allocated separately because few hosts have any.
  struct Pauses {
    storage::HostPauses known;
    Duration length{};    // length of the current pause
    Duration unserved{};  // the part of the pauses that no request has waited for yet
  };
  std::unique_ptr<Pauses> pauses_;
  std::optional<Timestamp> abandoned_until_;
  // next_start_ before the only fetch in flight; restored if that fetch contacts nothing.
  std::optional<Timestamp> undo_start_;
};

}  // namespace linkherd::crawler
