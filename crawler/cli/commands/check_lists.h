// A check of lists up to where a report would be written: what `check` reports, and `fix` goes by.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/cli/command.h"
#include "crawler/cli/options/check_options.h"
#include "crawler/run/crawl.h"
#include "crawler/run/planner.h"
#include "parser/timestamp.h"
#include "storage/store.h"

namespace linkherd::crawler {

// What a run had to do.
struct Work {
  std::size_t planned = 0;          // links of the lists
  bool empty = false;               // none of them was left to check
  std::vector<std::string> missed;  // lists that were not read
  Unchanged unchanged;              // of --changed-since
};

struct Checked {
  const CheckOptions& options;
  const Work& work;
  std::string scope;                // which links of the lists, where it is not all; else empty
  storage::Store* store = nullptr;  // may be null
  bool disk_was_full = false;       // so there is no store
  const std::atomic<StopSignal>& stop;
  Timestamp now;
  CrawlResult result;
};

// A plan that was made elsewhere.
struct GivenPlan {
  Plan plan;
  std::size_t all_links = 0;        // of all shards
  std::vector<std::string> missed;  // lists that were not read
};

// Checks the links of the lists, or of `given`, and hands over what was found. Returns what `finish` returns, or how
// the run was stopped before it. Throws as the commands do.
ExitCode check_lists(CheckOptions options, const Streams& streams, const std::function<ExitCode(Checked&)>& finish,
                     std::optional<GivenPlan> given = std::nullopt);

// All that `check` does. `on_complete` is called when the report of a run that is complete has been written.
ExitCode check_and_report(CheckOptions options, const Streams& streams, std::optional<GivenPlan> given = std::nullopt,
                          const std::function<void()>& on_complete = {});

// How the lists are planned. `filter` outlives the result.
PlanOptions plan_options(const CheckOptions& options, const LinkFilter& filter);

}  // namespace linkherd::crawler
