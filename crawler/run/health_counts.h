// Counts the links of a run by health.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "storage/verdict.h"

namespace linkherd::crawler {

class HealthCounts {
 public:
  // Counts a link whose requests have ended. Its verdict may still change at the end of the run.
  void finish(storage::Health health) {
    ++finished_;
    ++finished_by_health_[health];
  }
  std::size_t finished() const { return finished_; }
  const std::map<storage::Health, std::uint64_t>& finished_by_health() const { return finished_by_health_; }

  // Sets the health of a link, which replaces an earlier one.
  void set(std::size_t index, storage::Health health) {
    if (healths_.size() <= index) healths_.resize(index + 1, storage::Health::deferred);
    healths_[index] = health;
  }
  // Returns the counts of the first `total` links. A link without a health is deferred. Empty if no health was set.
  std::map<storage::Health, std::uint64_t> by_health(std::size_t total) const {
    std::map<storage::Health, std::uint64_t> counts;
    if (healths_.empty()) return counts;
    for (std::size_t index = 0; index < total; ++index)
      ++counts[index < healths_.size() ? healths_[index] : storage::Health::deferred];
    return counts;
  }

 private:
  std::size_t finished_ = 0;
  std::map<storage::Health, std::uint64_t> finished_by_health_;
  std::vector<storage::Health> healths_;  // by index
};

}  // namespace linkherd::crawler
