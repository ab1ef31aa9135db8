// `linkherd broker status`: shows the status of a run that uses a broker.
#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "crawler/cli/command.h"
#include "crawler/cli/options/broker_options.h"
#include "crawler/cli/options/option_table.h"
#include "crawler/cli/process.h"
#include "crawler/cli/report_output.h"
#include "parser/join.h"
#include "reports/escape.h"
#include "reports/messages.h"
#include "reports/metrics.h"
#include "reports/report_formats.h"
#include "storage/json_writer.h"

namespace linkherd::crawler {
namespace {

struct StatusOptions : CheckOptions {
  std::string metrics;  // a file, or "-" for metrics instead of the status
  bool requeue = false;
};

std::string describe_buckets(const RunStatus& status) {
  std::string words =
      fmt::format("{} held by {}", reports::counted(status.held, "bucket"), reports::counted(status.workers, "worker"));
  const std::size_t all = std::max<std::size_t>(status.progress.buckets, status.held);
  if (all > status.held) words += fmt::format(", {} waiting for a worker", all - status.held);
  if (status.batches > 0)
    words += fmt::format("; {} of links not started", reports::counted(status.batches, "message"));
  return words;
}

void write_text(std::ostream& out, const RunStatus& status) {
  const RunProgress& run = status.progress;
  out << fmt::format("run {}, since {}{}\n", reports::escape_for_terminal(run.run), reports::minute(run.started_at),
                     status.is_alive ? "" : fmt::format(": gone, last seen {}", reports::minute(run.at)));
  out << fmt::format("  {} of {} done, {} in progress, {:.1f} per second\n", run.done,
                     reports::counted(run.planned, "link"), run.pending_requests, run.rate);
  out << "  " << describe_buckets(status) << '\n';
  if (run.all_waiting > 0) out << fmt::format("  {} asked for a pause\n", reports::counted(run.all_waiting, "host"));
  for (const RunProgress::WaitingHost& host : run.waiting)
    out << fmt::format("    {} until {}\n", reports::escape_for_terminal(host.origin), format_timestamp(host.until));
  if (status.all_dead_letters > 0) out << "  " << reports::counted(status.all_dead_letters, "dead letter") << '\n';
  for (const DeadLetter& letter : status.dead_letters) {
    out << fmt::format("    {}: {}\n", reports::escape_for_terminal(letter.queue),
                       reports::escape_for_terminal(letter.why));
    if (letter.requests > 0) {
      const char* const more = letter.requests > letter.urls.size() ? ", …" : "";
      out << fmt::format("      {}: {}{}\n", reports::counted(letter.requests, "request"),
                         reports::escape_for_terminal(join(letter.urls, ", ")), more);
    }
    if (!letter.fault.empty())
      out << "      cannot be requeued: " << reports::escape_for_terminal(letter.fault) << '\n';
  }
}

void write_dead_letter(storage::JsonWriter& json, const DeadLetter& letter) {
  json.begin_object();
  json.member("queue", letter.queue);
  json.member("why", letter.why);
  json.member("fault", letter.fault);
  json.member("requests", letter.requests);
  json.member("urls", letter.urls);
  json.end_object();
}

void write_waiting(storage::JsonWriter& json, const RunProgress::WaitingHost& host) {
  json.begin_object();
  json.member("origin", host.origin);
  json.member("until", host.until);
  json.end_object();
}

std::string json_of(const RunStatus& status) {
  const RunProgress& run = status.progress;
  std::string text;
  storage::JsonWriter json(text);
  json.begin_object();
  json.member("schema", reports::json_schema);
  json.member("run", run.run);
  json.member("alive", status.is_alive);
  json.member("started_at", run.started_at);
  json.member("at", run.at);
  json.member("planned", run.planned);
  json.member("done", run.done);
  json.member("under_way", run.pending_requests);
  json.member("links_a_second", run.rate);
  json.member("workers", status.workers);
  json.member("buckets", run.buckets);
  json.member("buckets_held", status.held);
  json.member("messages_not_begun", status.batches);
  json.member("waiting_hosts", run.all_waiting);
  json.key("longest_waiting");
  json.begin_array();
  for (const RunProgress::WaitingHost& host : run.waiting) write_waiting(json, host);
  json.end_array();
  json.member("dead_letters", status.all_dead_letters);
  json.key("first_dead_letters");
  json.begin_array();
  for (const DeadLetter& letter : status.dead_letters) write_dead_letter(json, letter);
  json.end_array();
  json.end_object();
  return text;
}

// `broker`: name of the broker.
void write_metrics(std::ostream& out, const std::optional<RunStatus>& status, const std::string& broker) {
  const auto number = [](auto count) { return static_cast<double>(count); };
  reports::MetricsWriter metrics(out, {{"broker", broker}});
  metrics.single("broker_run_alive", "Whether the broker has a run.", status && status->is_alive ? 1 : 0);
  if (!status) return;
  const RunProgress& run = status->progress;
  metrics.single("broker_links_planned", "Links of the run.", number(run.planned));
  metrics.single("broker_links_done", "Links of the run that have a verdict.", number(run.done));
  metrics.single("broker_requests_under_way", "Requests without a response yet.", number(run.pending_requests));
  metrics.single("broker_links_per_second", "Links completed per second over the last minute.", run.rate);
  metrics.single("broker_workers", "Workers that are connected.", number(status->workers));
  metrics.single("broker_buckets", "Buckets that the hosts are divided into.", number(run.buckets));
  metrics.single("broker_buckets_held", "Buckets that are assigned to a worker.", number(status->held));
  metrics.single("broker_messages_not_begun", "Messages of links that no worker has taken.", number(status->batches));
  metrics.single("broker_waiting_hosts", "Hosts that asked for a pause.", number(run.all_waiting));
  metrics.single("broker_dead_letters", "Messages of links that no worker could process.",
                 number(status->all_dead_letters));
}

ExitCode run_status(const StatusOptions& options, const Streams& streams) {
  start_log(options.common);
  if (options.requeue) {
    const std::size_t count = put_dead_letters_back(options.broker);
    if (!options.common.quiet) print_reason(streams, reports::counted(count, "dead letter") + " put back");
  }
  const std::optional<RunStatus> status = status_of_run(options.broker);
  if (!options.metrics.empty()) {
    const auto write = [&](std::ostream& out) { write_metrics(out, status, name_of(options.broker)); };
    const bool is_stdout = options.metrics == "-";
    write_output(is_stdout ? std::string() : options.metrics, streams, write);
    if (is_stdout) return ExitCode::ok;
  }
  if (!status) {
    const std::optional<PlanHeader> plan = plan_at_broker(options.broker);
    const std::string waits =
        plan ? fmt::format("; a plan of {} waits for `linkherd broker collect`", reports::counted(plan->links, "link"))
             : "";
    print_reason(streams, "the broker has no run" + waits);
    return ExitCode::could_not_run;
  }
  if (options.format == OutputFormat::text) {
    write_text(streams.out, *status);
  } else {
    streams.out << reports::escape_json(json_of(*status)) << '\n';
  }
  return ExitCode::ok;
}

}  // namespace

Command add_status_command(CLI::App& app) {
  return add_command<StatusOptions>(
      app, "status", "Show the progress of the run at the broker", commands::status, run_status,
      [](StatusOptions& o) -> std::vector<Option> {
        return {
            {"--requeue", read_flag(o.requeue), "Return dead letters to the queue before showing the progress"},
            {"--metrics", read_text(o.metrics, "FILE"), "Write counts to FILE in Prometheus text format; - is stdout"}};
      });
}

}  // namespace linkherd::crawler
