// `linkherd report`: reports a run, by default the latest, from the store and without the network.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "crawler/cli/audit.h"
#include "crawler/cli/command.h"
#include "crawler/cli/options/option_table.h"
#include "crawler/cli/options/rule_options.h"
#include "crawler/cli/options/run_choice.h"
#include "crawler/cli/options/store_location.h"
#include "crawler/cli/process.h"
#include "crawler/cli/report_output.h"
#include "crawler/clock/clock.h"
#include "reports/messages.h"
#include "storage/checked_links.h"
#include "storage/store.h"

namespace linkherd::crawler {
namespace {

// Returns how many results are missing, compared with the counts at the end of the run, because their rows were
// damaged.
std::uint64_t count_lost(const storage::Run& run, const reports::Summary& summary) {
  std::uint64_t lost = 0;
  for (const auto& [health, count] : run.by_health)
    lost += count - std::min<std::uint64_t>(count, summary.count(health));
  return lost;
}

// Describes what damage removed from the report; empty if the report is complete. `all`: counts of all links of the
// run; null if the report has only some. `is_numbered`: the user chose `run` by number.
std::string describe_loss(const storage::Store& store, const storage::Run& run, const reports::Summary* all,
                          bool is_numbered) {
  const std::optional<std::uint64_t> lost_run = is_numbered ? std::nullopt : store.lost_run();
  if (lost_run) return fmt::format("run {} was lost, so this is run {}", *lost_run, run.number);
  const std::uint64_t lost = all == nullptr ? 0 : count_lost(run, *all);
  return lost == 0 ? std::string() : "the results of " + reports::counted(lost, "link") + " are lost";
}

ExitCode run_report(const CheckOptions& options, const Streams& streams) {
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

  const storage::Run ended = with_inferred_end(run, runs);
  const storage::StoredLinks all(*store, ended);
  const std::unique_ptr<const storage::CheckedLinks> chosen = chosen_links(all, run, options.choice, location.string());
  if (chosen != nullptr && !options.report.audit.empty())
    throw CLI::ValidationError("--audit", "it always covers a whole run: omit the inputs, or name those of the run");
  const storage::CheckedLinks& links = chosen == nullptr ? all : *chosen;
  storage::Run shown = run;
  shown.is_partial = run.is_partial || chosen != nullptr;
  const Timestamp now = Clock(options.common.now).now();
  std::optional<reports::EarlierRun> since;
  const storage::Run* const before = earlier_run(runs, run, options.since, location.string());
  if (before != nullptr) since = reports::read_earlier_run(*store, *before);
  reports::Report report =
      make_run_report(links, shown, since ? &*since : nullptr, options.report, rules ? &*rules : nullptr, now);
  report.store = location.string();
  if (chosen != nullptr)
    report.scope = fmt::format("Only links in {}.", reports::describe_inputs(options.choice.inputs));
  if (options.choice.inputs.empty() && !options.choice.number) report.other_runs = find_runs_of_other_inputs(runs, run);

  report.outcome = reports::outcome(report.summary, report.run.state, options.report.outcome);
  const std::string loss =
      describe_loss(*store, run, chosen == nullptr ? &report.summary : nullptr, options.choice.number.has_value());
  if (!loss.empty()) {
    const std::string why = fmt::format("the store was damaged and {}: run `linkherd check` again", loss);
    const bool is_fine = report.outcome.exit_code == 0;  // as far as is known
    report.outcome = is_fine ? reports::Outcome{static_cast<int>(ExitCode::could_not_run), why}
                             : reports::Outcome{report.outcome.exit_code, report.outcome.why + "; " + why};
  }
  // The report contains the outcome of the run, but that is not a failure of this command.
  auto code = static_cast<ExitCode>(options.report.has_fail_on_option ? report.outcome.exit_code : 0);
  if (code == ExitCode::ok && !loss.empty()) code = ExitCode::could_not_run;
  const bool is_quiet = options.common.quiet && code == ExitCode::ok;
  write_report(report, options.report, is_quiet, streams);
  if (!options.report.audit.empty())
    write_audit(options.report.audit, {*store, ended, before}, options.report, rules ? &*rules : nullptr, streams);
  if (!is_quiet) print_reason(streams, report.outcome.why);
  return code;
}

}  // namespace

Command add_report_command(CLI::App& app) {
  return add_command<CheckOptions>(app, "report", "Show the report of an earlier run, without the network",
                                   commands::report, run_report);
}

}  // namespace linkherd::crawler
