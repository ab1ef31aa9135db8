#include "crawler/cli/options/run_choice.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "crawler/cli/options/list_inputs.h"
#include "crawler/sources/file_bytes.h"
#include "crawler/sources/folder_documents.h"
#include "parser/join.h"
#include "parser/url/credentials.h"
#include "reports/messages.h"
#include "storage/file_names.h"
#include "storage/store_errors.h"

namespace linkherd::crawler {
namespace {

std::string known_runs(const std::vector<storage::Run>& runs) {
  constexpr std::size_t max_named = 10;
  std::vector<std::string> numbers;
  for (std::size_t i = 0; i < std::min(max_named, runs.size()); ++i) numbers.push_back(std::to_string(runs[i].number));
  const std::string more = runs.size() > max_named ? fmt::format(" and {} more", runs.size() - max_named) : "";
  return fmt::format("{} {}{}", runs.size() == 1 ? "run" : "runs", join(numbers, ", "), more);
}

std::string no_such_run(const std::string& location, std::uint64_t number, const std::vector<storage::Run>& runs) {
  return fmt::format("the store {} has no run {}; it has {}", location, number, known_runs(runs));
}

// Returns the chosen inputs in the form that the store uses for the current folder.
std::vector<std::string> inputs_of(const RunChoice& choice, const std::string& location) {
  const storage::FileNames names = storage::FileNames::of_store(location);
  std::vector<std::string> inputs;
  for (const std::string& input : choice.inputs) inputs.push_back(names.to_shown(names.to_stored(input_name(input))));
  inputs = sorted_inputs(std::move(inputs));
  inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
  return inputs;
}

bool is_in(const std::string& name, const std::string& folder) {
  const std::filesystem::path below = full_path(name).lexically_relative(full_path(folder));
  return !below.empty() && *below.begin() != "..";
}

// Returns true if `input` equals `read`, which a run has read, or is part of it.
bool is_part_of(const std::string& input, const std::string& read) {
  if (input == read) return true;
  if (input == "-" || read == "-" || is_web_address(input) || is_web_address(read)) return false;
  std::error_code error;
  if (!is_glob(read) || std::filesystem::exists(read, error)) return is_in(input, read);
  const auto is_input = [&input](const std::string& file) { return full_path(file) == full_path(input); };
  return std::ranges::any_of(expand_glob(read).files, is_input);
}

bool has_inputs(const storage::Run& run, const std::vector<std::string>& wanted) {
  return std::ranges::all_of(wanted, [&run](const std::string& input) {
    return std::ranges::any_of(run.inputs, [&input](const std::string& read) { return is_part_of(input, read); });
  });
}

// Returns the shard, because shards are compared only with the same shard of other runs.
std::pair<std::uint32_t, std::uint32_t> part_of(const storage::Run& run) {
  return run.shard ? std::pair(run.shard->number, run.shard->count) : std::pair(0U, 0U);
}

// Returns the latest complete run of the same links before `shown` that ended by `until`.
const storage::Run* latest_before(const std::vector<storage::Run>& runs, const storage::Run& shown,
                                  std::optional<Timestamp> until) {
  const std::vector<std::string> inputs = sorted_inputs(shown.inputs);
  const auto fits = [&](const storage::Run& run) {
    return run.state == storage::RunState::complete && !run.is_partial && run.finished_at &&
           (!until || *run.finished_at <= *until) && run.vantage == shown.vantage && part_of(run) == part_of(shown) &&
           sorted_inputs(run.inputs) == inputs;
  };
  auto position = std::ranges::find(runs, shown.number, &storage::Run::number);
  if (position == runs.end()) return nullptr;
  const auto found = std::find_if(std::next(position), runs.end(), fits);
  return found == runs.end() ? nullptr : &*found;
}

}  // namespace

std::vector<std::string> sorted_inputs(std::vector<std::string> inputs) {
  for (std::string& input : inputs) input = parser::mask_password(input);
  std::ranges::sort(inputs);
  return inputs;
}

const storage::Run& chosen_run(const std::vector<storage::Run>& runs, const RunChoice& choice,
                               const std::string& location) {
  const auto fits = [&choice, wanted = inputs_of(choice, location)](const storage::Run& run) {
    if (choice.number) return run.number == *choice.number;
    return !run.is_partial && has_inputs(run, wanted);
  };
  const auto is_whole = [&fits](const storage::Run& run) { return fits(run) && !run.shard; };
  auto found = std::ranges::find_if(runs, is_whole);
  if (found == runs.end()) found = std::ranges::find_if(runs, fits);
  if (found != runs.end()) return *found;
  if (choice.number && !runs.empty()) throw storage::StoreError(no_such_run(location, *choice.number, runs));
  if (!choice.inputs.empty() && !runs.empty()) {
    throw storage::StoreError(fmt::format("the store {} has no run of {}; `linkherd runs` lists the stored runs",
                                          location, reports::describe_inputs(choice.inputs)));
  }
  throw storage::StoreError("the store " + location + " contains no runs yet: run `linkherd check` first");
}

std::unique_ptr<const storage::CheckedLinks> chosen_links(const storage::CheckedLinks& all, const storage::Run& run,
                                                          const RunChoice& choice, const std::string& location) {
  const std::vector<std::string> wanted = inputs_of(choice, location);
  if (wanted.empty() || wanted == sorted_inputs(run.inputs)) return nullptr;
  const auto is_wanted = [&wanted](const std::string& file) {
    return std::ranges::any_of(wanted, [&file](const std::string& input) { return is_part_of(file, input); });
  };
  auto links = std::make_unique<storage::LinksOfFiles>(all, is_wanted);
  if (links->size() == 0)
    throw storage::StoreError(fmt::format("run {} of the store {} has no link in {}", run.number, location,
                                          reports::describe_inputs(wanted)));
  return links;
}

const storage::Run* earlier_run(const std::vector<storage::Run>& runs, const storage::Run& shown) {
  return latest_before(runs, shown, {});
}

OptionTarget read_since(SinceChoice& since) {
  const auto set = [&since](const std::string& text) -> std::string {
    since = {};
    if (text == "last") return {};
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) {
      since.number = number;
      return {};
    }
    const Result<Timestamp> moment = parse_moment(text);
    if (moment.has_error()) return text + " is not a run number, a date such as 2026-03-05, or last";
    since.until = *moment;
    return {};
  };
  return read_value(set, "RUN|DATE|last");
}

