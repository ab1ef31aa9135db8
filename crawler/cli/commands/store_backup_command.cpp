// `linkherd store backup` and `linkherd store restore`: copy the store to a separate folder and back.
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include <fmt/format.h>

#include "crawler/cli/command.h"
#include "crawler/cli/options/option_types.h"
#include "crawler/cli/options/store_location.h"
#include "crawler/cli/process.h"
#include "parser/timestamp.h"
#include "reports/escape.h"
#include "storage/store.h"

namespace linkherd::crawler {
namespace {

struct BackupOptions {
  CommonOptions common;
  std::string store;
  std::string folder;
  std::uint32_t keep = 7;
  std::optional<std::uint32_t> backup;
  Duration wait_lock{};
};

void print_done(const Streams& streams, const BackupOptions& options, const std::string& result) {
  if (options.common.quiet) return;
  streams.out << fmt::format("{}: {}\n", reports::escape_for_terminal(store_location(options.store).string()),
                             reports::escape_for_terminal(result));
}

ExitCode run_backup(const BackupOptions& options, const Streams& streams) {
  refuse_unsafe_output(options.store, "--log-file", options.common.log_file);
  refuse_unsafe_output(options.store, "DIR", options.folder);
  start_log(options.common);
  open_existing_store(options.store, options.wait_lock)->back_up(options.folder, options.keep);
  print_done(streams, options, "copied to " + options.folder);
  return ExitCode::ok;
}

ExitCode run_restore(const BackupOptions& options, const Streams& streams) {
  refuse_unsafe_output(options.store, "--log-file", options.common.log_file);
  start_log(options.common);
  const storage::Restored restored = restore_store(options.store, options.folder, options.backup, options.wait_lock);
  print_done(streams, options,
             fmt::format("restored from backup {} of {} in {}{}", restored.backup, format_timestamp(restored.made_at),
                         options.folder,
                         restored.replaced_database.empty()
                             ? ""
                             : "; the previous data is kept in it as " + restored.replaced_database));
  return ExitCode::ok;
}

}  // namespace

Command add_backup_command(CLI::App& app) {
  auto options = std::make_shared<BackupOptions>();  // shared with the CLI11 callbacks
  CLI::App* command = app.add_subcommand("backup", "Back up the store to a folder, incrementally");
  command->add_option("DIR", options->folder, "New or empty folder, or one with earlier backups of this store")
      ->required();
  add_number(*command, "--keep", options->keep, 1, 100'000, "Number of backups to keep in the folder");
  add_store_option(*command, options->store);
  add_wait_lock_option(*command, options->wait_lock);
  add_common_options(*command, options->common);
  return {command, [options](const Streams& streams) { return run_backup(*options, streams); }};
}

Command add_restore_command(CLI::App& app) {
  auto options = std::make_shared<BackupOptions>();  // shared with the CLI11 callbacks
  CLI::App* command = app.add_subcommand("restore", "Restore the store from a backup");
  command->add_option("DIR", options->folder, "Folder that linkherd store backup wrote")->required();
  add_number(*command, "--backup", options->backup, 1, std::numeric_limits<std::uint32_t>::max(),
             "Number of the backup (default: the newest)")
      ->option_text("");
  add_store_option(*command, options->store);
  add_wait_lock_option(*command, options->wait_lock);
  add_common_options(*command, options->common);
  return {command, [options](const Streams& streams) { return run_restore(*options, streams); }};
}

}  // namespace linkherd::crawler
