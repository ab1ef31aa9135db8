// How the links of a run differ from what an earlier run found: what is newly broken, what works again, what moved.
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
#include "storage/run.h"

namespace linkherd::storage {
class Store;
}

namespace linkherd::reports {

// Names are printed: DO NOT CHANGE them. The first that fits is what became of a link. "Broken" is dead or insecure.
enum class Change : std::uint8_t {
  broken,        // broken now, and not broken then; also where the lists did not have it then
  drifted,       // suspect, because the page became another one, and neither broken nor suspect then
  suspect,       // suspect for another reason, and neither broken nor suspect then
  recovered,     // broken or suspect then, and there now
  moved,         // permanently, and not so then, or to somewhere else
  still,         // broken or suspect then, and no better and no worse now
  inconclusive,  // there, broken or suspect then; now no answer, a refusal, or not tried
  added,         // not in the lists then
  same,          // anything else
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

// Whether a verdict says what became of a page: there, broken or suspect.
bool is_conclusive(storage::Health health);

// What a report of changes lists link by link.
bool is_news(Change change);

struct LinkChange {
  Change change = Change::same;
  std::optional<storage::Health> before;  // nullopt: not in the lists then

  bool operator==(const LinkChange&) const = default;
};

// What a run found, as far as later ones are compared with it: some 20 bytes a link.
struct EarlierRun {
  storage::Run run;                                                  // number 0: there is none yet
  std::vector<std::pair<storage::LinkId, storage::Health>> healths;  // sorted by id
  bool is_notified = false;                                          // it is compared with to tell each change once …
  std::map<storage::LinkId, storage::NotificationState>
      notification_states;  // … so this, where there is something, is what the links were

  std::optional<storage::Health> health(const storage::LinkId& id) const;
  // `near`: a place in `healths`; it becomes that of the link, or of the next one. Quick where the ids that are asked
  // for ascend.
  std::optional<storage::Health> health(const storage::LinkId& id, std::size_t& near) const;
  const storage::NotificationState* notification_state(
      const storage::LinkId& id) const;  // null: nothing beside its health

 private:
  std::size_t index_of(const storage::LinkId& id) const;
};
EarlierRun read_earlier_run(const storage::Store& store, storage::Run run);
// Of the run whose changes were told last; nullopt: none was, and everything is to be told.
EarlierRun read_notified_run(const storage::Store& store, const std::optional<storage::Run>& run);

// `before`: what `earlier` has of the link.
LinkChange change_of(const storage::CheckedLink& link, std::optional<storage::Health> before,
                     const storage::Run& earlier);

struct Changes {
  std::optional<storage::Run> since;  // nullopt: there is no run to compare with, and nothing else is set
  std::vector<LinkChange> links;      // by number
  std::array<std::size_t, change_names.size()> counts{};  // of links; what the user has accepted is not news
  std::size_t removed = 0;                                // links of the earlier run that this one does not have
  std::size_t repeated = 0;                               // groups of repeated entries with a link that was added
  // Compared with the run that was told last: then `repeated` counts groups with an entry that was not told to repeat.
  bool is_since_notification = false;
  std::size_t certificates =
      0;  // hosts whose certificate ends soon, which was not told; only where is_since_notification

  std::size_t count(Change change) const { return counts[static_cast<std::size_t>(change)]; }
  std::size_t news() const;  // links that changed, as is_news() says
  bool should_notify() const { return news() + repeated + certificates > 0; }
  // Null where there is nothing to compare with.
  const LinkChange* of(std::size_t link) const { return since ? &links[link] : nullptr; }
};

// Compares links, added once each in any order, with an earlier run; null: with none.
class ChangeFinder {
 public:
  ChangeFinder(const EarlierRun* earlier, std::size_t links);

  // What the earlier run has of the link. Thread-safe.
  // `near`: as in EarlierRun.
  std::optional<storage::Health> before(const storage::LinkId& id, std::size_t& near) const;
  // Whether the change is news. `before`: as before() gives it.
  bool add(std::size_t number, const storage::CheckedLink& link, std::optional<storage::Health> before,
           bool is_accepted);
  Changes take() { return std::move(changes_); }

 private:
  const EarlierRun* earlier_;
  Changes changes_;
};

}  // namespace linkherd::reports
