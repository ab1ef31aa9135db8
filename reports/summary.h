// The counts of a report, and the exit code that follows from them.
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
  std::size_t broken_locally = 0;                    // of the dead: those found without the network, not accepted
  std::map<storage::Health, std::size_t> accepted;   // of by_health: what the user has accepted

  std::size_t count(storage::Health health) const {
    const auto found = by_health.find(health);
    return found == by_health.end() ? 0 : found->second;
  }
  std::size_t accepted_of(storage::Health health) const {
    const auto found = accepted.find(health);
    return found == accepted.end() ? 0 : found->second;
  }
  std::size_t accepted_links() const;
};

// How many pages had which metadata.
struct MetadataCounts {
  std::size_t pages = 0;  // with any of the three
  std::size_t titles = 0;
  std::size_t authors = 0;
  std::size_t dates = 0;

  void add(const storage::CheckedLink& link);
};

// Whether the page has a title, authors or a date of publication.
bool has_metadata(const storage::CheckedLink& link);

// Each link is added once.
class Summarizer {
 public:
  void add(const storage::CheckedLink& link, std::string_view host, bool accepted);  // host: empty where there is none
  Summary summary() const;

 private:
  Summary counted_;
  std::unordered_set<std::string> hosts_;
};

// Dead because of the list or the local files: a missing file or anchor, an invalid URL or mail address. This does not
// depend on the network.
bool is_broken_locally(const storage::Verdict& verdict);

// The exit code, by the first that applies: 2 a dead link that was found without the network, where `fail_on` has
// `dead`; 4 inconclusive; 2 another link in `fail_on`; 0. Accepted links do not count.
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
