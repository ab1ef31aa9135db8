// `linkherd store compact`: removes all data beyond the retention limits and reclaims the space.
#include <memory>
#include <ostream>
#include <string>

#include <fmt/format.h>

#include "crawler/cli/command.h"
#include "crawler/cli/options/option_types.h"
#include "crawler/cli/options/retention_options.h"
#include "crawler/cli/options/store_location.h"
#include "crawler/cli/process.h"
#include "crawler/clock/clock.h"
#include "reports/escape.h"
#include "reports/messages.h"
#include "storage/store.h"
#include "storage/store_directory.h"

namespace linkherd::crawler {
namespace {

struct CompactOptions {
  CommonOptions common;
  std::string store;
  Duration wait_lock{};
  storage::Retention retention;
};

ExitCode run_compact(const CompactOptions& options, const Streams& streams) {
  refuse_unsafe_output(options.store, "--log-file", options.common.log_file);
  start_log(options.common);
  // Measured while the store is closed, because RocksDB preallocates space for files that it writes.
  const storage::StoreDirectory folder(store_location(options.store));
  const std::uint64_t before = folder.disk_use();
  std::unique_ptr<storage::Store> store = open_existing_store(options.store, options.wait_lock);
  const storage::PruneResult pruned = store->prune(options.retention, Clock(options.common.now).now(), std::nullopt);
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
  auto options = std::make_shared<CompactOptions>();  // shared with the CLI11 callbacks
  CLI::App* command =
      app.add_subcommand("compact", "Remove data that the store no longer needs and free its disk space");
  add_store_option(*command, options->store);
  add_wait_lock_option(*command, options->wait_lock);
  add_retention_options(*command, options->retention);
  add_common_options(*command, options->common);
  return {command, [options](const Streams& streams) { return run_compact(*options, streams); }};
}

}  // namespace linkherd::crawler
