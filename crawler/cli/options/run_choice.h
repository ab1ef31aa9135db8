// Which run of the store a command shows: the latest whole one of any inputs, that of certain inputs, or a numbered
// one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "parser/timestamp.h"
#include "storage/checked_links.h"
#include "storage/run.h"

namespace linkherd::crawler {

struct RunChoice {
  std::vector<std::string> inputs;      // as they are written on the command line; empty: of any
  std::optional<std::uint64_t> number;  // nullopt: the latest whole one
};

// The inputs and --run; returns the latter.
CLI::Option* add_run_choice(CLI::App& app, RunChoice& choice);

// In one order, without passwords.
std::vector<std::string> sorted_inputs(std::vector<std::string> inputs);

// The latest run that has the inputs, which may have others as well. `runs`: newest first, of the store at `location`.
// Throws StoreError, which names the runs there are.
const storage::Run& chosen_run(const std::vector<storage::Run>& runs, const RunChoice& choice,
                               const std::string& location);

// The links of a run that are written in the chosen inputs; null if these are all. `all`: those of the run. Throws
// StoreError where there is none.
std::unique_ptr<const storage::CheckedLinks> chosen_links(const storage::CheckedLinks& all, const storage::Run& run,
                                                          const RunChoice& choice, const std::string& location);

// The run that `shown` is compared with, the latest complete one before it of the same inputs, the same part of the
// links and the same vantage; null if there is none. `runs`: newest first.
const storage::Run* earlier_run(const std::vector<storage::Run>& runs, const storage::Run& shown);

// --since: the number of a run, a date, or "last".
struct SinceChoice {
  std::optional<std::uint64_t> number;
  std::optional<Timestamp> until;  // the latest complete run of the same inputs that ended by then
};
CLI::Option* add_since(CLI::App& app, SinceChoice& since);

// As chosen, else earlier_run(). Throws StoreError where a run was asked for that is not there.
const storage::Run* earlier_run(const std::vector<storage::Run>& runs, const storage::Run& shown,
                                const SinceChoice& since, const std::string& location);

// The latest whole run of each list of inputs that is not that of `shown`.
std::vector<storage::Run> runs_of_other_inputs(const std::vector<storage::Run>& runs, const storage::Run& shown);

// A run that was killed and not continued is told as it was when the next one began. `runs`: newest first.
storage::Run with_its_end(storage::Run run, const std::vector<storage::Run>& runs);

}  // namespace linkherd::crawler
