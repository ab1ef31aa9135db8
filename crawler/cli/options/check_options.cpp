#include "crawler/cli/options/check_options.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "crawler/cli/audit.h"
#include "crawler/cli/options/acceptances.h"
#include "crawler/cli/options/host_options.h"
#include "crawler/cli/options/option_types.h"
#include "crawler/cli/options/request_options.h"
#include "crawler/cli/options/retention_options.h"
#include "crawler/cli/options/rule_options.h"
#include "crawler/cli/options/store_location.h"
#include "crawler/cli/process.h"
#include "crawler/notify/child_process.h"
#include "crawler/sources/file_bytes.h"
#include "crawler/sources/repository_bounds.h"
#include "parser/ascii.h"
#include "parser/html/charset.h"
#include "parser/url/credentials.h"
#include "reports/escape.h"
#include "storage/file_names.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;

namespace {

constexpr std::array<EnumName<RobotsMode>, 3> robots_names{
    {{RobotsMode::listed, "listed"}, {RobotsMode::respect, "respect"}, {RobotsMode::ignore, "ignore"}}};
constexpr std::array<EnumName<bool>, 2> on_off_names{{{true, "on"}, {false, "off"}}};

std::string refuse_control_characters(const std::string& text) {
  return parser::has_ascii_control(text)
             ? "the value contains a control character, which would be sent in every request"
             : std::string();
}

void add_fail_on(CLI::App& app, reports::OutcomePolicy& policy) {
  std::vector<std::string> known = names_of(storage::health_names);
  known.emplace_back("none");
  const auto set = [&policy](const std::vector<std::string>& words) {
    policy.fail_on.clear();
    for (const std::string& word : words) {
      if (const auto health = enum_value(storage::health_names, word)) {
        policy.fail_on.push_back(*health);
      } else if (words.size() > 1) {
        throw CLI::ValidationError("--fail-on", "none cannot be combined with other values");
      }
    }
  };
  add_known_names(app, "--fail-on", std::move(known), set, "Link states that make the run fail (exit code 2)")
      ->type_name("HEALTH,...")
      ->default_str("dead,insecure")
      ->configurable();
}

void add_sections(CLI::App& app, std::vector<reports::Section>& sections) {
  std::vector<std::string> known = names_of(reports::section_names);
  known.insert(known.begin(), "broken");
  const auto set = [&sections](const std::vector<std::string>& words) {
    sections.clear();
    for (const std::string& word : words) {
      if (const auto section = enum_value(reports::section_names, word)) {
        sections.push_back(*section);
      } else {
        sections.insert(sections.end(), {reports::Section::dead, reports::Section::insecure});
      }
    }
  };
  add_known_names(app, "--section", std::move(known), set,
                  "Print every link of these sections; broken means dead and insecure")
      ->type_name("NAME,...");
}

// Returns the format whose file ending is the longest that the path has.
std::optional<reports::ReportFormat> format_of_ending(const std::string& path) {
  const std::string name = parser::to_ascii_lower(fs::path(path).filename().string());
  std::optional<reports::ReportFormat> format;
  std::size_t length = 0;
  for (const reports::FormatDescription& known : reports::report_formats) {
    for (const std::string_view ending : known.endings) {
      if (ending.size() <= length || ending.size() >= name.size() || !name.ends_with(ending)) continue;
      format = known.format;
      length = ending.size();
    }
  }
  return format;
}

// Rejects "html" or ".html" as the name of an output file.
void refuse_format_as_file(const std::string& text) {
  const std::string word = text.substr(text.starts_with('.') ? 1 : 0);
  std::optional<reports::ReportFormat> format = enum_value(reports::report_format_names, word);
  const bool is_ending = text.starts_with('.') && text.find_first_of("./", 1) == std::string::npos;
  if (!format && is_ending) format = format_of_ending("report" + text);
  if (!format || word.empty()) return;
  const std::string_view name = enum_name(reports::report_format_names, *format);
  throw CLI::ValidationError("--output", fmt::format("{} is a format, not a file: --format {} writes to stdout, -o "
                                                     "{}:FILE to a file; for a file with that name, write ./{}",
                                                     text, name, name, text));
}

// Parses "sarif:links.sarif", "text:-", or a file name.
ReportOutput read_output(const std::string& text) {
  const auto to = [](std::optional<reports::ReportFormat> format, const std::string& path) {
    if (path.empty()) throw CLI::ValidationError("--output", "a file is missing: FORMAT:FILE, or FORMAT:- for stdout");
    return ReportOutput{format, path == "-" ? std::string() : path};
  };
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) {
    refuse_format_as_file(text);
    return to(std::nullopt, text);
  }
  const std::string word = text.substr(0, colon);
  if (const auto format = enum_value(reports::report_format_names, word)) return to(format, text.substr(colon + 1));
  const auto is_of_names = [](char c) { return parser::is_ascii_letter(c) || c == '-'; };
  if (word.empty() || !std::ranges::all_of(word, is_of_names)) return to(std::nullopt, text);
  throw CLI::ValidationError("--output", fmt::format("{}; for a file with that name, write ./{}",
                                                     is_none_of(word, names_of(reports::report_format_names)), text));
}

