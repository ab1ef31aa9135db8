#include "crawler/frontier/host_queue.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace linkherd::crawler {

namespace {

std::unique_ptr<FetchState> make_fetch_state(FetchRequest request) {
  return std::make_unique<FetchState>(std::move(request));
}

// Returns true if nothing has been done for the link yet.
bool is_fresh(const FetchState& fetch) {
  return fetch.redirects.empty() && fetch.attempts.empty() && fetch.cookies.all.empty() && !fetch.should_use_get;
}

}  // namespace

bool HostQueue::later(const Deferred& a, const Deferred& b) { return a.at != b.at ? a.at > b.at : a.order > b.order; }

void HostQueue::push(std::unique_ptr<FetchState> fetch) {
  if (fetch->not_before) {
    const Timestamp at = *fetch->not_before;
    deferred_.push_back({.at = at, .order = deferrals_++, .fetch = std::move(fetch)});
    std::ranges::push_heap(deferred_, later);
  } else if (is_fresh(*fetch) && !fetch->request.is_follow_up()) {
    fresh_.push(std::move(fetch->request));
  } else {
    started_.push(std::move(fetch));
  }
}

std::unique_ptr<FetchState> HostQueue::pop_deferred() {
  std::ranges::pop_heap(deferred_, later);
  std::unique_ptr<FetchState> fetch = std::move(deferred_.back().fetch);
  deferred_.pop_back();
  if (deferred_.empty()) deferred_.shrink_to_fit();
  fetch->not_before.reset();  // its start time has come; the next hop has none yet
  return fetch;
}

std::unique_ptr<FetchState> HostQueue::pop(Timestamp now) {
  undo_start_ = in_flight_ == 0 ? std::optional(next_start_) : std::nullopt;
  next_start_ = now + limits_.interval;
  ++in_flight_;
  tried_ = true;
  if (pauses_) pauses_->known.waited += std::exchange(pauses_->unserved, Duration{});
  const bool is_probe = breaker_.is_open();
  breaker_ = before_contact(breaker_);
  const bool deferred_is_due = !deferred_.empty() && deferred_.front().at <= now;
  // A probe of a possibly dead host reuses a link that has been tried before, so that few links get a failure on
  // record.
  if (is_probe && deferred_is_due) return pop_deferred();
  // Redirect hops are few, and starting them first keeps a chain together. Retries and confirmations come last, because
  // the host may have recovered by then.
  if (!started_.empty()) return started_.pop();
  if (!fresh_.empty()) return pop_fresh();
  return pop_deferred();
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
    return make_fetch_state(fresh_.pop_at(static_cast<std::size_t>(part * static_cast<double>(fresh_.size()))));
  }
  took_from_end_ = breaker_.failures > 0 && !took_from_end_;
  return make_fetch_state(took_from_end_ ? fresh_.pop_last() : fresh_.pop());
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
  if (outcome == ContactOutcome::clean) {
    paused_since_.reset();
    refusals_ = 0;
  }
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

void HostQueue::pause(Timestamp until, Timestamp now, PauseCause cause) {
  if (until <= paused_until_ || until <= now) return;
  if (!pauses_) pauses_ = std::make_unique<Pauses>();
  pauses_->known.status = cause.status;
  pauses_->known.is_host_time = cause.is_host_time;
  pauses_->length = until - now;
  pauses_->unserved += until - std::max(paused_until_, now);
  paused_until_ = until;
}

std::optional<Timestamp> HostQueue::abandoned_until(Timestamp now) const {
  return abandoned_until_ && *abandoned_until_ > now ? abandoned_until_ : std::nullopt;
}

Duration HostQueue::pause_length(Timestamp until, Timestamp now) {
  if (!paused_since_) paused_since_ = now;
  return until - *paused_since_;
}

void HostQueue::restore(const storage::HostState& state) {
  const double ceiling = std::max(1, limits_.concurrency);
  // The negation maps a NaN to 1 as well.
  pace_.concurrency = !(state.concurrency > 1.0) ? 1.0 : std::min(state.concurrency, ceiling);
  was_faster_ = pace_.concurrency > 1.0;
  if (state.not_before) paused_until_ = std::max(paused_until_, *state.not_before);
  if (state.unresponsive) unresponsive_ = std::make_unique<storage::UnresponsivePeriod>(*state.unresponsive);
  was_unresponsive_ = state.unresponsive.has_value();
}

void HostQueue::drain(std::vector<std::unique_ptr<FetchState>>& into, std::size_t max_count) {
  while (into.size() < max_count && !started_.empty()) into.push_back(started_.pop());
  while (into.size() < max_count && !deferred_.empty()) into.push_back(pop_deferred());
  while (into.size() < max_count && !fresh_.empty()) into.push_back(make_fetch_state(fresh_.pop()));
}

// The limit of robots.txt may arrive after the pace was learnt.
bool HostQueue::slot_is_free() const {
  return in_flight_ < std::min(static_cast<int>(pace_.concurrency), limits_.concurrency);
}

Timestamp HostQueue::earliest_start() const { return std::max(next_start_, paused_until_); }

HostWait HostQueue::wait(Timestamp now) const {
  if (paused_until_ > now) {
    if (!pauses_) return {.reason = WaitReason::host_pause, .time = paused_until_ - now};  // set by an earlier run
    return {.reason = pauses_->known.is_host_time ? WaitReason::host_pause : WaitReason::own_pause,
            .status = pauses_->known.status,
            .time = pauses_->length};
  }
  if (breaker_.is_open()) return {.reason = WaitReason::no_answer};
  if (started_.empty() && fresh_.empty() && !deferred_.empty() && deferred_.front().at > now) {
    const bool is_confirmation = deferred_.front().fetch->request.is_confirmation();
    return {.reason = is_confirmation ? WaitReason::confirmation : WaitReason::retry,
            .time = deferred_.front().at - now};
  }
  if (limits_.is_crawl_delay) return {.reason = WaitReason::crawl_delay, .time = limits_.interval};
  return {};
}

std::optional<Timestamp> HostQueue::next_contact(const BreakerPolicy& policy) const {
  if (pending() == 0 || !slot_is_free() || !breaker_.lets_in(policy)) return std::nullopt;
  const Timestamp allowed = std::max(earliest_start(), breaker_.next_probe.value_or(Timestamp{}));
  if (!started_.empty() || !fresh_.empty()) return allowed;
  return std::max(allowed, deferred_.front().at);
}

std::optional<storage::HostState> HostQueue::state_worth_keeping(Timestamp now) const {
  storage::HostState state{.origin = origin_, .not_before = std::nullopt, .concurrency = pace_.concurrency};
  if (paused_until_ > now) state.not_before = paused_until_;
  if (unresponsive_) state.unresponsive = *unresponsive_;
  if (pauses_ && pauses_->known.waited > Duration{}) state.pauses = pauses_->known;
  const bool overwrites = was_faster_ || was_unresponsive_;
  if (!state.not_before && state.concurrency <= 1.0 && !state.unresponsive && !state.pauses && !overwrites)
    return std::nullopt;
  return state;
}

}  // namespace linkherd::crawler
