// What is pending for one host (an origin), in the order in which it is to be asked, and the host's pace. It decides
// what of its fetches is next and when; the frontier decides which host is next.
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

// First in, first out, or the last where that is asked for. A vector and a head instead of a std::deque, which takes
// 600 bytes before it holds anything; most hosts have one link.
template <class T>
class Fifo {
 public:
  bool empty() const { return head_ == items_.size(); }
  std::size_t size() const { return items_.size() - head_; }
  void push(T item) { items_.push_back(std::move(item)); }
  T pop();
  T pop_last();
  T pop_at(std::size_t index);  // the first takes its place

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
    items_.shrink_to_fit();  // most hosts never hold anything again
    head_ = 0;
  } else if (head_ >= 64 && head_ >= items_.size() / 2) {
    items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }
}

// Which of the frontier's heaps a host is in.
enum class ScheduleState : std::uint8_t {
  nowhere,    // all slots taken, or kept only for what was learnt about it
  waiting,    // has something to do, at `contact_at`
  untried,    // its time has come, and it has never been asked
  ready,      // its time has come
  held_back,  // its time has come, but its domain has all the slots it may have
  abandoned,  // what is pending is not tried any more in this run, and waits to be taken out
  resting,    // nothing to do; forgotten at `contact_at` unless something about it is worth keeping
};

struct DomainQueue;

class HostQueue {
 public:
  HostQueue(std::string origin, const HostLimits& limits, DomainQueue& owner)
      : domain(owner), origin_(std::move(origin)), limits_(limits) {}

  const std::string& origin() const { return origin_; }
  std::size_t pending() const { return under_way_.size() + fresh_.size() + deferred_.size(); }
  bool idle() const { return pending() == 0 && in_flight_ == 0; }

  void push(std::unique_ptr<PendingFetch> fetch);
  void push(FetchRequest request) { fresh_.push(std::move(request)); }
  // The next fetch, with a slot; only after next_contact() has come.
  std::unique_ptr<PendingFetch> pop(Timestamp now);
  void finished(const Contact& contact, Timestamp now, const BreakerPolicy& policy);
  void answered(Timestamp now);                                                         // beside what was popped
  void note_unanswered(Timestamp started, Timestamp now, const BreakerPolicy& policy);  // the same
  void pause(Timestamp until, Timestamp now, PauseCause cause);
  // How long the host will have been silent by `until`, without a clean answer in between.
  Duration pause_length(Timestamp until, Timestamp now);
  int refuse() { return ++refusals_; }  // how often in a row it has refused us
  void slow_down(std::chrono::duration<double> crawl_delay) { limits_ = with_crawl_delay(limits_, crawl_delay); }
  void restore(const storage::HostState& state);
  void drain(std::vector<std::unique_ptr<PendingFetch>>& into, std::size_t max_count = SIZE_MAX);

  bool was_tried() const { return tried_; }
  void abandon_until(Timestamp until) { abandoned_until_ = until; }
  std::optional<Timestamp> abandoned_until(Timestamp now) const;
  // Nothing more will be tried there in this run, or not before its silence is over.
  bool has_given_up(const BreakerPolicy& policy, Timestamp now) const {
    return breaker_.has_given_up(policy) || abandoned_until(now);
  }
  // When something may be started; nothing while no slot is free or nothing is pending.
  std::optional<Timestamp> next_contact(const BreakerPolicy& policy) const;
  // Why what is pending waits.
  HostWait wait(Timestamp now) const;
  // Up to when the host must be left alone, whatever is pending.
  Timestamp earliest_start() const;
  // What the next run should know, where there is anything.
  std::optional<storage::HostState> state_worth_keeping(Timestamp now) const;

  // For the frontier.
  DomainQueue& domain;
  ScheduleState schedule_state = ScheduleState::nowhere;
  Timestamp contact_at;  // the key in the heaps of times
  std::size_t heap_slot = not_in_heap;

 private:
  struct Deferred {
    Timestamp at;
    std::uint64_t order = 0;  // of two for the same time, the one that came first
    std::unique_ptr<PendingFetch> fetch;
  };
  static bool later(const Deferred& a, const Deferred& b);
  std::unique_ptr<PendingFetch> pop_deferred();
  std::unique_ptr<PendingFetch> pop_fresh();
  bool slot_is_free() const;
  void mark_responsive();
  void note_silence(Timestamp now);

  std::string origin_;
  // Redirect hops and immediate retries: links that have begun; and control requests, which such links wait for.
  Fifo<std::unique_ptr<PendingFetch>> under_way_;
  Fifo<FetchRequest> fresh_;        // links not asked for yet
  std::vector<Deferred> deferred_;  // a heap, earliest first: what has a time of its own
  std::uint64_t deferrals_ = 0;
  HostLimits limits_;
  HostPace pace_;
  Breaker breaker_;
  int in_flight_ = 0;
  int refusals_ = 0;
  bool tried_ = false;
  bool was_faster_ = false;        // by the store, which must not go on saying so when it is no longer
  bool was_unresponsive_ = false;  // the same
  bool has_answered_ = false;
  std::uint8_t spread_ = 0;  // how many links of a host with earlier silence were taken from all over the list
  bool took_last_ = false;   // of the fresh ones, the time before
  std::unique_ptr<storage::UnresponsivePeriod> unresponsive_;  // apart: few hosts have one
  std::optional<Timestamp> paused_since_;
  Timestamp next_start_;    // from the request interval
  Timestamp paused_until_;  // from Retry-After
  // The pauses of this run. Separate, because few hosts have any.
  struct Pauses {
    storage::HostPauses known;
    Duration length{};    // of the current pause
    Duration unserved{};  // the part of it that no request has waited for yet
  };
  std::unique_ptr<Pauses> pauses_;
  std::optional<Timestamp> abandoned_until_;
  std::optional<Timestamp>
      undo_start_;  // next_start_ before the only fetch in flight, should it turn out to be no contact
};

}  // namespace linkherd::crawler
