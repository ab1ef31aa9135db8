// Everything that `linkherd check` can be told, with its defaults; and how that becomes the options of a crawl and a
// report.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "crawler/cli/command.h"
#include "crawler/cli/options/broker_options.h"
#include "crawler/cli/options/change_notifier.h"
#include "crawler/cli/options/list_inputs.h"
#include "crawler/cli/options/site_check.h"
#include "crawler/run/crawl.h"
#include "crawler/sources/link_filter.h"
#include "crawler/sources/local_links.h"
#include "reports/duplicates.h"
#include "reports/link_groups.h"
#include "reports/report_formats.h"
#include "reports/summary.h"

namespace linkherd::crawler {

// Which links of the lists are checked, and how those are that lead to files or mail addresses: the options of `check`
// between reading the lists and fetching.
struct Selection {
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  std::vector<SourcedPattern> ignored;  // of .linkherdignore and .lycheeignore: what is excluded as well
  std::vector<std::string> remap;
  std::vector<std::string> schemes;
  bool include_mail = false;
  LocalLinkOptions local;
  bool web_anchors = false;                     // judge the fragments of links to pages, too
  std::optional<LinkFilterOptions> given = {};  // of a plan that was made elsewhere; nullopt: the patterns above count
};

// --include, --exclude, --remap, --scheme.
void add_filter_options(CLI::App& app, Selection& selection);
// These, and how links without a request are judged.
void add_selection_options(CLI::App& app, Selection& selection);

// Reads .linkherdignore and .lycheeignore, here and at the root of the repository, into `ignored`. Throws
// CLI::ValidationError for one that is there and cannot be read.
void read_ignore_files(Selection& selection);

LinkFilterOptions filter_options(const Selection& selection);
// Throws CLI::ConfigError, which names the pattern that cannot be used and where it stands.
LinkFilter make_link_filter(const Selection& selection);

// The settings that can change a verdict, a line each.
std::string describe_selection(const Selection& selection);

inline constexpr std::array<EnumName<parser::Harvest>, 3> harvest_names{
    {{parser::Harvest::none, "none"}, {parser::Harvest::title, "title"}, {parser::Harvest::full, "full"}}};

enum class ColorMode { automatic, always, never };
inline constexpr std::array<EnumName<ColorMode>, 3> color_names{
    {{ColorMode::automatic, "auto"}, {ColorMode::always, "always"}, {ColorMode::never, "never"}}};

inline constexpr std::array<EnumName<reports::DuplicateScope>, 4> duplicate_scope_names{
    {{reports::DuplicateScope::within, "within"},
     {reports::DuplicateScope::across, "across"},
     {reports::DuplicateScope::mentions, "mentions"},
     {reports::DuplicateScope::off, "off"}}};

// A file that a report is written to.
struct ReportOutput {
  std::optional<reports::ReportFormat> format;  // nullopt: see format_of()
  std::string path;                             // empty: stdout
  bool append = false;                          // behind what is in the file; else it is replaced
};

class Acceptances;

// How a report is written; shared by `check` and `report`.
struct ReportOptions {
  reports::ReportFormat format = reports::ReportFormat::text;
  bool names_format = false;          // the command line or the configuration has a format …
  bool asks_for_format = false;       // … and the command line has
  bool asks_for_output = false;       // the command line has --output
  bool asks_for_store = false;        // … and --store
  std::vector<ReportOutput> outputs;  // empty: one to stdout
  bool byte_order_mark = false;
  reports::PageLanguage language = reports::PageLanguage::automatic;
  bool all = false;
  std::vector<reports::Section> sections;  // empty: the first screen
  reports::GroupBy group_by = reports::GroupBy::cause;
  bool only_changes = false;
  ColorMode color = ColorMode::automatic;
  reports::DuplicateScope duplicates = reports::DuplicateScope::across;
  std::string tracking_rules;  // a file; empty: our own table only
  reports::OutcomePolicy outcome;
  bool asks_to_fail = false;  // --fail-on is on the command line
  int certificate_days = 14;
  std::shared_ptr<const Acceptances> accepted;  // null: nothing is
  std::string audit;                            // a folder; empty: none
};

// Whether an archive is asked for copies of dead links, and which.
struct ArchiveSettings {
  bool suggest = false;
  std::string url;  // empty: the Internet Archive
};

// Whether GitHub's API is asked about links to GitHub, and which.
struct GithubSettings {
  std::optional<std::string> token;  // nullopt: that of the environment
  std::string url;                   // empty: that of the environment, else GitHub's own
};

// WARC files whose responses stand for the network's.
struct WarcInputs {
  std::vector<std::string> files;  // and folders; empty: the network is asked
  std::optional<Timestamp> at;     // of several responses the nearest one; nullopt: the newest
};

struct CheckOptions {
  CommonOptions common;
  ListInputs lists;
  Selection selection;
  SiteOptions site;
  CrawlOptions crawl;
  bool names_harvest = false;  // --harvest is given
  ArchiveSettings archive;
  GithubSettings github;
  ReportOptions report;
  std::string store;
  Duration wait_lock{};
  bool no_store = false;
  std::vector<storage::Health> only;  // ask those links alone that the store has as one of these; empty: all
  bool offline = false;
  WarcInputs archives;
  NotificationOptions notification;
  BrokerOptions broker;
  std::string plan_settings;  // of a plan that was made elsewhere; empty: this call makes it
  bool no_progress = false;
  bool is_partial = false;  // only for what the command does next: reports and later runs pass over the run
};

void add_report_options(CLI::App& app, ReportOptions& options);

// The format of a file: that which is named with it, else --format, else that of its ending, else the configuration's.
reports::ReportFormat format_of(const ReportOutput& output, const ReportOptions& options);
void add_check_options(CLI::App& app, CheckOptions& options);

// The same without lists, for a run whose plan was made elsewhere.
void add_collect_options(CLI::App& app, CheckOptions& options);

// Of these, what every command needs that checks lists itself: which lists and links, where it is remembered; how
// hosts are asked; and the rest of a run. `kinds`: the kinds of inputs, for the help.
void add_list_options(CLI::App& app, CheckOptions& options, const std::string& kinds);
void add_shard(CLI::App& app, std::optional<storage::Shard>& shard);
void add_request_policies(CLI::App& app, CrawlOptions& crawl);
void add_run_options(CLI::App& app, CheckOptions& options);

// Nullopt where there is no token. Throws CLI::ValidationError for one that is none, without quoting it.
std::optional<GithubApi> github_api(const GithubSettings& settings);

// What makes two calls the same run: the inputs, and every setting that can change a verdict.
std::string configuration_of(const CheckOptions& options);
// A line with the current folder as the store names it, if options name files from there; else empty.
std::string describe_folder(const CheckOptions& options);

}  // namespace linkherd::crawler
