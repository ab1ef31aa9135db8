#include "crawler/frontier/pending_fetches.h"

namespace linkherd::crawler {

namespace {

// Returns true if nothing has been done for the link yet.
bool is_fresh(const FetchState& fetch) {
  return fetch.redirects.empty() && fetch.attempts.empty() && fetch.cookies.all.empty() && !fetch.should_use_get;
}

}  // namespace

bool PendingFetches::is_later(const Deferred& a, const Deferred& b) {
  return a.fetch->not_before != b.fetch->not_before ? a.fetch->not_before > b.fetch->not_before : a.order > b.order;
}

void PendingFetches::push(std::unique_ptr<FetchState> fetch) {
  if (fetch->not_before) {
    deferred_.push_back({.order = deferrals_++, .fetch = std::move(fetch)});
    std::ranges::push_heap(deferred_, is_later);
  } else if (is_fresh(*fetch) && !fetch->request.is_follow_up()) {
    fresh_.push(std::move(fetch->request));
  } else {
    started_.push(std::move(fetch));
  }
}

std::unique_ptr<FetchState> PendingFetches::pop_deferred() {
  std::ranges::pop_heap(deferred_, is_later);
  std::unique_ptr<FetchState> fetch = std::move(deferred_.back().fetch);
  deferred_.pop_back();
  if (deferred_.empty()) deferred_.shrink_to_fit();
  fetch->not_before.reset();  // its start time has come; the next hop has none yet
  return fetch;
}

void PendingFetches::drain(std::vector<std::unique_ptr<FetchState>>& into, std::size_t max_count) {
  while (into.size() < max_count && has_started()) into.push_back(pop_started());
  while (into.size() < max_count && first_deferred() != nullptr) into.push_back(pop_deferred());
  while (into.size() < max_count && fresh_count() != 0) into.push_back(pop_fresh());
}

}  // namespace linkherd::crawler
