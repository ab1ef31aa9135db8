// `linkherd broker worker`: fetches links for runs on other machines.
#include <atomic>
#include <memory>

#include "crawler/cli/command.h"
#include "crawler/cli/options/broker_options.h"
#include "crawler/cli/options/check_options.h"
#include "crawler/cli/options/request_options.h"
#include "crawler/cli/pdf_process.h"
#include "crawler/cli/process.h"

namespace linkherd::crawler {
namespace {

struct WorkerCommandOptions {
  CheckOptions check;  // only the options for requests are used
  BrokerOptions broker;
};

ExitCode run_worker(const WorkerCommandOptions& options, const Streams& streams) {
  check_request_options(options.check.crawl.fetch);
  start_log(options.check.common);
  raise_file_limit();
  const std::atomic<StopSignal>& stop = watch_signals();
  const Clock clock(options.check.common.now);
  CrawlOptions crawl = options.check.crawl;
  crawl.read_pdf = read_pdf_in_subprocess;
  work_for_broker(options.broker, crawl, clock, stop);
  if (!options.check.common.quiet) print_reason(streams, "stopped; unfinished requests go to other workers");
  return ExitCode::ok;
}

}  // namespace

Command add_worker_command(CLI::App& app) {
  auto options = std::make_shared<WorkerCommandOptions>();  // shared with the CLI11 callbacks
  CLI::App* command =
      app.add_subcommand("worker", "Fetch links for check --broker or broker collect on other machines");
  add_broker_options(*command, options->broker)->required();
  add_warc_dir_option(*command, options->broker);
  add_request_policies(*command, options->check.crawl);
  add_run_options(*command, options->check);
  return {command, [options](const Streams& streams) { return run_worker(*options, streams); }};
}

}  // namespace linkherd::crawler
