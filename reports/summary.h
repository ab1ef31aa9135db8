// The figures of a report: what was found how often, and what that means for the exit code.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "storage/run.h"

namespace linkherd::reports {

struct Summary {
  std::size_t occurrences = 0;
  std::size_t links = 0;  // unique
  std::size_t hosts = 0;
  std::map<storage::Health, std::size_t> by_health;  // unique links
  std::size_t untried = 0;                           // of the deferred: those whose host failed for other links
  std::size_t warnings = 0;                          // of the dead: those that only warn
  std::size_t broken_locally = 0;                    // of the dead: those that no network was needed for

  std::size_t count(storage::Health health) const {
    const auto found = by_health.find(health);
    return found == by_health.end() ? 0 : found->second;
  }
};

// Sees each link once.
class Summarizer {
 public:
  void add(const storage::CheckedLink& link);
  Summary summary() const;

 private:
  Summary counted_;
  std::unordered_set<std::string> hosts_;
};

// Dead, but judged by the content of its page, and not surely enough to fail a check: soft 404 and parked below
// confidence 0.9.
bool only_warns(const storage::Verdict& verdict);

// Dead by what stands in the list or on this machine: a missing file or anchor, an address that is none. Holds whatever
// the network did.
bool is_broken_locally(const storage::Verdict& verdict);

// Contract of the command line: 2 a dead link that no network was needed for, where `fail_on` has those, 4
// inconclusive, 2 another link in `fail_on` that does not only warn, 0 otherwise.
struct Outcome {
  int exit_code = 0;
  std::string why;  // one line
};
struct OutcomePolicy {
  std::vector<storage::Health> fail_on{storage::Health::dead, storage::Health::insecure};
  double max_deferred = 0.05;  // share of the links that may be deferred, beside those whose host failed
};
Outcome outcome(const Summary& summary, storage::RunState state, const OutcomePolicy& policy);

}  // namespace linkherd::reports
