// `linkherd history URL`: the stored checks of one link, newest first.
#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>

#include <fmt/format.h>

#include "crawler/commands/command.h"
#include "crawler/commands/option_types.h"
#include "crawler/commands/process.h"
#include "crawler/commands/store_location.h"
#include "reports/escape.h"
#include "reports/report_formats.h"
#include "reports/wording.h"
#include "storage/record_json.h"
#include "storage/store.h"

namespace linkherd::crawler {
namespace {

struct HistoryOptions {
  CommonOptions common;
  OutputFormat format = OutputFormat::text;
  std::string store;
  std::string url;
  std::size_t limit = 100;
};

void write_line(storage::JsonWriter& json, const storage::LinkRecord& record, const storage::Snapshot& snapshot) {
  json.begin_object();
  json.member("schema", reports::json_schema);
  json.member("url", record.url);
  write_members(json, snapshot);
  json.end_object();
}

void write_json(std::ostream& out, const storage::LinkRecord& record, const std::vector<storage::Snapshot>& snapshots) {
  std::string text;
  storage::JsonWriter json(text);
  json.begin_array();
  for (const storage::Snapshot& snapshot : snapshots) write_line(json, record, snapshot);
  json.end_array();
  out << reports::escape_json(text) << '\n';
}

bool has_failed(const storage::Snapshot& look) {
  switch (look.verdict.health) {
    case storage::Health::dead:
    case storage::Health::insecure:
    case storage::Health::suspect:
    case storage::Health::unreachable: return true;
    default: return false;
  }
}

// Returns "4 of the last 10 checks failed" if a link alternates between success and failure. `looks`: newest first.
std::optional<std::string> flapping_in_words(const std::vector<storage::Snapshot>& looks) {
  constexpr std::size_t most_looks = 10;
  constexpr int fewest_changes = 3;
  const std::size_t count = std::min(looks.size(), most_looks);
  int changes = 0;
  for (std::size_t i = 1; i < count; ++i) changes += has_failed(looks[i]) != has_failed(looks[i - 1]) ? 1 : 0;
  if (changes < fewest_changes) return std::nullopt;
  const auto end = looks.begin() + static_cast<std::ptrdiff_t>(count);
  return fmt::format("{} of the last {} checks failed", std::count_if(looks.begin(), end, has_failed), count);
}

void write_text(std::ostream& out, const storage::LinkRecord& record, const std::vector<storage::Snapshot>& snapshots) {
  out << fmt::format("{}\n  first seen {}", reports::escape_for_terminal(record.url),
                     format_timestamp(record.first_seen));
  if (record.last_alive) out << fmt::format(", last alive {}", format_timestamp(*record.last_alive));
  if (record.first_failed) out << fmt::format(", failing since {}", format_timestamp(*record.first_failed));
  if (record.strikes > 0) out << fmt::format(", strikes {}", record.strikes);
  if (const auto flapping = flapping_in_words(snapshots)) out << fmt::format(", flapping: {}", *flapping);
  out << "\n\n";
  for (const storage::Snapshot& snapshot : snapshots) {
    constexpr std::size_t time_width = sizeof("2026-03-05T10:20:00.123456Z") - 1;  // zeros at its end are left out
    out << fmt::format("  {:<{}}  {:<11}  {}{}\n", format_timestamp(snapshot.fetched_at), time_width,
                       enum_name(storage::health_names, snapshot.verdict.health),
                       reports::escape_for_terminal(reports::reason_in_words(snapshot.verdict)),
                       snapshot.vantage.empty() ? "" : ", from " + reports::escape_for_terminal(snapshot.vantage));
    for (const storage::Redirect& hop : snapshot.redirects) {
      out << fmt::format("    {} -> {}\n", hop.label(), reports::escape_for_terminal(hop.to));
    }
  }
}

ExitCode run_history(const HistoryOptions& options, const Streams& streams) {
  refuse_unsafe_output(options.store, "--log-file", options.common.log_file);
  start_log(options.common);
  const storage::LinkId id = stored_link_id(options.url);
  const std::filesystem::path location = store_location(options.store);
  const std::unique_ptr<storage::Store> store = open_store_for_reading(options.store);
  const std::optional<storage::LinkRecord> record = store->link(id);
  if (!record) {
    const bool is_masked = options.url.find("***@") != std::string::npos;
    print_reason(streams, fmt::format("the store {} has no record of {}{}", location.string(), options.url,
                                      is_masked ? ": write the password as it is in the list" : ""));
    return ExitCode::could_not_run;
  }
  const std::vector<storage::Snapshot> snapshots = store->history(id, options.limit);
  switch (options.format) {
    case OutputFormat::text: write_text(streams.out, *record, snapshots); break;
    case OutputFormat::json: write_json(streams.out, *record, snapshots); break;
    case OutputFormat::jsonl:
      for (const storage::Snapshot& snapshot : snapshots) {
        std::string text;
        storage::JsonWriter json(text);
        write_line(json, *record, snapshot);
        streams.out << reports::escape_json(text) << '\n';
      }
  }
  return ExitCode::ok;
}

}  // namespace

Command add_history_command(CLI::App& app) {
  auto options = std::make_shared<HistoryOptions>();  // shared with the CLI11 callbacks
  CLI::App* command = app.add_subcommand("history", "What happened to one link, from the store");
  command->add_option("URL", options->url, "The link, as it is written in a list")->required();
  add_number(*command, "--limit", options->limit, 1, 1'000'000, "At most so many looks, the newest first");
  add_store_option(*command, options->store);
  add_format(*command, options->format);
  add_common_options(*command, options->common);
  return {command, [options](const Streams& streams) { return run_history(*options, streams); }};
}

}  // namespace linkherd::crawler
