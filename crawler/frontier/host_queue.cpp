#include "crawler/frontier/host_queue.h"

#include <algorithm>
#include <cmath>

namespace linkherd::crawler {

std::unique_ptr<FetchState> HostQueue::pop(Timestamp now) {
  undo_start_ = in_flight_ == 0 ? std::optional(next_start_) : std::nullopt;
  next_start_ = now + limits_.interval;
  ++in_flight_;
  tried_ = true;
  pauses_.note_request();
  const bool is_probe = breaker_.is_open();
  breaker_ = before_contact(breaker_);
  const FetchState* const deferred = fetches_.first_deferred();
  const bool deferred_is_due = deferred != nullptr && *deferred->not_before <= now;
  // A probe of a possibly dead host reuses a link that has been tried before, so that few links get a failure on
  // record.
  if (is_probe && deferred_is_due) return fetches_.pop_deferred();
  // Redirect hops are few, and starting them first keeps a chain together. Retries and confirmations come last, because
  // the host may have recovered by then.
  if (fetches_.has_started()) return fetches_.pop_started();
  if (fetches_.fresh_count() != 0) return pop_fresh();
  return fetches_.pop_deferred();
}

// Takes an unstarted link. The bad links of a host may be adjacent in its list: after a failure, links come from both
// ends in turn. If the host was silent in earlier runs, all its links are at stake: each run tries different ones,
// spread over the whole list. The golden ratio gives the positions, for example 0, 0.62, 0.24, 0.85 of the list for the
// first links.
std::unique_ptr<FetchState> HostQueue::pop_fresh() {
  if (was_unresponsive_ && !has_answered_ && unresponsive_) {
    // Links tried per run at a silent host; with more, positions repeat, which does no harm.
    constexpr int max_per_run = 16;
    constexpr double golden_ratio = 0.6180339887;
    const auto turn = static_cast<double>(unresponsive_->strikes * max_per_run + spread_count_++);
    const double part = turn * golden_ratio - std::floor(turn * golden_ratio);  // position in the list, in [0, 1)
    return fetches_.pop_fresh_at(static_cast<std::size_t>(part * static_cast<double>(fetches_.fresh_count())));
  }
  took_from_end_ = breaker_.failures > 0 && !took_from_end_;
  return took_from_end_ ? fetches_.pop_last_fresh() : fetches_.pop_fresh();
}

void HostQueue::note_finished(const Contact& contact, Timestamp now, const BreakerPolicy& policy) {
  const ContactOutcome outcome = contact.outcome;
  if (outcome == ContactOutcome::not_contacted && undo_start_) next_start_ = *undo_start_;
  undo_start_.reset();
  if (in_flight_ > 0) --in_flight_;
  pace_ = adapt(pace_, outcome, limits_.concurrency);
  breaker_ = after_contact(breaker_, contact.result, contact.started, now, policy);
  switch (contact.result) {
    case ContactResult::served:
    case ContactResult::server_error: mark_responsive(); break;
    case ContactResult::closed:
    case ContactResult::unresponsive:
    case ContactResult::unconnected: note_silence(now); break;
    case ContactResult::address_down:  // the host itself was not contacted, so it was not silent
    case ContactResult::no_evidence: break;
  }
  if (outcome == ContactOutcome::clean) pauses_.note_clean_response();
}

void HostQueue::note_robots_response(Timestamp now) {
  breaker_ = after_contact(breaker_, ContactResult::served, now, now, {});
  mark_responsive();
}

void HostQueue::note_unanswered(Timestamp started, Timestamp now, const BreakerPolicy& policy) {
  breaker_ = after_contact(breaker_, ContactResult::unresponsive, started, now, policy);
}

void HostQueue::mark_responsive() {
  has_answered_ = true;
  unresponsive_.reset();
}

// A run in which the host has answered once does not count as silent, whatever happens later.
void HostQueue::note_silence(Timestamp now) {
  if (has_answered_) return;
  if (!unresponsive_)
    unresponsive_ =
        std::make_unique<storage::UnresponsivePeriod>(storage::UnresponsivePeriod{.since = now, .last = now});
  unresponsive_->last = now;
}

void HostQueue::restore(const storage::HostState& state) {
  const double ceiling = std::max(1, limits_.concurrency);
  // The negation maps a NaN to 1 as well.
  pace_.concurrency = !(state.concurrency > 1.0) ? 1.0 : std::min(state.concurrency, ceiling);
  was_faster_ = pace_.concurrency > 1.0;
  if (state.not_before) pauses_.restore(*state.not_before);
  if (state.unresponsive) unresponsive_ = std::make_unique<storage::UnresponsivePeriod>(*state.unresponsive);
  was_unresponsive_ = state.unresponsive.has_value();
}

bool HostQueue::has_undeferred() const { return fetches_.has_started() || fetches_.fresh_count() != 0; }

// The limit of robots.txt may arrive after the pace was learnt.
bool HostQueue::slot_is_free() const {
  return in_flight_ < std::min(static_cast<int>(pace_.concurrency), limits_.concurrency);
}

Timestamp HostQueue::earliest_start() const { return std::max(next_start_, pauses_.until()); }

HostWait HostQueue::wait(Timestamp now) const {
  if (const std::optional<HostWait> pause = pauses_.wait(now)) return *pause;
  if (breaker_.is_open()) return {.reason = WaitReason::no_answer};
  const FetchState* const deferred = fetches_.first_deferred();
  if (deferred != nullptr && !has_undeferred() && *deferred->not_before > now) {
    const bool is_confirmation = deferred->request.is_confirmation();
    return {.reason = is_confirmation ? WaitReason::confirmation : WaitReason::retry,
            .time = *deferred->not_before - now};
  }
  if (limits_.is_crawl_delay) return {.reason = WaitReason::crawl_delay, .time = limits_.interval};
  return {};
}

std::optional<Timestamp> HostQueue::next_contact(const BreakerPolicy& policy) const {
  if (pending() == 0 || !slot_is_free() || !breaker_.lets_in(policy)) return std::nullopt;
  const Timestamp allowed = std::max(earliest_start(), breaker_.next_probe.value_or(Timestamp{}));
  if (has_undeferred()) return allowed;
  return std::max(allowed, *fetches_.first_deferred()->not_before);
}

std::optional<storage::HostState> HostQueue::state_worth_keeping(Timestamp now) const {
  storage::HostState state{.origin = origin_, .not_before = std::nullopt, .concurrency = pace_.concurrency};
  if (pauses_.until() > now) state.not_before = pauses_.until();
  if (unresponsive_) state.unresponsive = *unresponsive_;
  state.pauses = pauses_.waited_for();
  const bool overwrites = was_faster_ || was_unresponsive_;
  if (!state.not_before && state.concurrency <= 1.0 && !state.unresponsive && !state.pauses && !overwrites)
    return std::nullopt;
  return state;
}

}  // namespace linkherd::crawler
