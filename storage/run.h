// A run: one call of `check` over its inputs. It can be resumed until it is complete. Its identity is derived from its
// inputs and configuration, so the same command continues an interrupted run. The output then includes the earlier
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
#include "parser/timestamp.h"
#include "storage/host_state.h"
#include "storage/verdict.h"

namespace linkherd::storage {

// Names are printed and stored: DO NOT CHANGE them.
enum class RunState : std::uint8_t { open, complete, interrupted, outage };
inline constexpr std::array<EnumName<RunState>, 4> run_state_names{{{RunState::open, "open"},
                                                                    {RunState::complete, "complete"},
                                                                    {RunState::interrupted, "interrupted"},
                                                                    {RunState::outage, "outage"}}};

// One part of the links of a run that is divided into parts (`check --shard`).
struct Shard {
  std::uint32_t number = 1;  // from 1 to `count`
  std::uint32_t count = 1;
  std::string whole = {};   // identity of the run that all parts form together
  std::uint64_t links = 0;  // number of links in all parts; 0: unknown

  bool operator==(const Shard&) const = default;
};

// Returns the form of the command line: "2/4".
inline std::string describe(const Shard& shard) {
  return std::to_string(shard.number) + "/" + std::to_string(shard.count);
}

// Identifies a run across stores. Run numbers differ between stores.
struct RunKey {
  std::string identity;
  Timestamp started_at;

  auto operator<=>(const RunKey&) const = default;  // NOLINT(modernize-use-nullptr): false alarm of clang-tidy 14
};

struct Run {
  std::uint64_t number = 0;  // 1, 2, 3, … within the store; 0: not stored
  std::string identity;      // content_digest of inputs and configuration
  std::vector<std::string> inputs;
  Timestamp started_at;
  std::optional<Timestamp> finished_at;
  RunState state = RunState::open;
  int strikes = 0;          // number of strikes after which a link is dead; 0: unknown
  bool is_partial = false;  // checked only some links of its inputs; not shown by `report` by default
  std::map<Health, std::uint64_t> by_health = {};  // links at the end of the run; empty if they were not counted
  std::string vantage = {};                        // the vantage point that it checked from; may be empty
  std::optional<Shard> shard = {};                 // set if the run checks one part of the links
  std::vector<RunKey> parts = {};                  // the runs that were joined into this one; empty for other runs
  bool is_merged = false;                          // copied from another store, so its number does not reflect its time
  // Digest of the subscribers that received its changes, and of its inputs; empty: nobody.
  std::string subscriber_digest = {};

  RunKey key() const { return {identity, started_at}; }
  bool operator==(const Run&) const = default;
};

// A lower bound of the duration of a run, given by one host: the number of its links times the request interval, plus
// the pauses of the host. Not stored.
struct PaceBound {
  std::string host;  // with the port unless it is the default
  std::size_t links = 0;
  Duration interval{};
  bool is_crawl_delay = false;            // the interval is the Crawl-delay of robots.txt
  std::optional<HostPauses> pauses = {};  // nullopt: the host caused no pauses

  Duration min_duration() const {
    return interval * static_cast<Duration::rep>(links) + (pauses ? pauses->waited : Duration{});
  }
  bool operator==(const PaceBound&) const = default;
};

// The notification state of a link: what subscribers were last notified of. It is stored only if the link's result in
// the run of the last notification does not imply it.
struct NotificationState {
  std::optional<Health> health;          // set if that run did not evaluate the link, or did not report its verdict
  std::optional<Timestamp> certificate;  // expiry date of the certificate, if it was reported
  std::uint32_t repeats = 0;             // number of entries that were reported as duplicates

  bool operator==(const NotificationState&) const = default;
};

}  // namespace linkherd::storage
