#include "crawler/cli/options/retention_options.h"

#include <string>
#include <string_view>

#include <spdlog/spdlog.h>

#include "crawler/cli/options/option_types.h"
#include "crawler/cli/process.h"

namespace linkherd::crawler {

namespace {

// CI systems set this variable, most of them to true.
bool is_in_ci() {
  const std::string value = environment_variable("CI");
  return !value.empty() && value != "false" && value != "0";
}

}  // namespace

void add_retention_options(CLI::App& app, storage::Retention& retention) {
  add_number(app, "--keep-runs", retention.keep_runs, 1, 1'000'000,
             "Number of runs to keep for the same inputs and settings");
  add_number(app, "--keep-days", retention.keep_days, 0, 100'000, "Days to keep runs; 0 keeps them forever");
  const auto set_size = [&retention](const std::string& text) {
    retention.max_bytes = bytes_of("--max-store-size", text);
  };
  app.add_option_function<std::string>("--max-store-size", set_size, "Remove older runs if the store is larger")
      ->type_name("SIZE");
  if (is_in_ci()) retention.bodies = storage::KeptBodies::none;
  add_choice(app, "--bodies", retention.bodies, storage::kept_bodies_names,
             "Pages to keep: none; changed (the newest of each link and the last one before it died); all (default in "
             "CI: none)");
}

void log_pruning(const storage::PruneResult& pruned) {
  if (!pruned.is_complete)
    spdlog::info("the store has more old data: the next run or `linkherd store compact` removes it");
  if (!pruned.is_small_enough) {
    spdlog::warn("the store exceeds --max-store-size, but no other run can be removed");
  }
}

}  // namespace linkherd::crawler