void add_outputs(CLI::App& app, std::vector<ReportOutput>& outputs) {
  const auto set = [&outputs](const std::vector<std::string>& texts) {
    outputs.clear();
    std::set<std::string> paths;
    for (const std::string& text : texts) {
      outputs.push_back(read_output(text));
      const std::string& path = outputs.back().path;
      std::error_code error;  // a path that cannot be resolved is rejected when it is opened
      if (!paths.insert(path.empty() ? path : fs::weakly_canonical(fs::absolute(path), error).string()).second)
        throw CLI::ValidationError("--output", (path.empty() ? "stdout" : path) + " is given twice");
    }
  };
  app.add_option_function<std::vector<std::string>>("-o,--output", set,
                                                    "Write the report to FILE in the format of its extension (default: "
                                                    "stdout); repeatable: -o a.html -o sarif:b.json")
      ->type_name("[FORMAT:]FILE");
}

CLI::Option* add_only(CLI::App& app, std::vector<storage::Health>& only) {
  std::vector<std::string> known = names_of(storage::health_names);
  std::erase(known, "deferred");  // the store keeps neither deferred nor skipped links
  std::erase(known, "skipped");
  const auto set = [&only](const std::vector<std::string>& words) {
    only.clear();
    for (const std::string& word : words) only.push_back(enum_value(storage::health_names, word).value());
  };
  return add_known_names(app, "--only", std::move(known), set,
                         "Check only links that the store lists in one of these states")
      ->type_name("HEALTH,...");
}

std::string refuse_bad_vantage(const std::string& text) {
  constexpr std::size_t max_bytes = 64;
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-'; };
  const bool is_name = !text.empty() && text.size() <= max_bytes && std::ranges::all_of(text, is_plain);
  return is_name ? "" : text + " is not a valid vantage name: use at most 64 letters, digits, '.', '_' and '-'";
}

