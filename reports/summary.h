// Counts the links of a report, and decides the exit code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "storage/link_result.h"
#include "storage/run.h"

namespace linkherd::reports {

// Counts of links, each of which is added once.
struct Summary {
  std::size_t occurrences = 0;
  std::size_t links = 0;  // unique links
  std::size_t hosts = 0;
  std::map<storage::Health, std::size_t> by_health;  // unique links
  std::size_t fine = 0;                              // alive, or redirected unless permanently
  std::size_t unreached = 0;                         // deferred because the run ended before it reached them
  std::size_t untried = 0;                           // deferred because their host failed for other links
  std::size_t broken_locally = 0;  // dead links that were found without the network and are not accepted
  std::map<storage::Health, std::size_t> accepted;  // accepted links, which `by_health` includes
  // Links by the metadata of their pages.
  std::size_t pages = 0;  // with a title, authors or a date
  std::size_t titles = 0;
  std::size_t authors = 0;
  std::size_t dates = 0;
  std::size_t from_browser = 0;       // links whose page a browser showed
  std::vector<bool> is_host_counted;  // by index of the host

  // `host` is an index; 0: no host.
  void add(const storage::LinkResult& result, std::uint32_t host, bool is_accepted);

  std::size_t count(storage::Health health) const {
    const auto found = by_health.find(health);
    return found == by_health.end() ? 0 : found->second;
  }
  std::size_t accepted_of(storage::Health health) const {
    const auto found = accepted.find(health);
    return found == accepted.end() ? 0 : found->second;
  }
  std::size_t accepted_links() const;
  std::size_t failing(storage::Health health) const { return count(health) - accepted_of(health); }
  // Returns the number of dead and insecure links, except accepted ones.
  std::size_t broken() const { return failing(storage::Health::dead) + failing(storage::Health::insecure); }
};

// Returns true for links that are dead because of the list or of local files: a missing file or anchor, an invalid URL
// or mail address. This does not depend on the network.
bool is_broken_locally(const storage::Verdict& verdict);

// The exit code of a run. The first matching rule applies; accepted links do not count:
//
//   2   `fail_on` contains `dead`, and there is a dead link that was found without the network
//   4   the run is inconclusive
//   2   there is any other link in `fail_on`
//   0   otherwise
//
// `why` always contains the number of broken links, even if they do not fail the run.
struct Outcome {
  int exit_code = 0;
  std::string why;  // one line
};
struct OutcomePolicy {
  std::vector<storage::Health> fail_on{storage::Health::dead, storage::Health::insecure};
  double max_deferred = 0.05;  // maximum fraction of deferred links; excludes links whose host failed
};
Outcome outcome(const Summary& summary, storage::RunState state, const OutcomePolicy& policy);
// The same, but only links with news can fail the run. `all` counts all links, which determine whether the run is
// conclusive.
Outcome news_outcome(const Summary& news, const Summary& all, storage::RunState state, const OutcomePolicy& policy);

}  // namespace linkherd::reports
