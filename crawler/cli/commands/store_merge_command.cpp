// `linkherd store merge`: copies the data of other stores into the store.
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "crawler/cli/command.h"
#include "crawler/cli/options/option_table.h"
#include "crawler/cli/options/store_location.h"
#include "crawler/cli/process.h"
#include "reports/escape.h"
#include "reports/messages.h"
#include "reports/report_formats.h"
#include "storage/json_writer.h"
#include "storage/merge.h"
#include "storage/store.h"

namespace linkherd::crawler {
namespace {

struct MergeOptions : CheckOptions {
  std::vector<std::string> sources;
};

std::string describe_merged(const storage::Merged& merged) {
  return fmt::format("{} added, {} changed; {}, {} and {} imported", reports::counted(merged.new_links, "link"),
                     merged.changed_links, reports::counted(merged.history_rows, "look"),
                     reports::counted(merged.bodies, "page"), reports::counted(merged.runs, "run"));
}

std::string merged_as_json(const std::string& store, const storage::Merged& merged) {
  std::string text;
  storage::JsonWriter json(text);
  json.begin_object();
  json.member("schema", reports::json_schema);
  json.member("store", store);
  json.member("new_links", merged.new_links);
  json.member("changed_links", merged.changed_links);
  json.member("looks", merged.history_rows);
  json.member("bodies", merged.bodies);
  json.member("runs", merged.runs);
  json.key("notes");
  json.begin_array();
  for (const std::string& note : merged.notes) json.text(note);
  json.end_array();
  json.end_object();
  return text;
}

ExitCode run_merge(const MergeOptions& options, const Streams& streams) {
  refuse_unsafe_output(options.store, "--log-file", options.common.log_file);
  start_log(options.common);
  // checked first, so that no store is created in vain
  for (const std::string& source : options.sources) require_store(source);
  const std::unique_ptr<storage::Store> store = open_store_to_fill(options.store, options.wait_lock);
  const storage::Merged merged = storage::merge(*store, {options.sources.begin(), options.sources.end()});
  store->publish();
  for (const std::string& note : merged.notes) spdlog::warn(reports::escape_for_terminal(note));
  const std::string location = store_location(options.store).string();
  if (options.format != OutputFormat::text) {
    streams.out << reports::escape_json(merged_as_json(location, merged)) << '\n';
  } else if (!options.common.quiet) {
    streams.out << fmt::format("{}: {}\n", reports::escape_for_terminal(location), describe_merged(merged));
  }
  return ExitCode::ok;
}

}  // namespace

Command add_merge_command(CLI::App& app) {
  return add_command<MergeOptions>(
      app, "merge", "Merge other stores into this one", commands::merge, run_merge,
      [](MergeOptions& o) -> std::vector<Option> {
        return {{"STORE", read_text(o.sources, "DIR"), "Stores to merge; they are not changed", any_command, required}};
      });
}

}  // namespace linkherd::crawler
