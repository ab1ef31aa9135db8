// Checks the links of input documents, up to the report. `check` writes the report from the results, and `fix` derives
// its changes.
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
#include "crawler/run/link_table_builder.h"
#include "parser/timestamp.h"
#include "storage/store.h"

namespace linkherd::crawler {

// Facts about the work of a run.
struct Work {
  std::size_t planned = 0;          // links in the input documents
  bool empty = false;               // true if none of them had to be checked
  std::vector<std::string> unread;  // input documents that were not read
  Unchanged unchanged;              // of --changed-since
};

struct Checked {
  const CheckOptions& options;
  const Work& work;
  std::string scope;                // which links of the input documents were selected; empty: all
  storage::Store* store = nullptr;  // may be null
  bool disk_was_full = false;       // true if there is no store for this reason
  const std::atomic<StopSignal>& stop;
  Timestamp now;
  CrawlResult result;
};

// A link table from another process.
struct GivenPlan {
  LinkTable plan;
  std::size_t all_links = 0;        // in all shards
  std::vector<std::string> unread;  // input documents that were not read
};

// Checks the links of the input documents, or of `given`, and passes the results to `finish`. Returns the result of
// `finish`, or an exit code if the run was stopped before that. Throws like the commands.
ExitCode check_lists(CheckOptions options, const Streams& streams, const std::function<ExitCode(Checked&)>& finish,
                     std::optional<GivenPlan> given = std::nullopt);

// Does the complete work of `check`. `on_complete` is called after the report of a complete run has been written.
ExitCode check_and_report(CheckOptions options, const Streams& streams, std::optional<GivenPlan> given = std::nullopt,
                          const std::function<void()>& on_complete = {});

// Returns the options for planning input documents. `filter` must outlive the result.
LinkTableOptions plan_options(const CheckOptions& options, const LinkFilter& filter);

}  // namespace linkherd::crawler
