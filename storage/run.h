// A run: one call of `check` over its inputs, which can be resumed until it is complete. Its identity is derived from
// its inputs and configuration, so the same command continues an interrupted run, and its output includes the earlier
// results.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parser/enum_names.h"
#include "parser/lists/link_occurrence.h"
#include "parser/timestamp.h"
#include "storage/excerpt.h"
#include "storage/host_state.h"
#include "storage/link_record.h"

namespace linkherd::storage {

// Names are printed and stored: DO NOT CHANGE them.
enum class RunState : std::uint8_t { open, complete, interrupted, outage };
inline constexpr std::array<EnumName<RunState>, 4> run_state_names{{{RunState::open, "open"},
                                                                    {RunState::complete, "complete"},
                                                                    {RunState::interrupted, "interrupted"},
                                                                    {RunState::outage, "outage"}}};

// One of the parts into which the links of a run are divided, to be checked apart (`check --shard`).
struct Shard {
  std::uint32_t number = 1;  // from 1 on
  std::uint32_t count = 1;
  std::string whole = {};   // the identity of the run that all parts make
  std::uint64_t links = 0;  // of all parts; 0: unknown

  bool operator==(const Shard&) const = default;
};

// "2/4", as it is written on the command line.
inline std::string describe(const Shard& shard) {
  return std::to_string(shard.number) + "/" + std::to_string(shard.count);
}

// A run in all stores that have it.
struct RunKey {
  std::string identity;
  Timestamp started_at;

  auto operator<=>(const RunKey&) const = default;  // NOLINT(modernize-use-nullptr): false alarm of clang-tidy 14
};

struct Run {
  std::uint64_t number = 0;  // 1, 2, 3, … in the store; 0: not stored
  std::string identity;      // content_digest of inputs and configuration
  std::vector<std::string> inputs;
  Timestamp started_at;
  std::optional<Timestamp> finished_at;
  RunState state = RunState::open;
  int strikes = 0;          // the number of strikes after which a link is dead; 0: unknown
  bool is_partial = false;  // checked only some links of its inputs; `report` does not show it by default
  std::map<Health, std::uint64_t> by_health = {};  // its links when it ended; empty where they were not counted
  std::string vantage = {};                        // where it looked from
  std::optional<Shard> shard = {};                 // of a run that has one part of the links
  std::vector<RunKey> parts = {};                  // of a run that was joined of its parts: these
  bool is_merged = false;              // taken over from another store, so its number says nothing of its time
  std::string subscriber_digest = {};  // a digest of whom its changes were told to, and of which inputs; empty: nobody

  RunKey key() const { return {identity, started_at}; }
  bool operator==(const Run&) const = default;
};

// A lower bound of the duration of a run: the number of links of a host times its request interval, and the pauses of
// the host. Not stored.
struct PaceBound {
  std::string host;  // with a non-default port
  std::size_t links = 0;
  Duration interval{};
  bool is_crawl_delay = false;            // its robots.txt asks for the interval
  std::optional<HostPauses> pauses = {};  // nullopt: none

  Duration min_duration() const {
    return interval * static_cast<Duration::rep>(links) + (pauses ? pauses->waited : Duration{});
  }
  bool operator==(const PaceBound&) const = default;
};

// Where a link stands first in the lists, and what a report on all links looks at in that occurrence.
struct FirstOccurrence {
  std::string file;
  std::uint32_t line = 0, column = 0;
  parser::LinkElement element = parser::LinkElement::link;
  parser::LinkRole role = parser::LinkRole::main;
  bool is_placeholder = false;
  bool is_only = true;  // the link has no other

  bool operator==(const FirstOccurrence&) const = default;
};

// A link in a run: its occurrences and its result.
struct RunEntry {
  LinkId id;
  std::vector<parser::LinkOccurrence> occurrences;
  bool finished = false;       // not checked again by a resumed run
  bool is_from_store = false;  // the verdict is from an earlier snapshot, without a request
  Verdict verdict;             // of this run; may be deferred or skipped although the record has an earlier snapshot

  bool operator==(const RunEntry&) const = default;
};

// What those to whom changes are told know of a link, where its entry in the run that was told last does not say it.
struct NotificationState {
  std::optional<Health> health;          // of a link that was not judged then, or whose verdict was not told
  std::optional<Timestamp> certificate;  // the end of its certificate, where that was told
  std::uint32_t repeats = 0;             // its entries that were told to repeat a page

  bool operator==(const NotificationState&) const = default;
};

// A link for reports: its entry in the run and its record.
struct CheckedLink {
  RunEntry entry;
  LinkRecord record;

  bool operator==(const CheckedLink&) const = default;
};

// Likewise with what a report on all links looks at in the snapshot, which may be missing in the record. Large: it is
// not moved.
struct ExcerptedLink {
  CheckedLink link;
  Excerpt excerpt;
};

}  // namespace linkherd::storage
