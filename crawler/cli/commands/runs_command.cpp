// `linkherd runs`: lists the stored runs, newest first.
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "crawler/cli/command.h"
#include "crawler/cli/options/option_table.h"
#include "crawler/cli/options/store_location.h"
#include "crawler/cli/process.h"
#include "reports/escape.h"
#include "reports/messages.h"
#include "reports/report_formats.h"
#include "storage/record_json.h"
#include "storage/run_results.h"
#include "storage/store.h"

namespace linkherd::crawler {
namespace {

std::uint64_t links_of(const storage::Run& run) {
  return std::accumulate(run.by_health.begin(), run.by_health.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& health) { return sum + health.second; });
}

// Returns the stored runs with their counts, and a run that is not in the checkpoint yet without counts.
std::vector<storage::Run> read_runs(const storage::Store& store) {
  std::vector<storage::Run> runs = store.runs();
  for (storage::Run& run : runs) {
    // A run that was killed has no counts.
    if (run.by_health.empty()) run.by_health = storage::RunResults(store, run).count_by_health();
  }
  const std::optional<storage::Run> unfinished = store.unfinished_run();
  if (unfinished && (runs.empty() || runs.front().number < unfinished->number)) runs.insert(runs.begin(), *unfinished);
  return runs;
}

// Returns a text such as "12 links: 10 alive, 2 dead".
std::string describe_counts(const storage::Run& run) {
  std::string text = reports::counted(links_of(run), "link");
  const char* separator = ": ";
  for (const auto& [health, links] : run.by_health) {
    text += fmt::format("{}{} {}", separator, links, enum_name(storage::health_names, health));
    separator = ", ";
  }
  return text;
}

void write_text(std::ostream& out, const std::vector<storage::Run>& runs) {
  for (const storage::Run& run : runs) {
    out << fmt::format("{:>5}  {}  {:<20}  {:<11}  {}\n", run.number, reports::minute(run.started_at),
                       run.finished_at ? reports::minute(*run.finished_at) : "not ended",
                       enum_name(storage::run_state_names, run.state),
                       reports::escape_for_terminal(reports::describe_inputs(run.inputs)));
    if (!run.vantage.empty()) out << fmt::format("       from {}\n", reports::escape_for_terminal(run.vantage));
    if (run.shard) out << fmt::format("       part {} of the links\n", describe(*run.shard));
    out << fmt::format("       {}{}\n", run.is_partial ? "only some links of the inputs; " : "", describe_counts(run));
  }
}

void write_run(storage::JsonWriter& json, const storage::Run& run) {
  json.begin_object();
  json.member("schema", reports::json_schema);
  write_members(json, run);
  json.member("links", links_of(run));
  json.key("by_health");
  json.begin_object();
  for (const auto& [health, links] : run.by_health) json.member(enum_name(storage::health_names, health), links);
  json.end_object();
  json.end_object();
}

void write_json(std::ostream& out, const std::vector<storage::Run>& runs, OutputFormat format) {
  std::string text;
  storage::JsonWriter json(text);
  if (format == OutputFormat::json) json.begin_array();
  for (const storage::Run& run : runs) {
    write_run(json, run);
    if (format == OutputFormat::json) continue;
    out << reports::escape_json(text) << '\n';
    text.clear();
  }
  if (format != OutputFormat::json) return;
  json.end_array();
  out << reports::escape_json(text) << '\n';
}

ExitCode run_runs(const CheckOptions& options, const Streams& streams) {
  refuse_unsafe_output(options.store, "--log-file", options.common.log_file);
  start_log(options.common);
  const std::unique_ptr<storage::Store> store = open_store_for_reading(options.store);
  const std::vector<storage::Run> runs = read_runs(*store);
  if (options.format == OutputFormat::text) {
    write_text(streams.out, runs);
  } else {
    write_json(streams.out, runs, options.format);
  }
  return ExitCode::ok;
}

}  // namespace

Command add_runs_command(CLI::App& app) {
  return add_command<CheckOptions>(app, "runs", "List the runs in the store, newest first", commands::runs, run_runs);
}

}  // namespace linkherd::crawler
