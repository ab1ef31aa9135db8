// `linkherd store info`: shows the contents of the store and its disk use.
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
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
#include "storage/store.h"

namespace linkherd::crawler {
namespace {

// The rows of one family of the database, and the size of its files.
struct FamilySize {
  std::string_view name;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
};

struct StoreFacts {
  std::string store;
  std::uint64_t bytes = 0;
  std::vector<FamilySize> families;
  std::size_t runs = 0;
  std::optional<storage::Run> oldest_run;
};

void write_text(std::ostream& out, const StoreFacts& facts) {
  out << fmt::format("{}: {} on disk\n\n", reports::escape_for_terminal(facts.store),
                     reports::format_size(facts.bytes));
  for (const FamilySize& family : facts.families) {
    out << fmt::format("  {:<11}  {:>12} {:<4}  {:>12}\n", family.name, family.rows, family.rows == 1 ? "row" : "rows",
                       reports::format_size(family.bytes));
  }
  out << fmt::format("\n{}", reports::counted(facts.runs, "run"));
  if (facts.oldest_run) {
    out << fmt::format(", the oldest is run {} of {}", facts.oldest_run->number,
                       reports::minute(facts.oldest_run->started_at));
  }
  out << '\n';
}

std::string json_of(const StoreFacts& facts) {
  std::string text;
  storage::JsonWriter json(text);
  json.begin_object();
  json.member("schema", reports::json_schema);
  json.member("store", facts.store);
  json.member("bytes", facts.bytes);
  json.key("families");
  json.begin_object();
  for (const FamilySize& family : facts.families) {
    json.key(family.name);
    json.begin_object();
    json.member("rows", family.rows);
    json.member("bytes", family.bytes);
    json.end_object();
  }
  json.end_object();
  json.member("runs", facts.runs);
  json.member("oldest_run", facts.oldest_run);
  json.end_object();
  return text;
}

ExitCode run_store(const CheckOptions& options, const Streams& streams) {
  refuse_unsafe_output(options.store, "--log-file", options.common.log_file);
  start_log(options.common);
  const std::unique_ptr<storage::Store> store = open_store_for_reading(options.store);
  StoreFacts facts;
  facts.store = store_location(options.store).string();
  facts.bytes = store->folder_bytes();
  for (const auto& [family, name] : storage::family_names)
    facts.families.push_back({name, store->rows().row_count(family), store->rows().bytes(family)});
  const std::vector<storage::Run> runs = store->runs();
  facts.runs = runs.size();
  if (!runs.empty()) facts.oldest_run = runs.back();
  if (options.format == OutputFormat::text) {
    write_text(streams.out, facts);
  } else {
    streams.out << reports::escape_json(json_of(facts)) << '\n';
  }
  return ExitCode::ok;
}

}  // namespace

Command add_info_command(CLI::App& app) {
  return add_command<CheckOptions>(app, "info", "Show the contents and the size of the store", commands::info,
                                   run_store);
}

}  // namespace linkherd::crawler
