#include "storage/retention.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>

namespace linkherd::storage {

std::vector<std::uint64_t> removable_runs(const std::vector<Run>& runs) {
  std::vector<std::uint64_t> removable;
  std::set<std::string> identities;
  std::set<std::string> digests;
  for (const Run& run : runs) {
    const bool is_newest_complete = run.state == RunState::complete && identities.insert(run.identity).second;
    const bool is_newest_notified = !run.subscriber_digest.empty() && digests.insert(run.subscriber_digest).second;
    if (!is_newest_complete && !is_newest_notified && &run != &runs.front()) removable.push_back(run.number);
  }
  std::ranges::reverse(removable);
  return removable;
}

std::vector<std::uint64_t> expired_runs(const std::vector<Run>& runs, const Retention& retention, Timestamp now) {
  std::set<std::uint64_t> expired;
  std::map<std::string, std::size_t> counts;
  for (const Run& run : runs) {
    const bool is_too_many = ++counts[run.identity] > retention.keep_runs;
    const bool is_too_old = retention.keep_days > 0 &&
                            run.finished_at.value_or(run.started_at) < now - std::chrono::days(retention.keep_days);
    if (is_too_many || is_too_old) expired.insert(run.number);
  }
  std::vector<std::uint64_t> numbers = removable_runs(runs);
  std::erase_if(numbers, [&expired](std::uint64_t number) { return !expired.contains(number); });
  return numbers;
}

}  // namespace linkherd::storage