void add_fetch_options(CLI::App& app, FetchOptions& fetch) {
  add_positive_duration(app, "-t,--timeout", fetch.timeout, "Maximum time for one request")->configurable();
  add_number(app, "--max-concurrency", fetch.max_concurrency, 1, 100'000, "Maximum requests in flight");
  add_number(app, "--host-concurrency", fetch.politeness.host_concurrency, 1, 1'000,
             "Maximum requests in flight to one host");
  add_duration(app, "--host-request-interval", fetch.politeness.host_request_interval,
               "Minimum time between two requests to one host");
  add_number(app, "--max-retries", fetch.retry.max_retries, 0, 100, "Maximum retries after a temporary failure")
      ->configurable();
  add_number(app, "-m,--max-redirects", fetch.max_redirects, 0, 100, "Maximum redirects to follow")->configurable();
  add_choice(app, "--robots", fetch.robots, robots_names,
             "listed: fetch your links, at the pace that robots.txt asks for; respect: skip links that it disallows; "
             "ignore: do not read it");
  app.add_option("-u,--user-agent", fetch.user_agent, "User-Agent header to send")
      ->type_name("TEXT")
      ->check(refuse_control_characters);
}

void add_rare_fetch_options(CLI::App& app, FetchOptions& fetch) {
  add_positive_duration(app, "--connect-timeout", fetch.connect_timeout, "Maximum time to connect")->configurable();
  add_duration(app, "-r,--retry-wait-time", fetch.retry.first_wait,
               "Wait before the first retry; doubles with every retry");
  add_duration(app, "--max-retry-after", fetch.retry.max_retry_after, "Maximum Retry-After to wait for")
      ->configurable();
  add_bytes(app, "--max-body", fetch.max_body, "Maximum amount of data to read from a page");
  add_number(app, "-T,--threads", fetch.threads, 1, 64, "Fetch threads (default: one per core, at most 8)")
      ->default_str("");
  app.add_option("--ca-file", fetch.ca_file, "Trust the CA certificates in FILE instead of the system's")
      ->type_name("FILE");
}

void add_deadline(CLI::App& app, std::optional<Duration>& deadline) {
  const auto set = [&deadline](const std::string& text) {
    const Result<Duration> parsed = parse_duration(text);
    if (parsed.has_error()) throw CLI::ValidationError("--deadline", parsed.error().message);
    deadline = *parsed;
  };
  app.add_option_function<std::string>("--deadline", set,
                                       "Stop after this time; the remaining links are reported as not checked yet")
      ->configurable()
      ->type_name("DURATION");
}

constexpr const char* github_api_variable = "GITHUB_GRAPHQL_URL";  // set by the runners of GitHub Actions

std::string refuse_bad_archive(const std::string& text) {
  const Result<parser::Url> url = parser::Url::parse(text);
  if (url.has_error()) return fmt::format("{} is not a valid URL: {}", text, url.error().message);
  const bool is_plain = url->is_http() && url->username().empty() && url->password().empty() && !url->has_query();
  return is_plain ? std::string() : fmt::format("{} must be an http or https URL without login or query", text);
}

// The options are independent: --archive-url sets the server, and --suggest enables the lookups.
void add_archive_options(CLI::App& app, ArchiveSettings& archive) {
  app.add_flag("--suggest", archive.suggest, "Look up dead links in the Internet Archive and name archived copies");
  app.add_option("--archive-url", archive.url, "Use this server with the API of the Internet Archive instead")
      ->type_name("URL")
      ->check(refuse_bad_archive);
}

void add_github_options(CLI::App& app, GithubSettings& github) {
  app.add_option(
         "--github-token", github.token,
         fmt::format("Check links to GitHub through its API, 100 at a time (default: ${})", github_token_variable))
      ->type_name("TOKEN");
  app.add_option("--github-api", github.url, "Use this GraphQL endpoint instead of GitHub's")
      ->type_name("URL")
      ->check(refuse_bad_archive);
}

void add_policy_options(CLI::App& app, CrawlOptions& crawl) {
  add_duration(app, "--max-cache-age", crawl.max_cache_age, "Do not recheck links found alive within this time")
      ->configurable();
  add_number(app, "--strikes", crawl.strikes.strikes, 1, 100,
             "Report an unreachable link as dead after N consecutive failed checks")
      ->configurable();
  add_duration(app, "--strike-interval", crawl.strikes.interval, "Minimum time between two failed checks that count")
      ->configurable();
  add_duration(app, "--confirm-wait", crawl.confirm_wait, "Wait before confirming that a link is dead")->configurable();
  add_choice(app, "--site-apis", crawl.should_use_site_apis, on_off_names,
             "Ask a site's public API about pages that deny access, are suspect or have no title")
      ->configurable();
  add_deadline(app, crawl.deadline);
  app.add_option("--vantage", crawl.vantage,
                 "Name of this vantage point; linkherd compares the results of different vantage points")
      ->type_name("NAME")
      ->check(refuse_bad_vantage);
  add_share(app, "--outage-share", crawl.outage_share, 0.01,
            "Share of unreachable domains above which your own network is considered down")
      ->configurable();
}

enum class Fragments : std::uint8_t { none, file, web };
constexpr std::array<EnumName<Fragments>, 3> fragment_names{
    {{Fragments::none, "none"}, {Fragments::file, "file"}, {Fragments::web, "web"}}};
constexpr std::array<const char*, 2> ignore_files = {".linkherdignore", ".lycheeignore"};
constexpr std::size_t max_ignore_file_bytes = std::size_t{1} << 20;

void add_patterns_of(const fs::path& file, std::vector<SourcedPattern>& patterns) {
  std::error_code error;
  // any other existing file must be readable
  if (fs::symlink_status(file, error).type() == fs::file_type::not_found) return;
  const Result<std::string> text = read_file_bytes(file, max_ignore_file_bytes, own_repository());
  if (text.has_error()) throw CLI::ValidationError(file.string(), text.error().message);
  spdlog::info(fmt::format("reading exclude patterns from {}", reports::escape_for_terminal(file.string())));
  for (SourcedPattern& pattern : patterns_in(parser::decode_text(*text).text, file.string()))
    patterns.push_back(std::move(pattern));
}

std::vector<SourcedPattern> from_option(const std::vector<std::string>& patterns, const char* option) {
  std::vector<SourcedPattern> all;
  all.reserve(patterns.size());
  for (const std::string& pattern : patterns) all.push_back({option, pattern});
  return all;
}

void add_warc_options(CLI::App& app, WarcInputs& archives, CLI::Option* offline) {
  CLI::Option* const files =
      app.add_option("--from-warc", archives.files, "Evaluate links by the responses in WARC files or folders of them")
          ->type_name("FILE")
          ->needs(offline);
  add_moment(app, "--at", archives.at, "Use the response nearest to this time (default: the newest)")->needs(files);
}

std::string refuse_unknown_scheme(const std::string& text) {
  static constexpr std::array<std::string_view, 4> evaluated = {"http", "https", "file", "mailto"};
  const std::string scheme = parser::to_ascii_lower(text.substr(0, text.find(':')));
  if (std::ranges::find(evaluated, scheme) != evaluated.end()) return {};
  return fmt::format("linkherd does not check links with the scheme {}; it checks {}", text,
                     fmt::join(evaluated, ", "));
}

// Accepts no value, lychee's values, and true or false as in lychee's configuration.
void add_include_fragments(CLI::App& app, Selection& selection) {
  const auto set = [&selection](const std::string& text) {
    static constexpr std::array<std::string_view, 4> of_lychee{"true", "anchor-only", "text-only", "full"};
    const bool is_web = std::ranges::find(of_lychee, text) != of_lychee.end();
    const std::string word = is_web ? "web" : text == "false" ? "none" : text;
    const std::optional<Fragments> found = enum_value(fragment_names, word);
    if (!found) return is_none_of(text, names_of(fragment_names));
    selection.local.anchors = *found != Fragments::none;
    selection.web_anchors = *found == Fragments::web;
    return std::string();
  };
  const std::string help = "Check that the anchor after # exists: =none, =file (in files), =web (also in web pages)";
  app.add_flag("--include-fragments{web}", help)->check(set)->default_str("file")->configurable();
}

// Parses "https://docs.example.org=site".
Result<SiteMapping> read_site_mapping(const std::string& text) {
  const std::size_t separator = text.find('=');
  const std::string address = text.substr(0, separator);
  const std::string shown = parser::mask_password(address);
  const Result<parser::Url> url = parser::Url::parse(address);
  if (url.has_error()) return Error{fmt::format("{} is not a valid URL: {}", shown, url.error().message)};
  const bool has_login = !url->username().empty() || !url->password().empty();
  if (!url->is_http() || has_login || url->has_query() || url->has_fragment())
    return Error{fmt::format("{} must be an http or https URL without login, query or fragment", shown)};
  SiteMapping site{*url};
  if (separator == std::string::npos) return site;
  site.folder = text.substr(separator + 1);
  if (site.folder.empty()) return Error{fmt::format("the folder after {}= is missing", shown)};
  if (const std::string problem = refuse_no_folder(site.folder); !problem.empty()) return Error{problem};
  return site;
}

void add_site_urls(CLI::App& app, std::vector<SiteMapping>& sites) {
  const auto set = [&sites](const std::vector<std::string>& texts) {
    sites.clear();
    for (const std::string& text : texts) {
      Result<SiteMapping> site = read_site_mapping(text);
      if (site.has_error()) throw CLI::ValidationError("--site-url", site.error().message);
      sites.push_back(std::move(site).value());
    }
  };
  app.add_option_function<std::vector<std::string>>(
         "--site-url", set,
         "Treat links below URL as links to local files in FOLDER (default: --root-dir, or the folder of built pages)")
      ->type_name("URL[=FOLDER]")
      ->configurable();
}

void add_local_options(CLI::App& app, Selection& selection) {
  LocalLinkOptions& local = selection.local;
  add_site_urls(app, local.sites);
  app.add_option("--root-dir", local.root_dir, "Folder for links that begin with /, such as /x")
      ->type_name("DIR")
      ->check(refuse_no_folder);
  add_names(app, "--index-files", local.index_files,
            "Require one of these files in a linked folder; . accepts the folder itself")
      ->type_name("NAME,...")
      ->configurable();
  add_names(app, "--fallback-extensions", local.fallback_extensions,
            "Extensions to try if a linked file does not exist")
      ->type_name("EXT,...")
      ->configurable();
  add_include_fragments(app, selection);
}

}  // namespace

