// `linkherd store compact`: removes all data beyond the retention limits and reclaims the space.
#include <memory>
#include <ostream>
#include <string>

#include <fmt/format.h>

#include "crawler/cli/command.h"
#include "crawler/cli/options/option_table.h"
#include "crawler/cli/options/retention_options.h"
#include "crawler/cli/options/store_location.h"
#include "crawler/cli/process.h"
#include "crawler/clock/clock.h"
#include "reports/escape.h"
#include "reports/messages.h"
#include "storage/pruning.h"
#include "storage/store.h"
#include "storage/store_directory.h"

namespace linkherd::crawler {
namespace {

ExitCode run_compact(const CheckOptions& options, const Streams& streams) {
  refuse_unsafe_output(options.store, "--log-file", options.common.log_file);
  start_log(options.common);
  // Measured while the store is closed, because RocksDB preallocates space for files that it writes.
  const storage::StoreDirectory folder(store_location(options.store));
  const std::uint64_t before = folder.disk_use();
  std::unique_ptr<storage::Store> store = open_existing_store(options.store, options.wait_lock);
  const storage::PruneResult pruned =
      storage::prune(store->rows(), options.crawl.retention, Clock(options.common.now).now());
  store->publish();
  store.reset();
  log_pruning(pruned);
  if (!options.common.quiet) {
    streams.out << fmt::format("{}: {}, {} and {} removed, {} on disk, {} before\n",
                               reports::escape_for_terminal(store_location(options.store).string()),
                               reports::counted(pruned.runs, "run"), reports::counted(pruned.bodies, "stored page"),
                               reports::counted(pruned.links, "link"), reports::format_size(folder.disk_use()),
                               reports::format_size(before));
  }
  return ExitCode::ok;
}

}  // namespace

Command add_compact_command(CLI::App& app) {
  return add_command<CheckOptions>(app, "compact", "Remove data that the store no longer needs and free its disk space",
                                   commands::compact, run_compact);
}

}  // namespace linkherd::crawler
