// `linkherd store forget`: removes links and all their data from the store.
#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "crawler/cli/command.h"
#include "crawler/cli/options/option_table.h"
#include "crawler/cli/options/store_location.h"
#include "crawler/cli/process.h"
#include "crawler/sources/link_filter.h"
#include "parser/join.h"
#include "parser/url/url.h"
#include "reports/escape.h"
#include "reports/messages.h"
#include "storage/link_history.h"
#include "storage/pruning.h"
#include "storage/store.h"
#include "storage/store_directory.h"

namespace linkherd::crawler {
namespace {

struct ForgetOptions : CheckOptions {
  std::vector<std::string> urls;
  std::vector<std::string> patterns;
  bool damaged = false;
};

// Returns a filter for links whose URL contains a pattern, or nullopt if there is no pattern.
std::optional<LinkFilter> filter_of(const std::vector<std::string>& patterns) {
  if (patterns.empty()) return std::nullopt;
  LinkFilterOptions options;
  for (const std::string& pattern : patterns) options.include.push_back({"--pattern", pattern});
  Result<LinkFilter> filter = LinkFilter::make(options);
  if (filter.has_error()) throw CLI::ConfigError(filter.error().message);
  return std::move(*filter);
}

// Returns the selected links. Links to files and invalid URLs have no state; they are identified by their text.
std::vector<storage::LinkId> links_to_forget(const storage::Store& store, const ForgetOptions& options) {
  const std::optional<LinkFilter> filter = filter_of(options.patterns);
  std::vector<storage::LinkId> ids;
  for (const std::string& url : options.urls) {
    if (parser::Url::parse(url)) ids.push_back(stored_link_id(url));
  }
  const auto add_matching = [&](const storage::LinkState& state) {
    if (filter && !filter->excludes(state.url, state.url)) ids.push_back(state.id);
    return true;
  };
  if (filter) storage::LinkHistory(store).for_each_state(add_matching);
  storage::LinkHistory(store).for_each_unfetched([&](const storage::LinkState& state) {
    if (std::ranges::find(options.urls, state.url) != options.urls.end()) ids.push_back(state.id);
    return add_matching(state);
  });
  return ids;
}

// Handles replaced databases, which may contain the links as well. Returns true if they were removed.
bool remove_or_report_damaged(const ForgetOptions& options) {
  const storage::StoreDirectory folder(store_location(options.store));
  const std::vector<std::string> names = folder.damaged_databases();
  if (options.damaged) {
    folder.remove_damaged_databases();
  } else if (!names.empty()) {
    spdlog::warn(fmt::format("the store keeps {}, which may still contain the links: use --damaged to remove it",
                             join(names, ", ")));
  }
  return options.damaged && !names.empty();
}

ExitCode run_forget(const ForgetOptions& options, const Streams& streams) {
  refuse_unsafe_output(options.store, "--log-file", options.common.log_file);
  start_log(options.common);
  if (options.urls.empty() && options.patterns.empty()) {
    throw CLI::ValidationError("forget", "no links given: name a URL or a --pattern");
  }
  const std::unique_ptr<storage::Store> store = open_existing_store(options.store, options.wait_lock);
  const std::size_t forgotten = storage::forget(store->rows(), links_to_forget(*store, options));
  const bool removed = remove_or_report_damaged(options);
  if (forgotten == 0 && !removed) {
    print_reason(streams, fmt::format("the store {} has no such link", store_location(options.store).string()));
    return ExitCode::could_not_run;
  }
  store->publish();
  if (!options.common.quiet) {
    streams.out << fmt::format("{}: {} forgotten\n",
                               reports::escape_for_terminal(store_location(options.store).string()),
                               reports::counted(forgotten, "link"));
  }
  return ExitCode::ok;
}

}  // namespace

Command add_forget_command(CLI::App& app) {
  return add_command<ForgetOptions>(
      app, "forget", "Remove links and all their data from the store", commands::forget, run_forget,
      [](ForgetOptions& o) -> std::vector<Option> {
        return {
            {"URL", read_text(o.urls), "Links as written in your documents"},
            {"--pattern", read_text(o.patterns, "REGEX", refuse_bad_pattern), "Also remove links that match REGEX"},
            {"--damaged", read_flag(o.damaged), "Also remove the damaged databases that the store keeps as damaged-N"}};
      });
}

}  // namespace linkherd::crawler
