// `linkherd broker collect`: runs `check` for a plan that `linkherd broker plan` stored at a broker.
#include <atomic>
#include <optional>
#include <utility>

#include "crawler/cli/command.h"
#include "crawler/cli/commands/check_lists.h"
#include "crawler/cli/options/broker_options.h"
#include "crawler/cli/options/option_table.h"
#include "crawler/cli/process.h"

namespace linkherd::crawler {
namespace {

ExitCode run_collect(CheckOptions options, const Streams& streams) {
  start_log(options.common);
  const std::atomic<StopSignal>& stop = watch_signals();
  const auto report_waiting = [&](const std::string& reason) {
    if (!options.common.quiet) print_reason(streams, reason + "; waiting");
  };
  std::optional<CollectedPlan> collected = take_plan(options.broker, report_waiting, stop);
  if (!collected) {
    print_reason(streams, "interrupted before the plan was read");
    return stopped_by(stop);
  }
  PlanHeader& header = collected->header;
  if (header.shard && options.notification.changes_only)
    throw CLI::ValidationError("--changes-only", "the plan contains only some of the links");
  options.lists.inputs = std::move(header.inputs);
  options.plan_settings = std::move(header.settings);
  options.crawl.shard = header.shard;
  options.selection.web_anchors = header.web_anchors;
  options.selection.given = std::move(header.filter);
  GivenPlan plan{std::move(collected->plan), header.all_links, std::move(header.unread)};
  return check_and_report(options, streams, std::move(plan), [&] { drop_plan(options.broker, header.plan); });
}

}  // namespace

Command add_collect_command(CLI::App& app) {
  return add_command<CheckOptions>(app, "collect", "Check the links of a plan through workers, and report broken links",
                                   commands::collect, run_collect);
}

}  // namespace linkherd::crawler
