// What the subcommands share: the streams they talk to, their exit codes, and how they are registered. Each subcommand
// is one file pair; its add_… function declares the options (touching nothing else), its run does the work.
#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

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

// The outside of the process, so that tests and main() can give different ones.
struct Streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
};

// The options that every subcommand has.
struct CommonOptions {
  int verbose = 0;
  bool quiet = false;
  std::string log_file;
  std::string config_file;  // empty: linkherd.toml of the current folder, where there is one
  std::optional<Timestamp> now;
};

// A subcommand, ready to be run once the command line is parsed.
struct Command {
  CLI::App* app = nullptr;
  std::function<ExitCode(const Streams&)> run;
};

// The subcommands, each in the file that has its name.
Command add_check_command(CLI::App& app);
Command add_links_command(CLI::App& app);
Command add_url_command(CLI::App& app);
Command add_metadata_command(CLI::App& app);
Command add_report_command(CLI::App& app);
Command add_history_command(CLI::App& app);
Command add_rules_command(CLI::App& app);
Command add_accept_command(CLI::App& app);

// The last word on stderr: why the program ends as it does.
void say_why(const Streams& streams, const std::string& why);

}  // namespace linkherd::crawler