void add_report_options(CLI::App& app, ReportOptions& options) {
  add_choice(app, "-f,--format", options.format, reports::report_format_names,
             "Report format (default: from the file extension); jsonl prints one link per line")
      ->configurable()
      ->each([&options](const std::string& /*name*/) { options.names_format = true; });
  add_outputs(app, options.outputs);
  add_audit_option(app, options.audit);
  add_bom_option(app, options.byte_order_mark);
  add_choice(app, "--lang", options.language, reports::page_language_names,
             "Language of the html report; auto follows the browser")
      ->configurable();
  app.add_flag("--all", options.all, "Print the complete report, not only the summary");
  add_sections(app, options.sections);
  app.add_flag("--changes", options.only_changes, "Report only changes since the last complete run of the same inputs");
  add_choice(app, "--group-by", options.group_by, reports::group_by_names, "Group links in the text report")
      ->configurable();
  add_fail_on(app, options.outcome);
  add_share(app, "--max-deferred", options.outcome.max_deferred, 0,
            "Exit with 4 if a larger share of links was not checked; hosts that are down do not count")
      ->configurable();
  add_number(app, "--cert-days", options.certificate_days, 0, 3650,
             "List certificates of working links that expire within N days; 0 lists none")
      ->configurable();
  add_choice(app, "--duplicates", options.duplicates, duplicate_scope_names,
             "Find duplicate entries: within (a file); across (files); mentions (also badges and mentions); off")
      ->configurable();
  // Called before configuration files are read.
  app.parse_complete_callback([&app, &options] {
    options.has_format_option = app.count("--format") > 0;
    options.has_output_option = app.count("--output") > 0;
    const CLI::Option* const store = app.get_option_no_throw("--store");
    options.has_store_option = store != nullptr && store->count() > 0;
    options.has_fail_on_option = app.count("--fail-on") > 0;
  });
  add_tracking_rules_option(app, options.tracking_rules);
  add_accepted_option(app, options.accepted);
  add_choice(app, "--color", options.color, color_names, "Color the text report")->configurable();
}

