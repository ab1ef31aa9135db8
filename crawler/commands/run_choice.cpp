#include "crawler/commands/run_choice.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "crawler/commands/option_types.h"
#include "parser/url/credentials.h"
#include "reports/wording.h"
#include "storage/store_errors.h"

namespace linkherd::crawler {
namespace {

std::string known_runs(const std::vector<storage::Run>& runs) {
  constexpr std::size_t most_named = 10;
  std::vector<std::uint64_t> numbers;
  for (std::size_t i = 0; i < std::min(most_named, runs.size()); ++i) numbers.push_back(runs[i].number);
  const std::string more = runs.size() > most_named ? fmt::format(" and {} more", runs.size() - most_named) : "";
  return fmt::format("{} {}{}", runs.size() == 1 ? "run" : "runs", fmt::join(numbers, ", "), more);
}

std::vector<std::string> sorted_inputs(std::vector<std::string> inputs) {
  for (std::string& input : inputs) input = parser::mask_password(input);
  std::ranges::sort(inputs);
  return inputs;
}

}  // namespace

CLI::Option* add_run_choice(CLI::App& app, RunChoice& choice) {
  CLI::Option* const inputs =
      app.add_option("INPUT", choice.inputs, "The latest run of just these inputs (default: of any)");
  return add_number(app, "--run", choice.number, 1, 1'000'000'000,
                    "The run of this number, as `linkherd runs` lists them")
      ->option_text("")
      ->excludes(inputs);
}

const storage::Run& chosen_run(const std::vector<storage::Run>& runs, const RunChoice& choice,
                               const std::string& location) {
  const auto fits = [&choice, wanted = sorted_inputs(choice.inputs)](const storage::Run& run) {
    if (choice.number) return run.number == *choice.number;
    return !run.is_partial && (wanted.empty() || sorted_inputs(run.inputs) == wanted);
  };
  const auto is_whole = [&fits](const storage::Run& run) { return fits(run) && !run.shard; };
  auto found = std::ranges::find_if(runs, is_whole);
  if (found == runs.end()) found = std::ranges::find_if(runs, fits);
  if (found != runs.end()) return *found;
  if (choice.number && !runs.empty()) {
    throw storage::StoreError(
        fmt::format("the store {} has no run {}; it has {}", location, *choice.number, known_runs(runs)));
  }
  if (!choice.inputs.empty() && !runs.empty()) {
    throw storage::StoreError(fmt::format("the store {} has no run of {}; `linkherd runs` lists those there are",
                                          location, reports::inputs_in_words(choice.inputs)));
  }
  throw storage::StoreError("the store " + location + " holds no run yet: start with `linkherd check`");
}

std::vector<storage::Run> runs_of_other_inputs(const std::vector<storage::Run>& runs, const storage::Run& shown) {
  std::set<std::vector<std::string>> seen{sorted_inputs(shown.inputs)};
  std::vector<storage::Run> others;
  for (const storage::Run& run : runs) {
    if (!run.is_partial && seen.insert(sorted_inputs(run.inputs)).second) others.push_back(run);
  }
  return others;
}

storage::Run with_its_end(storage::Run run, const std::vector<storage::Run>& runs) {
  if (run.finished_at) return run;
  for (const storage::Run& later : runs) {
    if (later.number <= run.number) break;
    run.finished_at = later.started_at;
  }
  return run;
}

}  // namespace linkherd::crawler
