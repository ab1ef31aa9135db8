// `linkherd store verify`: checks the store for damage and reports lost data.
#include <memory>
#include <ostream>
#include <string>

#include <fmt/format.h>

#include "crawler/cli/command.h"
#include "crawler/cli/options/option_table.h"
#include "crawler/cli/options/store_location.h"
#include "crawler/cli/process.h"
#include "reports/escape.h"
#include "reports/messages.h"
#include "reports/report_formats.h"
#include "storage/json_writer.h"
#include "storage/store.h"
#include "storage/verification.h"

namespace linkherd::crawler {
namespace {

std::string json_of(const std::string& store, const storage::Verification& found) {
  std::string text;
  storage::JsonWriter json(text);
  json.begin_object();
  json.member("schema", reports::json_schema);
  json.member("store", store);
  json.member("links", found.links);
  json.member("looks", found.history_rows);
  json.member("bodies", found.bodies);
  json.member("runs", found.runs);
  json.member("entries", found.entries);
  json.member("database_read", found.has_read_database);
  json.member("problem_count", found.problem_count);
  json.key("problems");
  json.begin_array();
  for (const std::string& problem : found.problems) json.text(problem);
  json.end_array();
  json.end_object();
  return text;
}

ExitCode run_verify(const CheckOptions& options, const Streams& streams) {
  refuse_unsafe_output(options.store, "--log-file", options.common.log_file);
  start_log(options.common);
  const std::string location = store_location(options.store).string();
  const std::unique_ptr<storage::Store> store = open_store_for_reading(options.store);
  const storage::Verification found = storage::verify(*store);
  if (options.format != OutputFormat::text) {
    streams.out << reports::escape_json(json_of(location, found)) << '\n';
  } else {
    for (const std::string& problem : found.problems) streams.out << reports::escape_for_terminal(problem) << '\n';
    if (!options.common.quiet) {
      streams.out << fmt::format(
          "{}: {}, {}, {}, {} with {}{}\n", reports::escape_for_terminal(location),
          reports::counted(found.links, "link"), reports::counted(found.history_rows, "check"),
          reports::counted(found.bodies, "stored page"), reports::counted(found.runs, "run"),
          reports::counted(found.entries, "result"),
          found.has_read_database ? "" : "; as of the last report: the database is in use and was not read");
    }
  }
  if (found.problem_count == 0) return ExitCode::ok;
  print_reason(streams, fmt::format("the store {} is damaged: {}; `linkherd check` stores missing pages again, and "
                                    "`linkherd store restore` restores a backup",
                                    location, reports::counted(found.problem_count, "problem")));
  return ExitCode::could_not_run;
}

}  // namespace

Command add_verify_command(CLI::App& app) {
  return add_command<CheckOptions>(app, "verify", "Read the whole store and report lost or damaged data",
                                   commands::verify, run_verify);
}

}  // namespace linkherd::crawler