reports::ReportFormat format_of(const ReportOutput& output, const ReportOptions& options) {
  if (output.format) return *output.format;
  // --format applies to all outputs. The configuration's format applies unless --output is given.
  if (options.has_format_option || (options.names_format && !options.has_output_option)) return options.format;
  return format_of_ending(output.path).value_or(options.format);
}

// Parses "2/4". Each shard is a separate run, and `merge` combines them.
void add_shard(CLI::App& app, std::optional<storage::Shard>& shard) {
  constexpr std::uint32_t max_shards = 10'000;
  const auto number_in = [](std::string_view text) {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? number : 0;
  };
  const auto set = [&shard, number_in, max_shards](const std::string& text) {
    const std::string_view view = text;
    const std::size_t slash = std::min(view.find('/'), view.size() - 1);
    const std::uint32_t number = number_in(view.substr(0, slash));
    const std::uint32_t count = number_in(view.substr(slash + 1));
    if (number < 1 || number > count || count > max_shards) {
      throw CLI::ValidationError(
          "--shard",
          fmt::format("{} is not a valid part: write 2/4 for the second of four parts; at most {} parts are possible",
                      text, max_shards));
    }
    shard = {number, count};
  };
  app.add_option_function<std::string>("--shard", set, "Check only part I of N; linkherd store merge joins the parts")
      ->type_name("I/N");
}

