#include "crawler/broker/progress_tracker.h"

#include <algorithm>
#include <functional>

namespace linkherd::crawler {
namespace {

constexpr auto progress_interval_of_runs = std::chrono::seconds(2);
constexpr auto lately = std::chrono::minutes(1);
constexpr std::size_t max_waiting_requests = 100;

}  // namespace

void ProgressTracker::note_host(const storage::HostState& host, Timestamp now) {
  if (host.not_before && *host.not_before > now) {
    waiting_.insert_or_assign(host.origin, *host.not_before);
  } else {
    waiting_.erase(host.origin);
  }
}

std::optional<RunProgress> ProgressTracker::take_due(Timestamp now, std::chrono::steady_clock::time_point at) {
  if (at < next_ || planned_ == 0) return std::nullopt;
  next_ = at + progress_interval_of_runs;
  while (!done_at_.empty() && at - done_at_.front().first > lately) done_at_.pop_front();
  done_at_.emplace_back(at, done_);
  const auto& [first_at, first_done] = done_at_.front();
  const std::chrono::duration<double> time = at - first_at;
  RunProgress progress;
  progress.started_at = started_at_;
  progress.at = now;
  progress.planned = planned_;
  progress.done = done_;
  progress.rate = time.count() > 0 ? static_cast<double>(done_ - first_done) / time.count() : 0;
  std::erase_if(waiting_, [now](const auto& host) { return host.second <= now; });
  for (const auto& [origin, until] : waiting_) progress.waiting.push_back({origin, until});
  progress.all_waiting = waiting_.size();
  std::ranges::sort(progress.waiting, std::greater(), &RunProgress::WaitingHost::until);
  progress.waiting.resize(std::min(progress.waiting.size(), max_waiting_requests));
  return progress;
}

}  // namespace linkherd::crawler
