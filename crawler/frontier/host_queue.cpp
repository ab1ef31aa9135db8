#include "crawler/frontier/host_queue.h"

#include <algorithm>
#include <utility>

namespace linkherd::crawler {

std::unique_ptr<PendingFetch> FetchFifo::pop() {
  std::unique_ptr<PendingFetch> fetch = std::move(items_[head_++]);
  if (empty()) {
    items_.clear();
    items_.shrink_to_fit();  // most hosts never hold anything again
    head_ = 0;
  } else if (head_ >= 64 && head_ >= items_.size() / 2) {
    items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }
  return fetch;
}

bool HostQueue::later(const Deferred& a, const Deferred& b) { return a.at != b.at ? a.at > b.at : a.order > b.order; }

void HostQueue::push(std::unique_ptr<PendingFetch> fetch) {
  if (fetch->not_before) {
    const Timestamp at = *fetch->not_before;
    deferred_.push_back({.at = at, .order = deferrals_++, .fetch = std::move(fetch)});
    std::ranges::push_heap(deferred_, later);
  } else if (!fetch->redirects.empty() || !fetch->attempts.empty()) {
    under_way_.push(std::move(fetch));
  } else {
    fresh_.push(std::move(fetch));
  }
}

std::unique_ptr<PendingFetch> HostQueue::pop_deferred() {
  std::ranges::pop_heap(deferred_, later);
  std::unique_ptr<PendingFetch> fetch = std::move(deferred_.back().fetch);
  deferred_.pop_back();
  if (deferred_.empty()) deferred_.shrink_to_fit();
  fetch->not_before.reset();  // its time has come; the next hop has none yet
  return fetch;
}

std::unique_ptr<PendingFetch> HostQueue::pop(Timestamp now, const Politeness& politeness) {
  undo_start_ = in_flight_ == 0 ? std::optional(next_start_) : std::nullopt;
  next_start_ = now + politeness.host_request_interval;
  ++in_flight_;
  // Links that have begun are brought to an end first. They are few, so that new ones wait but never starve.
  if (!under_way_.empty()) return under_way_.pop();
  if (!deferred_.empty() && (fresh_.empty() || deferred_.front().at <= now)) return pop_deferred();
  return fresh_.pop();
}

void HostQueue::finished(ContactOutcome outcome, const Politeness& politeness) {
  if (outcome == ContactOutcome::not_contacted && undo_start_) next_start_ = *undo_start_;
  undo_start_.reset();
  if (in_flight_ > 0) --in_flight_;
  pace_ = adapt(pace_, outcome, politeness);
}

void HostQueue::pause(Timestamp until) { paused_until_ = std::max(paused_until_, until); }

void HostQueue::restore(const storage::HostState& state, const Politeness& politeness) {
  const double ceiling = std::max(1, politeness.host_concurrency);
  // Negated so that a NaN, too, becomes 1.
  pace_.concurrency = !(state.concurrency > 1.0) ? 1.0 : std::min(state.concurrency, ceiling);
  if (state.not_before) pause(*state.not_before);
}

void HostQueue::drain(std::vector<std::unique_ptr<PendingFetch>>& into) {
  while (!under_way_.empty()) into.push_back(under_way_.pop());
  while (!deferred_.empty()) into.push_back(pop_deferred());
  while (!fresh_.empty()) into.push_back(fresh_.pop());
}

bool HostQueue::slot_is_free() const { return in_flight_ < static_cast<int>(pace_.concurrency); }

Timestamp HostQueue::silent_until() const { return std::max(next_start_, paused_until_); }

std::optional<Timestamp> HostQueue::next_contact() const {
  if (pending() == 0 || !slot_is_free()) return std::nullopt;
  if (!under_way_.empty() || !fresh_.empty()) return silent_until();
  return std::max(silent_until(), deferred_.front().at);
}

std::optional<storage::HostState> HostQueue::state_worth_keeping(Timestamp now) const {
  storage::HostState state{.origin = origin_, .not_before = std::nullopt, .concurrency = pace_.concurrency};
  if (paused_until_ > now) state.not_before = paused_until_;
  if (!state.not_before && state.concurrency <= 1.0) return std::nullopt;
  return state;
}

}  // namespace linkherd::crawler
