// `linkherd report`: the result of a run, by default the latest, from the store, without the network.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "crawler/clock/clock.h"
#include "crawler/commands/acceptances.h"
#include "crawler/commands/check_options.h"
#include "crawler/commands/command.h"
#include "crawler/commands/option_types.h"
#include "crawler/commands/process.h"
#include "crawler/commands/report_output.h"
#include "crawler/commands/store_location.h"
#include "parser/url/credentials.h"
#include "reports/wording.h"
#include "storage/checked_links.h"
#include "storage/store.h"

namespace linkherd::crawler {
namespace {

struct ReportCommandOptions {
  CommonOptions common;
  ReportOptions report;
  std::string store;
  std::vector<std::string> inputs;   // empty: the latest run of any
  std::optional<std::uint64_t> run;  // its number; nullopt: the latest whole one
};

std::string known_runs(const std::vector<storage::Run>& runs) {
  constexpr std::size_t most_named = 10;
  std::vector<std::uint64_t> numbers;
  for (std::size_t i = 0; i < std::min(most_named, runs.size()); ++i) numbers.push_back(runs[i].number);
  const std::string more = runs.size() > most_named ? fmt::format(" and {} more", runs.size() - most_named) : "";
  return fmt::format("{} {}{}", runs.size() == 1 ? "run" : "runs", fmt::join(numbers, ", "), more);
}

std::vector<std::string> sorted_inputs(std::vector<std::string> inputs) {
  for (std::string& input : inputs) input = parser::mask_password(input);
  std::ranges::sort(inputs);
  return inputs;
}

// Returns the run to show. `runs`: newest first.
const storage::Run& chosen_run(const std::vector<storage::Run>& runs, const ReportCommandOptions& options,
                               const std::string& location) {
  const auto fits = [&options, wanted = sorted_inputs(options.inputs)](const storage::Run& run) {
    if (options.run) return run.number == *options.run;
    return !run.is_partial && (wanted.empty() || sorted_inputs(run.inputs) == wanted);
  };
  const auto found = std::ranges::find_if(runs, fits);
  if (found != runs.end()) return *found;
  if (options.run && !runs.empty()) {
    throw storage::StoreError(
        fmt::format("the store {} has no run {}; it has {}", location, *options.run, known_runs(runs)));
  }
  if (!options.inputs.empty() && !runs.empty()) {
    throw storage::StoreError(fmt::format("the store {} has no run of {}; `linkherd runs` lists those there are",
                                          location, reports::inputs_in_words(options.inputs)));
  }
  throw storage::StoreError("the store " + location + " holds no run yet: start with `linkherd check`");
}

// The latest whole run of each list of inputs that is not that of `shown`.
std::vector<storage::Run> runs_of_other_inputs(const std::vector<storage::Run>& runs, const storage::Run& shown) {
  std::set<std::vector<std::string>> seen{sorted_inputs(shown.inputs)};
  std::vector<storage::Run> others;
  for (const storage::Run& run : runs) {
    if (!run.is_partial && seen.insert(sorted_inputs(run.inputs)).second) others.push_back(run);
  }
  return others;
}

// A run that was killed and not continued is told as it was when the next one began. `runs`: newest first.
storage::Run with_its_end(storage::Run run, const std::vector<storage::Run>& runs) {
  for (const storage::Run& later : runs) {
    if (later.number <= run.number) break;
    run.finished_at = later.started_at;
  }
  return run;
}

ExitCode run_report(const ReportCommandOptions& options, const Streams& streams) {
  refuse_output_in_store(options.store, "--log-file", options.common.log_file);
  refuse_output_in_store(options.store, "--output", options.report.output);
  start_log(options.common);
  const auto rules = read_tracking_rules(options.report.tracking_rules, streams, options.common.quiet);
  require_writable(options.report);
  const std::filesystem::path location = store_location(options.store);
  const std::unique_ptr<storage::Store> store = open_store_for_reading(options.store);
  const std::vector<storage::Run> runs = store->runs();
  const storage::Run& run = chosen_run(runs, options, location.string());

  const storage::StoredLinks links(*store, run.finished_at ? run : with_its_end(run, runs));
  const Timestamp now = Clock(options.common.now).now();
  reports::Report report =
      reports::report_on(links, options.report.duplicates, rules ? &*rules : nullptr,
                         find_accepted(options.report.accepted, now), {now, options.report.certificate_days});
  report.run = run;
  report.store = location.string();
  if (options.inputs.empty() && !options.run) report.other_runs = runs_of_other_inputs(runs, run);

  const reports::Outcome outcome = reports::outcome(report.overview.summary, report.run.state, options.report.outcome);
  const bool silent = options.common.quiet && outcome.exit_code == 0;
  if (!silent || options.report.format != OutputFormat::text) {
    write_report(report, options.report, options.common.verbose > 0, streams);
  }
  if (!silent) print_reason(streams, outcome.why);
  return static_cast<ExitCode>(outcome.exit_code);
}

}  // namespace

Command add_report_command(CLI::App& app) {
  auto options = std::make_shared<ReportCommandOptions>();  // shared with the CLI11 callbacks
  CLI::App* command =
      app.add_subcommand("report", "Report what the latest run found, from the store, without the network");
  CLI::Option* const inputs =
      command->add_option("INPUT", options->inputs, "Show the latest run of just these inputs (default: of any)");
  command->add_option("--run", options->run, "Show the run of this number, as `linkherd runs` lists them")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000'000))
      ->excludes(inputs);
  add_store_option(*command, options->store);
  add_report_options(*command, options->report);
  add_common_options(*command, options->common);
  return {command, [options](const Streams& streams) { return run_report(*options, streams); }};
}

}  // namespace linkherd::crawler