namespace {

void add_run_store(CLI::App& app, CheckOptions& options) {
  add_store_option(app, options.store);
  add_wait_lock_option(app, options.wait_lock);
  app.add_flag("--no-store", options.no_store, "Check without a store: keep no results between runs")->configurable();
}

void add_harvest_option(CLI::App& app, CheckOptions& options) {
  add_choice(app, "--harvest", options.crawl.harvest, harvest_names,
             "Metadata to extract from pages: none; title; full (also authors and dates) (default: full with a store, "
             "--suggest, --all, --section, json, jsonl, csv or html; otherwise none)")
      ->configurable()
      ->each([&options](const std::string& /*name*/) { options.names_harvest = true; })
      ->default_str("");
}

void add_report_of_run(CLI::App& app, ReportOptions& report) {
  add_report_options(app, report);
  app.get_option("--no-store")->excludes(app.get_option("--audit"));
}

}  // namespace

void add_list_options(CLI::App& app, CheckOptions& options, const std::string& kinds) {
  add_rule_option(app, options.crawl.rules);
  add_site_api_option(app, options.crawl.site_apis);
  add_list_inputs(app, options.lists, kinds);
  add_selection_options(app, options.selection);
  add_run_store(app, options);
}

void add_request_policies(CLI::App& app, CrawlOptions& crawl) {
  add_fetch_options(app, crawl.fetch);
  add_policy_options(app, crawl);
}

void add_run_options(CLI::App& app, CheckOptions& options) {
  add_github_options(app, options.github);
  add_archive_options(app, options.archive);
  add_host_settings(app, options.crawl.fetch.politeness.overrides);
  add_common_options(app, options.common);
  app.get_option("--verbose")->description("Print one line per finished link; -vv for debugging");
  app.add_flag("-n,--no-progress", options.no_progress, "Show no progress line");
  add_rare_fetch_options(app, options.crawl.fetch);
  add_request_options(app, options.crawl.fetch);
  add_retention_options(app, options.crawl.retention);
}

