// `linkherd report`: the result of a run, by default the latest, from the store, without the network.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "crawler/clock/clock.h"
#include "crawler/commands/audit.h"
#include "crawler/commands/check_options.h"
#include "crawler/commands/command.h"
#include "crawler/commands/option_types.h"
#include "crawler/commands/process.h"
#include "crawler/commands/report_output.h"
#include "crawler/commands/run_choice.h"
#include "crawler/commands/store_location.h"
#include "storage/checked_links.h"
#include "storage/store.h"

namespace linkherd::crawler {
namespace {

struct ReportCommandOptions {
  CommonOptions common;
  ReportOptions report;
  std::string store;
  RunChoice choice;
  SinceChoice since;
};

ExitCode run_report(const ReportCommandOptions& options, const Streams& streams) {
  refuse_unsafe_output(options.store, "--log-file", options.common.log_file);
  for (const ReportOutput& output : options.report.outputs)
    refuse_unsafe_output(options.store, "--output", output.path);
  refuse_unsafe_output(options.store, "--audit", options.report.audit);
  require_new_folder(options.report.audit);
  start_log(options.common);
  const auto rules = read_tracking_rules(options.report.tracking_rules, streams, options.common.quiet);
  refuse_issue_of_changes(options.report);
  for (const ReportOutput& output : options.report.outputs) require_writable(output.path);
  const std::filesystem::path location = store_location(options.store);
  const std::unique_ptr<storage::Store> store = open_store_for_reading(options.store);
  const std::vector<storage::Run> runs = store->runs();
  const storage::Run& run = chosen_run(runs, options.choice, location.string());

  const storage::Run ended = with_its_end(run, runs);
  const storage::StoredLinks links(*store, ended);
  const Timestamp now = Clock(options.common.now).now();
  std::optional<reports::EarlierRun> since;
  const storage::Run* const before = earlier_run(runs, run, options.since, location.string());
  if (before != nullptr) since = reports::read_earlier_run(*store, *before);
  reports::Report report =
      report_of_run(links, run, since ? &*since : nullptr, options.report, rules ? &*rules : nullptr, now);
  report.store = location.string();
  if (options.choice.inputs.empty() && !options.choice.number) report.other_runs = runs_of_other_inputs(runs, run);

  report.outcome = reports::outcome(report.overview.summary, report.run.state, options.report.outcome);
  const bool silent = options.common.quiet && report.outcome.exit_code == 0;
  write_report(report, options.report, silent, streams);
  if (!options.report.audit.empty())
    write_audit(options.report.audit, {*store, ended, before}, options.report, rules ? &*rules : nullptr, streams);
  if (!silent) print_reason(streams, report.outcome.why);
  return static_cast<ExitCode>(report.outcome.exit_code);
}

}  // namespace

Command add_report_command(CLI::App& app) {
  auto options = std::make_shared<ReportCommandOptions>();  // shared with the CLI11 callbacks
  CLI::App* command =
      app.add_subcommand("report", "Report what the latest run found, from the store, without the network");
  add_run_choice(*command, options->choice);
  add_since(*command, options->since);
  add_store_option(*command, options->store);
  add_report_options(*command, options->report);
  add_common_options(*command, options->common);
  return {command, [options](const Streams& streams) { return run_report(*options, streams); }};
}

}  // namespace linkherd::crawler
