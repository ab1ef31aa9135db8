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
#include "crawler/frontier/pending_fetches.h"
#include "crawler/frontier/politeness.h"
#include "crawler/frontier/requested_pauses.h"
#include "parser/timestamp.h"
#include "storage/host_state.h"

namespace linkherd::crawler {

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
  std::size_t pending() const { return fetches_.size(); }
  bool idle() const { return pending() == 0 && in_flight_ == 0; }

  void push(std::unique_ptr<FetchState> fetch) { fetches_.push(std::move(fetch)); }
  void push(FetchRequest request) { fetches_.push(std::move(request)); }
  // Returns the next fetch and takes a slot. Call it only at or after next_contact().
  std::unique_ptr<FetchState> pop(Timestamp now);
  void note_finished(const Contact& contact, Timestamp now, const BreakerPolicy& policy);
  // Both record the outcome of a request that was not popped (robots.txt).
  void note_robots_response(Timestamp now);
  void note_unanswered(Timestamp started, Timestamp now, const BreakerPolicy& policy);
  RequestedPauses& pauses() { return pauses_; }
  void set_crawl_delay(std::chrono::duration<double> crawl_delay) { limits_ = with_crawl_delay(limits_, crawl_delay); }
  void restore(const storage::HostState& state);
  void drain(std::vector<std::unique_ptr<FetchState>>& into, std::size_t max_count) { fetches_.drain(into, max_count); }

  bool was_tried() const { return tried_; }
  // Returns true if nothing more is tried at the host in this run, or not before its requested pause is over.
  bool is_abandoned(const BreakerPolicy& policy, Timestamp now) const {
    return breaker_.is_abandoned(policy) || pauses_.abandoned_until(now);
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
  std::unique_ptr<FetchState> pop_fresh();
  bool slot_is_free() const;
  bool has_undeferred() const;
  void mark_responsive();
  void note_silence(Timestamp now);

  std::string origin_;
  PendingFetches fetches_;
  HostLimits limits_;
  HostPace pace_;
  Breaker breaker_;
  int in_flight_ = 0;
  bool tried_ = false;
  bool was_faster_ = false;        // the store has a concurrency above 1, which must be overwritten even if it is 1 now
  bool was_unresponsive_ = false;  // likewise for a stored unresponsive period
  bool has_answered_ = false;
  std::uint8_t spread_count_ = 0;  // links taken from all over the list, for a host that was silent in earlier runs
  bool took_from_end_ = false;     // the latest unstarted link came from the end of the list
  std::unique_ptr<storage::UnresponsivePeriod> unresponsive_;  // allocated separately, because few hosts have one
  RequestedPauses pauses_;
  Timestamp next_start_;  // earliest start by the request interval
  // next_start_ before the only fetch in flight; restored if that fetch contacts nothing.
  std::optional<Timestamp> undo_start_;
};

}  // namespace linkherd::crawler
