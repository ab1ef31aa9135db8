// `linkherd store backup` and `linkherd store restore`: copy the store to a separate folder and back.
#include <cstdint>
#include <limits>
#include <optional>
#include <ostream>
#include <string>

#include <fmt/format.h>

#include "crawler/cli/command.h"
#include "crawler/cli/options/option_table.h"
#include "crawler/cli/options/store_location.h"
#include "crawler/cli/process.h"
#include "parser/timestamp.h"
#include "reports/escape.h"
#include "storage/store.h"

namespace linkherd::crawler {
namespace {

struct BackupOptions : CheckOptions {
  std::string folder;
  std::uint32_t keep = 7;
  std::optional<std::uint32_t> backup;
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
  open_existing_store(options.store, options.wait_lock)->rows().back_up(options.folder, options.keep);
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
  return add_command<BackupOptions>(
      app, "backup", "Back up the store to a folder, incrementally", commands::backup, run_backup,
      [](BackupOptions& o) -> std::vector<Option> {
        return {{"DIR", read_text(o.folder), "New or empty folder, or one with earlier backups of this store",
                 any_command, required},
                {"--keep", read_number(o.keep, 1, 100'000), "Number of backups to keep in the folder"}};
      });
}

Command add_restore_command(CLI::App& app) {
  return add_command<BackupOptions>(
      app, "restore", "Restore the store from a backup", commands::restore, run_restore,
      [](BackupOptions& o) -> std::vector<Option> {
        constexpr std::int64_t max = std::numeric_limits<std::uint32_t>::max();
        return {{"DIR", read_text(o.folder), "Folder that linkherd store backup wrote", any_command, required},
                {"--backup", read_number(o.backup, 1, max, false), "Number of the backup (default: the newest)"}};
      });
}

}  // namespace linkherd::crawler
