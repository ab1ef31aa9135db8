// Options that several commands have, above all those of `linkherd check`, with their defaults. The rows of
// option_table.cpp set them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "crawler/cli/command.h"
#include "crawler/cli/options/broker_options.h"
#include "crawler/cli/options/change_notifier.h"
#include "crawler/cli/options/list_inputs.h"
#include "crawler/cli/options/option.h"
#include "crawler/cli/options/report_options.h"
#include "crawler/cli/options/run_choice.h"
#include "crawler/cli/options/selection.h"
#include "crawler/cli/options/site_check.h"
#include "crawler/fix/fix_kinds.h"
#include "crawler/run/crawl.h"

namespace linkherd::crawler {

// Access to GitHub's API, which is queried for links to GitHub.
struct GithubSettings {
  std::optional<std::string> token;  // nullopt: taken from the environment
  std::string url;                   // empty: taken from the environment, or else GitHub's own
};

struct CheckOptions {
  CommonOptions common;
  OutputFormat format = OutputFormat::text;  // of commands without a report
  ListInputs lists;
  Selection selection;
  SiteOptions site;
  CrawlOptions crawl;
  bool names_harvest = false;          // true if --harvest is given
  bool should_suggest_copies = false;  // looks for copies of dead links in the web archive
  bool should_relocate = false;        // searches for new addresses of dead pages
  std::string archive_url;             // of the web archive; empty: the Internet Archive
  RelocationOptions relocation;
  GithubSettings github;
  bool should_use_browser = false;  // checks pages that need scripts with a browser
  BrowserOptions browser;
  ReportOptions report;
  RunChoice choice;   // of `report` and `export`
  SinceChoice since;  // of `report`
  std::string store;
  Duration wait_lock{};
  FixKinds fix_kinds;                 // of `fix`; empty: all kinds except relocated, archived and titles
  std::vector<storage::Health> only;  // request only links that the store has with one of these healths; empty: all
  bool no_store = false;
  bool offline = false;
  // Files in WARC format and folders with such files, whose responses replace the network. Empty: the network is used.
  std::vector<std::string> warc_files;
  std::optional<Timestamp> warc_time;  // selects the nearest of several responses; nullopt: the newest
  NotificationOptions notification;
  BrokerOptions broker;
  std::string plan_settings;  // of a plan from another process; empty: this process makes the plan
  bool no_progress = false;
  bool is_partial = false;  // true if the run only serves the command itself; reports and later runs ignore it
};

// Returns nullopt if there is no token. Throws CLI::ValidationError for an invalid token, without quoting it.
std::optional<GithubApi> github_api(const GithubSettings& settings);

// Returns the access to the same API without a token. GitHub answers 60 such requests an hour.
GithubApi anonymous_github_api(const GithubSettings& settings);

// Returns the settings of a plan that can change a verdict, one per line.
std::string describe_plan(CheckOptions options);
// Returns the identity of a run: the inputs, and every setting that can change a verdict.
std::string configuration_of(CheckOptions options);

// Return targets of single options.
OptionTarget read_only(std::vector<storage::Health>& only);
OptionTarget read_shard(std::optional<storage::Shard>& shard);  // each shard is a separate run; `merge` combines them
OptionTarget read_fix_kinds(FixKinds& kinds);
OptionTarget read_verbose(int& verbose);

std::string refuse_bad_archive(const std::string& text);
std::string refuse_bad_vantage(const std::string& text);

}  // namespace linkherd::crawler
