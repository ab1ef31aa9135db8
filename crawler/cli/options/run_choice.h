// Selects the stored run that a command shows: the latest whole run of any inputs, the latest run of certain inputs, or
// a numbered run. A run is whole if it is neither a shard nor partial. A shard is shown only if no
// whole run fits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "crawler/cli/options/option.h"
#include "parser/timestamp.h"
#include "storage/checked_links.h"
#include "storage/run.h"

namespace linkherd::crawler {

struct RunChoice {
  std::vector<std::string> inputs;      // as written on the command line; empty: any
  std::optional<std::uint64_t> number;  // nullopt: the latest whole run
};

// Returns the inputs in a canonical order, without passwords.
std::vector<std::string> sorted_inputs(std::vector<std::string> inputs);

// Returns the latest run with the inputs; it may have further inputs. `runs`: newest first, of the store at `location`.
// Throws StoreError, which names the existing runs.
const storage::Run& chosen_run(const std::vector<storage::Run>& runs, const RunChoice& choice,
                               const std::string& location);

// Returns the links of a run that occur in the chosen inputs, or null if these are all links. `all`: the links of the
// run. Throws StoreError if there is no such link.
std::unique_ptr<const storage::CheckedLinks> chosen_links(const storage::CheckedLinks& all, const storage::Run& run,
                                                          const RunChoice& choice, const std::string& location);

// Returns the run to compare `shown` with: the latest complete run before it with the same inputs, shard and vantage
// point. Returns null if there is none. `runs`: newest first.
const storage::Run* earlier_run(const std::vector<storage::Run>& runs, const storage::Run& shown);

// --since: the number of a run, a date, or "last".
struct SinceChoice {
  std::optional<std::uint64_t> number;
  std::optional<Timestamp> until;  // selects the latest complete run of the same inputs that ended by this time
};
OptionTarget read_since(SinceChoice& since);

// Returns the chosen run, or else earlier_run(). Throws StoreError if the chosen run does not exist.
const storage::Run* earlier_run(const std::vector<storage::Run>& runs, const storage::Run& shown,
                                const SinceChoice& since, const std::string& location);

// Returns the latest run of each set of inputs other than that of `shown`. Partial runs are ignored.
std::vector<storage::Run> find_runs_of_other_inputs(const std::vector<storage::Run>& runs, const storage::Run& shown);

// Returns `run` with an end time. A run that was killed and not continued ended when the next run began. `runs`: newest
// first.
storage::Run with_inferred_end(storage::Run run, const std::vector<storage::Run>& runs);

}  // namespace linkherd::crawler