const storage::Run* earlier_run(const std::vector<storage::Run>& runs, const storage::Run& shown,
                                const SinceChoice& since, const std::string& location) {
  if (since.number) {
    const auto found = std::ranges::find(runs, *since.number, &storage::Run::number);
    if (found == runs.end()) throw storage::StoreError(no_such_run(location, *since.number, runs));
    if (found->number == shown.number)
      throw storage::StoreError(
          fmt::format("run {} cannot be compared with itself; choose another one with --since or --run", shown.number));
    return &*found;
  }
  const storage::Run* const found = latest_before(runs, shown, since.until);
  if (found == nullptr && since.until) {
    throw storage::StoreError(
        fmt::format("the store {} has no complete run of {} that ended by {}; `linkherd runs` lists the stored runs",
                    location, reports::describe_inputs(shown.inputs), format_timestamp(*since.until)));
  }
  return found;
}

std::vector<storage::Run> find_runs_of_other_inputs(const std::vector<storage::Run>& runs, const storage::Run& shown) {
  std::set<std::vector<std::string>> seen{sorted_inputs(shown.inputs)};
  std::vector<storage::Run> others;
  for (const storage::Run& run : runs) {
    if (!run.is_partial && seen.insert(sorted_inputs(run.inputs)).second) others.push_back(run);
  }
  return others;
}

storage::Run with_inferred_end(storage::Run run, const std::vector<storage::Run>& runs) {
  if (run.finished_at) return run;
  for (const storage::Run& later : runs) {
    if (later.number <= run.number) break;
    run.finished_at = later.started_at;
  }
  return run;
}

}  // namespace linkherd::crawler
