// `linkherd broker worker`: fetches links for runs on other machines.
#include <atomic>
#include <memory>

#include "crawler/cli/command.h"
#include "crawler/cli/options/broker_options.h"
#include "crawler/cli/options/option_table.h"
#include "crawler/cli/options/request_options.h"
#include "crawler/cli/pdf_process.h"
#include "crawler/cli/process.h"

namespace linkherd::crawler {
namespace {

ExitCode run_worker(const CheckOptions& options, const Streams& streams) {
  check_request_options(options.crawl.fetch);
  start_log(options.common);
  raise_file_limit();
  const std::atomic<StopSignal>& stop = watch_signals();
  const Clock clock(options.common.now);
  CrawlOptions crawl = options.crawl;
  crawl.read_pdf = read_pdf_in_subprocess;
  work_for_broker(options.broker, crawl, clock, stop);
  if (!options.common.quiet) print_reason(streams, "stopped; unfinished requests go to other workers");
  return ExitCode::ok;
}

}  // namespace

Command add_worker_command(CLI::App& app) {
  return add_command<CheckOptions>(app, "worker", "Fetch links for check --broker or broker collect on other machines",
                                   commands::worker, run_worker);
}

}  // namespace linkherd::crawler