void add_check_options(CLI::App& app, CheckOptions& options) {
  add_list_options(app, options, "Files, folders, globs, URLs of documents");
  CLI::Option* const offline = app.add_flag("--offline", options.offline,
                                            "Check only links to local files and their anchors, without the network");
  add_warc_options(app, options.archives, offline);
  add_only(app, options.only)->excludes(app.get_option("--no-store"))->excludes(offline);
  add_report_of_run(app, options.report);
  add_request_policies(app, options.crawl);
  add_shard(app, options.crawl.shard);
  // The contents of a shard would depend on the change.
  app.get_option("--changed-since")->excludes(app.get_option("--shard"));
  add_site_options(app, options.site);
  add_notification_options(app, options.notification);
  add_harvest_option(app, options);
  add_broker_options(app, options.broker)->excludes(offline);
  add_warc_dir_option(app, options.broker);
  add_run_options(app, options);
}

void add_collect_options(CLI::App& app, CheckOptions& options) {
  add_broker_options(app, options.broker)->required();
  add_warc_dir_option(app, options.broker);
  add_rule_option(app, options.crawl.rules);
  add_site_api_option(app, options.crawl.site_apis);
  add_run_store(app, options);
  add_report_of_run(app, options.report);
  add_request_policies(app, options.crawl);
  add_notification_options(app, options.notification);
  add_harvest_option(app, options);
  add_run_options(app, options);
}

std::optional<GithubApi> github_api(const GithubSettings& settings) {
  const std::string token(
      parser::trim_ascii(settings.token ? *settings.token : environment_variable(github_token_variable)));
  if (token.empty()) return std::nullopt;
  const auto is_usual = [](char c) { return parser::is_ascii_alphanumeric(c) || c == '_' || c == '-' || c == '.'; };
  if (!std::ranges::all_of(token, is_usual))
    throw CLI::ValidationError("--github-token", "a token may contain only letters, digits, _, - and .");
  std::string url = settings.url;
  if (url.empty() && !settings.token) url = environment_variable(github_api_variable);
  const auto parsed = parser::Url::parse(url.empty() ? "https://api.github.com/graphql" : url);
  if (!parsed || !parsed->is_http()) throw CLI::ValidationError("--github-api", url + " is not an http or https URL");
  return GithubApi{*parsed, token};
}

std::string describe_folder(const CheckOptions& options) {
  const LocalLinkOptions& local = options.selection.local;
  const bool is_named_from = !options.lists.files_from.empty() || !options.lists.exclude_paths.empty() ||
                             !local.root_dir.empty() || !local.sites.empty();
  if (!is_named_from) return {};
  return "\nfolder=" + storage::FileNames::of_store(store_location(options.store)).to_stored(".");
}

std::string configuration_of(const CheckOptions& options) {
  const FetchOptions& fetch = options.crawl.fetch;
  std::string text;
  const auto add = [&text](std::string_view key, std::string_view value) {
    text.append(1, '\n').append(key).append(1, '=').append(value);
  };
  const storage::FileNames names = storage::FileNames::of_store(store_location(options.store));
  for (const std::string& input : input_names(options.lists))
    add("input", parser::mask_password(names.to_stored(input)));
  add("offline", options.offline ? "1" : "0");
  for (const std::string& file : options.archives.files) add("from_warc", file);
  if (options.archives.at) add("at", format_timestamp(*options.archives.at));
  for (const storage::Health health : options.only) add("only", enum_name(storage::health_names, health));
  if (!options.crawl.vantage.empty()) add("vantage", options.crawl.vantage);
  if (options.crawl.shard) add("shard", describe(*options.crawl.shard));
  add("timeout", format_duration(fetch.timeout));
  add("connect_timeout", format_duration(fetch.connect_timeout));
  add("max_redirects", std::to_string(fetch.max_redirects));
  add("max_retries", std::to_string(fetch.retry.max_retries));
  add("retry_wait_time", format_duration(fetch.retry.first_wait));
  add("max_retry_after", format_duration(fetch.retry.max_retry_after));
  add("max_body", std::to_string(fetch.max_body));
  add("ca_file", fetch.ca_file);
  add("robots", enum_name(robots_names, fetch.robots));
  add("user_agent", fetch.user_agent);
  add("max_cache_age", format_duration(options.crawl.max_cache_age));
  add("strikes", std::to_string(options.crawl.strikes.strikes));
  add("strike_interval", format_duration(options.crawl.strikes.interval));
  add("confirm_wait", format_duration(options.crawl.confirm_wait));
  add("site_apis", enum_name(on_off_names, options.crawl.should_use_site_apis));
  add("outage_share", std::to_string(options.crawl.outage_share));
  return text + describe_site_options(options.site) + describe_list_inputs(options.lists) + describe_folder(options) +
         describe_selection(options.selection) + describe_request_options(fetch) +
         describe_rules(options.crawl.rules.get()) + describe_site_apis(options.crawl.site_apis.get()) +
         options.plan_settings;
}

