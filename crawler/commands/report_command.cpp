#include "crawler/commands/report_command.h"

#include <algorithm>
#include <memory>
#include <tuple>

#include "crawler/commands/check_options.h"
#include "crawler/commands/option_types.h"
#include "crawler/commands/process.h"
#include "crawler/commands/report_output.h"
#include "crawler/commands/store_location.h"
#include "crawler/commands/tracking_rules_option.h"
#include "storage/store.h"

namespace linkherd::crawler {
namespace {

struct ReportCommandOptions {
  CommonOptions common;
  ReportOptions report;
  std::string store;
};

// The store keeps links by id; people read them in the order of their lists.
void sort_by_place(std::vector<storage::CheckedLink>& links) {
  const auto place = [](const storage::CheckedLink& link) {
    const auto& first = link.entry.occurrences.front();
    return std::tie(first.file, first.line, first.column);
  };
  std::erase_if(links, [](const storage::CheckedLink& link) { return link.entry.occurrences.empty(); });
  std::ranges::sort(links, {}, place);
}

ExitCode run_report(const ReportCommandOptions& options, const Streams& streams) {
  start_log(options.common);
  const auto rules = read_tracking_rules(options.report.tracking_rules, streams, options.common.quiet);
  const std::filesystem::path location = store_location(options.store);
  const std::unique_ptr<storage::Store> store = storage::Store::open_for_reading(location);
  const std::optional<storage::Run> run = store->latest_run();
  if (!run)
    throw storage::StoreError("the store " + location.string() + " holds no run yet: start with `linkherd check`");

  reports::Report report;
  report.run = *run;
  report.store = location.string();
  store->for_each_link(*run, [&report](storage::CheckedLink link) {
    report.links.push_back(std::move(link));
    return true;
  });
  sort_by_place(report.links);
  report.duplicates = reports::find_duplicates(report.links, options.report.duplicates, rules ? &*rules : nullptr);

  const reports::Outcome outcome = reports::outcome(report, options.report.outcome);
  const bool silent = options.common.quiet && outcome.exit_code == 0;
  if (!silent || options.report.format != OutputFormat::text) {
    write_report(report, options.report, options.common.verbose > 0, streams);
  }
  if (!silent) say_why(streams, outcome.why);
  return static_cast<ExitCode>(outcome.exit_code);
}

}  // namespace

Command add_report_command(CLI::App& app) {
  auto options = std::make_shared<ReportCommandOptions>();  // shared with the CLI11 callbacks
  CLI::App* command =
      app.add_subcommand("report", "Report what the latest run found, from the store, without the network");
  add_store_option(*command, options->store);
  add_report_options(*command, options->report);
  add_common_options(*command, options->common);
  return {command, [options](const Streams& streams) { return run_report(*options, streams); }};
}

}  // namespace linkherd::crawler
