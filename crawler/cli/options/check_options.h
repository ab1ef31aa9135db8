// All options of `linkherd check` with their defaults, and their conversion to the options of a crawl and a report.
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

// Options of `check` that apply between reading input documents and fetching. They select links, and determine how
// links to files and mail addresses are checked.
struct Selection {
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  std::vector<SourcedPattern> ignored;  // from .linkherdignore and .lycheeignore: further exclusions
  std::vector<std::string> remap;
  std::vector<std::string> schemes;
  bool include_mail = false;
  LocalLinkOptions local;
  bool web_anchors = false;                     // also check the fragments of links to pages
  std::optional<LinkFilterOptions> given = {};  // from a plan of another process; nullopt: the patterns above apply
};

// Adds --include, --exclude, --remap and --scheme.
void add_filter_options(CLI::App& app, Selection& selection);
// Adds these, and the options for links that are checked without a request.
void add_selection_options(CLI::App& app, Selection& selection);

// Reads .linkherdignore and .lycheeignore into `ignored`, from the current folder and the root of the repository.
// Throws CLI::ValidationError for an existing file that cannot be read.
void read_ignore_files(Selection& selection);

LinkFilterOptions filter_options(const Selection& selection);
// Throws CLI::ConfigError, which names the invalid pattern and where it is.
LinkFilter make_link_filter(const Selection& selection);

// Returns the settings that can change a verdict, one per line.
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

// A destination of a report.
struct ReportOutput {
  std::optional<reports::ReportFormat> format;  // nullopt: see format_of()
  std::string path;                             // empty: stdout
  bool append = false;                          // append to the file instead of replacing it
};

class Acceptances;

// Options for writing a report; shared by `check` and `report`.
struct ReportOptions {
  reports::ReportFormat format = reports::ReportFormat::text;
  bool names_format = false;          // the command line or the configuration sets a format
  bool has_format_option = false;     // the command line has --format
  bool has_output_option = false;     // the command line has --output
  bool has_store_option = false;      // the command line has --store
  std::vector<ReportOutput> outputs;  // empty: stdout only
  bool byte_order_mark = false;
  reports::PageLanguage language = reports::PageLanguage::automatic;
  bool all = false;
  std::vector<reports::Section> sections;  // empty: the summary view
  reports::GroupBy group_by = reports::GroupBy::cause;
  bool only_changes = false;
  ColorMode color = ColorMode::automatic;
  reports::DuplicateScope duplicates = reports::DuplicateScope::across;
  std::string tracking_rules;  // a file; empty: only the built-in table
  reports::OutcomePolicy outcome;
  bool has_fail_on_option = false;  // the command line has --fail-on
  int certificate_days = 14;
  std::shared_ptr<const Acceptances> accepted;  // null: no failure is accepted
  std::string audit;                            // a folder; empty: none
};

// Selects the archive that is queried for copies of dead links, if any.
struct ArchiveSettings {
  bool suggest = false;
  std::string url;  // empty: the Internet Archive
};

// Access to GitHub's API, which is queried for links to GitHub.
struct GithubSettings {
  std::optional<std::string> token;  // nullopt: taken from the environment
  std::string url;                   // empty: taken from the environment, or else GitHub's own
};

// WARC files whose responses are used instead of the network.
struct WarcInputs {
  std::vector<std::string> files;  // and folders; empty: the network is used
  std::optional<Timestamp> at;     // selects the nearest of several responses; nullopt: the newest
};

struct CheckOptions {
  CommonOptions common;
  ListInputs lists;
  Selection selection;
  SiteOptions site;
  CrawlOptions crawl;
  bool names_harvest = false;  // true if --harvest is given
  ArchiveSettings archive;
  GithubSettings github;
  ReportOptions report;
  std::string store;
  Duration wait_lock{};
  bool no_store = false;
  std::vector<storage::Health> only;  // request only links that the store has with one of these healths; empty: all
  bool offline = false;
  WarcInputs archives;
  NotificationOptions notification;
  BrokerOptions broker;
  std::string plan_settings;  // of a plan from another process; empty: this process makes the plan
  bool no_progress = false;
  bool is_partial = false;  // true if the run only serves the command itself; reports and later runs ignore it
};

void add_report_options(CLI::App& app, ReportOptions& options);

// Returns the format of an output. The first that is set applies: the output's own format, --format, the extension of
// the file, the configuration.
reports::ReportFormat format_of(const ReportOutput& output, const ReportOptions& options);
void add_check_options(CLI::App& app, CheckOptions& options);

// Adds the same options without those for input documents, for a run with a plan from another process.
void add_collect_options(CLI::App& app, CheckOptions& options);

// Parts of the options of `check`, for other commands that check input documents: selection of documents and links and
// the store; requests to hosts; the rest of a run. `kinds`: kinds of inputs, for the help.
void add_list_options(CLI::App& app, CheckOptions& options, const std::string& kinds);
void add_shard(CLI::App& app, std::optional<storage::Shard>& shard);
void add_request_policies(CLI::App& app, CrawlOptions& crawl);
void add_run_options(CLI::App& app, CheckOptions& options);

// Returns nullopt if there is no token. Throws CLI::ValidationError for an invalid token, without quoting it.
std::optional<GithubApi> github_api(const GithubSettings& settings);

// Returns the identity of a run: the inputs, and every setting that can change a verdict.
std::string configuration_of(const CheckOptions& options);
// Returns a line with the current folder as the store names it. Empty if no option names a file relative to it.
std::string describe_folder(const CheckOptions& options);

}  // namespace linkherd::crawler