void add_filter_options(CLI::App& app, Selection& selection) {
  app.add_option("--exclude", selection.exclude, "Skip URLs that match REGEX")
      ->type_name("REGEX")
      ->check(refuse_bad_pattern)
      ->configurable();
  app.add_option("--include", selection.include, "Check URLs that match REGEX even if they are excluded")
      ->type_name("REGEX")
      ->check(refuse_bad_pattern);
  app.add_option("--remap", selection.remap, "Rewrite URLs before they are checked")
      ->type_name("'REGEX TEXT'")
      ->check(refuse_bad_remap);
  app.add_option("-s,--scheme", selection.schemes, "Check only URLs with this scheme")
      ->check(refuse_unknown_scheme)
      ->type_name("NAME")
      ->configurable();
}

void add_selection_options(CLI::App& app, Selection& selection) {
  add_filter_options(app, selection);
  app.add_flag("--include-mail", selection.include_mail, "Also check the syntax of mail addresses")->configurable();
  add_local_options(app, selection);
}

void read_ignore_files(Selection& selection) {
  const fs::path root = repository_root().value_or(".");
  for (const char* name : ignore_files) {
    add_patterns_of(name, selection.ignored);
    if (root != ".") add_patterns_of(root / name, selection.ignored);
  }
}

LinkFilterOptions filter_options(const Selection& selection) {
  if (selection.given) return *selection.given;
  LinkFilterOptions options;
  options.include = from_option(selection.include, "--include");
  options.exclude = from_option(selection.exclude, "--exclude");
  options.remap = selection.remap;
  options.schemes = selection.schemes;
  options.exclude.insert(options.exclude.end(), selection.ignored.begin(), selection.ignored.end());
  return options;
}

LinkFilter make_link_filter(const Selection& selection) {
  Result<LinkFilter> filter = LinkFilter::make(filter_options(selection));
  if (filter.has_error()) throw CLI::ConfigError(filter.error().message);
  return std::move(filter).value();
}

std::string describe_selection(const Selection& selection) {
  std::string text;
  const auto add = [&text](std::string_view key, const std::vector<std::string>& values) {
    for (const std::string& value : values) text.append(1, '\n').append(key).append(1, '=').append(value);
  };
  add("include", selection.include);
  add("exclude", selection.exclude);
  for (const SourcedPattern& pattern : selection.ignored) add("ignored", {pattern.pattern});
  add("remap", selection.remap);
  add("scheme", selection.schemes);
  add("include_mail", {selection.include_mail ? "1" : "0"});
  add("root_dir", {selection.local.root_dir});
  for (const SiteMapping& site : selection.local.sites)
    add("site_url", {std::string(site.url.href()) + "=" + site.folder});
  add("index_files", selection.local.index_files);
  add("fallback_extensions", selection.local.fallback_extensions);
  add("include_fragments", {selection.web_anchors ? "2" : selection.local.anchors ? "1" : "0"});
  return text;
}

}  // namespace linkherd::crawler
