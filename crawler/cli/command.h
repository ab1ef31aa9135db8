// Declares the common parts of the subcommands: streams, exit codes and registration. Each subcommand has one source
// file. Its add_… function only declares the options, and its run function does the work.
#pragma once

#include <chrono>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "parser/timestamp.h"

namespace linkherd::crawler {

enum class ExitCode {
  ok = 0,
  could_not_run = 1,
  broken_links = 2,
  bad_usage = 3,
  inconclusive = 4,
  hung_up = 129,
  interrupted = 130,
  closed_pipe = 141,
  terminated = 143,
};

enum class OutputFormat { text, json, jsonl };

// The streams of the process. Tests replace them.
struct Streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool is_out_terminal = false;
  bool is_err_terminal = false;
  mutable std::string last_reason = {};        // set by print_reason()
  mutable bool has_github_annotation = false;  // true if a report has an annotation with the reason for the exit code
};

// The options of every subcommand.
struct CommonOptions {
  int verbose = 0;
  bool quiet = false;
  std::string log_file;
  std::vector<std::string> config_files;  // empty: linkherd.toml, if it exists
  std::optional<Timestamp> now;
  // Time from the first signal to the end of the process, regardless of what it is doing.
  Duration shutdown_timeout = std::chrono::seconds(5);
};

// A subcommand that can run after the command line was parsed.
struct Command {
  CLI::App* app = nullptr;
  std::function<ExitCode(const Streams&)> run;
};

// The commands. Each is in the source file with its full name: `store verify` is in store_verify_command.cpp.
Command add_check_command(CLI::App& app);
Command add_plan_command(CLI::App& app);
Command add_worker_command(CLI::App& app);
Command add_collect_command(CLI::App& app);
Command add_status_command(CLI::App& app);
Command add_fix_command(CLI::App& app);
Command add_init_command(CLI::App& app);
Command add_links_command(CLI::App& app);
Command add_url_command(CLI::App& app);
Command add_metadata_command(CLI::App& app);
Command add_report_command(CLI::App& app);
Command add_history_command(CLI::App& app);
Command add_runs_command(CLI::App& app);
Command add_info_command(CLI::App& app);
Command add_verify_command(CLI::App& app);
Command add_backup_command(CLI::App& app);
Command add_restore_command(CLI::App& app);
Command add_compact_command(CLI::App& app);
Command add_forget_command(CLI::App& app);
Command add_merge_command(CLI::App& app);
Command add_export_command(CLI::App& app);
Command add_rules_command(CLI::App& app);
Command add_schema_command(CLI::App& app);
Command add_accept_command(CLI::App& app);
Command add_completions_command(CLI::App& app);
Command add_man_command(CLI::App& app);

// Writes the reason for the exit code to stderr, as the last line for people.
void print_reason(const Streams& streams, const std::string& why);

}  // namespace linkherd::crawler
