// `linkherd broker plan`: sends the sorted links of the input documents to a broker, for `linkherd broker collect` on
// another machine. Uses bounded memory for any number of links.
#include <atomic>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "crawler/cli/command.h"
#include "crawler/cli/commands/check_lists.h"
#include "crawler/cli/options/broker_options.h"
#include "crawler/cli/options/list_inputs.h"
#include "crawler/cli/options/option_table.h"
#include "crawler/cli/process.h"
#include "crawler/run/link_sorter.h"
#include "crawler/run/link_table_builder.h"
#include "parser/url/credentials.h"
#include "reports/messages.h"

namespace linkherd::crawler {
namespace {

struct PlanCommandOptions : CheckOptions {
  bool replace = false;
};

PlanHeader header_of(const CheckOptions& options, Timestamp now) {
  PlanHeader plan;
  plan.made_at = now;
  for (const std::string& input : input_names(options.lists)) plan.inputs.push_back(parser::mask_password(input));
  plan.settings = describe_plan(options);
  plan.shard = options.crawl.shard;
  plan.web_anchors = options.selection.web_anchors;
  plan.filter = filter_options(options.selection);
  plan.filter.remap.clear();  // already applied to the links
  return plan;
}

ExitCode run_plan(PlanCommandOptions options, const Streams& streams) {
  options.lists.any_size = true;
  start_log(options.common);
  read_ignore_files(options.selection);
  const LinkFilter filter = make_link_filter(options.selection);
  const std::atomic<StopSignal>& stop = watch_signals();
  std::optional<ImmediateExitOnSignal> reading(std::in_place, "the documents");
  const Clock clock(options.common.now);
  PlanHeader header = header_of(options, clock.now());
  require_room_for_plan(options.broker, header, options.replace);

  LinkSorter links(options.crawl.shard);
  LinkTableOptions planning = plan_options(options, filter);
  LocalLinks local(options.selection.local);
  planning.local = &local;
  planning.take_part = [&](const LinkTable& part, std::uint64_t order) { links.add(part, order); };
  {
    LinkTableBuilder planner(planning);
    SourceList lists = read_lists(options.lists, streams, options.common.quiet, FetchLists(),
                                  [&planner](InputDocument list) { planner.add(std::move(list)); });
    planner.finish();
    header.unread = std::move(lists.unread);
  }
  reading.reset();
  if (links.empty()) {
    const reports::Outcome end = outcome_without_links(options.lists, header.unread);
    if (end.exit_code != 0 || !options.common.quiet) print_reason(streams, end.why);
    return static_cast<ExitCode>(end.exit_code);
  }
  if (!send_plan(options.broker, header, links, options.replace, stop)) {
    print_reason(streams, "interrupted: no plan was sent to the broker");
    return stopped_by(stop);
  }
  if (!options.common.quiet) {
    print_reason(streams, fmt::format("{} planned, in {}", reports::counted(header.links, "link"),
                                      reports::counted(header.pieces, "message")));
  }
  if (header.unread.empty()) return ExitCode::ok;
  print_reason(streams, header.unread.front());
  return ExitCode::could_not_run;
}

}  // namespace

Command add_plan_command(CLI::App& app) {
  return add_command<PlanCommandOptions>(
      app, "plan", "Send the links in your files to the broker, for linkherd broker collect", commands::plan, run_plan,
      [](PlanCommandOptions& o) -> std::vector<Option> {
        return {{"--replace", read_flag(o.replace),
                 "Replace a plan that was not collected and has other inputs or settings"}};
      });
}

}  // namespace linkherd::crawler
