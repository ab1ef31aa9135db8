// Compares the links of a run with an earlier run: newly broken, recovered, moved and so on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "parser/enum_names.h"
#include "storage/link_id.h"
#include "storage/link_result.h"
#include "storage/run.h"

namespace linkherd::storage {
class Store;
}

namespace linkherd::reports {

// The change of a link since the earlier run; the first matching value applies. "Broken" means dead or insecure.
// Names are printed: DO NOT CHANGE them.
enum class Change : std::uint8_t {
  broken,        // broken now but not before, or broken and new in the lists
  drifted,       // suspect, because the page became another page; neither broken nor suspect before
  suspect,       // suspect for another reason; neither broken nor suspect before
  recovered,     // broken or suspect before, and the page exists now
  moved,         // permanently redirected now; before not redirected, or to another URL
  still,         // broken or suspect before, and neither better nor worse now
  inconclusive,  // alive, broken or suspect before; now no response, blocked, or not checked
  added,         // not in the lists before
  same,          // everything else
};
inline constexpr std::array<EnumName<Change>, 9> change_names{{{Change::broken, "new"},
                                                               {Change::drifted, "drifted"},
                                                               {Change::suspect, "suspect"},
                                                               {Change::recovered, "recovered"},
                                                               {Change::moved, "moved"},
                                                               {Change::still, "still"},
                                                               {Change::inconclusive, "unjudged"},
                                                               {Change::added, "added"},
                                                               {Change::same, "same"}}};

// Returns true if the verdict determines the state of the page: alive, redirected, broken or suspect.
bool is_conclusive(storage::Health health);

// Returns true if a report of changes lists a link with this change.
bool is_news(Change change);

struct LinkChange {
  Change change = Change::same;
  std::optional<storage::Health> before;  // nullopt: not in the lists of the earlier run

  bool operator==(const LinkChange&) const = default;
};

// The results of an earlier run that later runs are compared with. Takes some 20 bytes per link.
struct EarlierRun {
  storage::Run run;                                                  // number 0: there is no earlier run
  std::vector<std::pair<storage::LinkId, storage::Health>> healths;  // sorted by id
  bool is_notified = false;  // the comparison decides which changes subscribers are notified of
  // The states that subscribers know of these links, if it differs from `healths`.
  std::map<storage::LinkId, storage::NotificationState> notification_states;

  std::optional<storage::Health> health(const storage::LinkId& id) const;
  // Returns the health of a link in the earlier run, or nullopt. `near` is an index into `healths`: the search starts
  // there, and sets it to the index of the link or of the next one. Fast for ascending ids.
  std::optional<storage::Health> health(const storage::LinkId& id, std::size_t& near) const;
  const storage::NotificationState* notification_state(
      const storage::LinkId& id) const;  // nullptr: only the health is known

 private:
  std::size_t index_of(const storage::LinkId& id) const;
};
EarlierRun read_earlier_run(const storage::Store& store, storage::Run run);
// Reads the run whose changes subscribers were last notified of. If `run` is nullopt, there was no such run, and
// everything counts as new.
EarlierRun read_notified_run(const storage::Store& store, const std::optional<storage::Run>& run);

// `before` is the health of the link in `earlier`; nullopt: it was not in the lists.
LinkChange change_of(const storage::LinkResult& result, std::optional<storage::Health> before,
                     const storage::Run& earlier);

struct Changes {
  std::optional<storage::Run> since;  // nullopt: there is no earlier run
  // Number of links by change; accepted failures do not count as news.
  std::array<std::size_t, change_names.size()> counts{};
  std::size_t removed = 0;     // links of the earlier run that are missing in this one
  std::size_t duplicates = 0;  // groups of duplicates with a new link
  // The earlier run is the one of the last notification. `duplicates` then counts the groups with an entry that was not
  // reported as a duplicate yet.
  bool is_since_notification = false;
  std::size_t certificates = 0;  // hosts with an unreported certificate that ends soon; 0 unless is_since_notification

  std::size_t count(Change change) const { return counts[static_cast<std::size_t>(change)]; }
  std::size_t news() const;  // number of links for which is_news() returns true
  bool should_notify() const { return news() + duplicates + certificates > 0; }
};

}  // namespace linkherd::reports
