// `linkherd forget`: removes links from the store, with all that it has of them.
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/ostream.h>

#include "crawler/commands/command.h"
#include "crawler/commands/option_types.h"
#include "crawler/commands/process.h"
#include "crawler/commands/store_location.h"
#include "crawler/sources/link_filter.h"
#include "reports/escape.h"
#include "reports/wording.h"
#include "storage/store.h"

namespace linkherd::crawler {
namespace {

struct ForgetOptions {
  CommonOptions common;
  std::string store;
  Duration wait_lock{};
  std::vector<std::string> urls;
  std::vector<std::string> patterns;
};

// Adds the links in whose URL a pattern is found.
void add_matching(const storage::Store& store, const std::vector<std::string>& patterns,
                  std::vector<storage::LinkId>& ids) {
  if (patterns.empty()) return;
  LinkFilterOptions options;
  for (const std::string& pattern : patterns) options.include.push_back({"--pattern", pattern});
  const Result<LinkFilter> filter = LinkFilter::make(options);
  if (filter.has_error()) throw CLI::ConfigError(filter.error().message);
  store.for_each_record([&](const storage::LinkRecord& record) {
    if (!filter->excludes(record.url, record.url)) ids.push_back(record.id);
    return true;
  });
}

ExitCode run_forget(const ForgetOptions& options, const Streams& streams) {
  refuse_output_in_store(options.store, "--log-file", options.common.log_file);
  start_log(options.common);
  if (options.urls.empty() && options.patterns.empty()) {
    throw CLI::ValidationError("forget", "which links: name a URL, or a --pattern");
  }
  std::vector<storage::LinkId> ids;
  for (const std::string& url : options.urls) ids.push_back(stored_link_id(url));
  const std::unique_ptr<storage::Store> store = open_existing_store(options.store, options.wait_lock);
  add_matching(*store, options.patterns, ids);
  const std::size_t forgotten = store->forget(ids);
  if (forgotten == 0) {
    print_reason(streams, fmt::format("the store {} has no such link", store_location(options.store).string()));
    return ExitCode::could_not_run;
  }
  store->publish();
  if (!options.common.quiet) {
    fmt::print(streams.out, "{}: {} forgotten\n", reports::escape_for_terminal(store_location(options.store).string()),
               reports::counted(forgotten, "link"));
  }
  return ExitCode::ok;
}

}  // namespace

Command add_forget_command(CLI::App& app) {
  auto options = std::make_shared<ForgetOptions>();  // shared with the CLI11 callbacks
  CLI::App* command = app.add_subcommand("forget", "Remove links from the store, with all that it has of them");
  command->add_option("URL", options->urls, "The links, as they are written in a list");
  command->add_option("--pattern", options->patterns, "Also all links in which this is found")->type_name("REGEX");
  add_store_option(*command, options->store);
  add_wait_lock_option(*command, options->wait_lock);
  add_common_options(*command, options->common);
  return {command, [options](const Streams& streams) { return run_forget(*options, streams); }};
}

}  // namespace linkherd::crawler
