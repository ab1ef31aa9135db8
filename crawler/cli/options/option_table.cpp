#include "crawler/cli/options/option_table.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "crawler/cli/options/acceptances.h"
#include "crawler/cli/options/host_options.h"
#include "crawler/cli/options/request_options.h"
#include "crawler/cli/options/retention_options.h"
#include "crawler/cli/options/rule_options.h"
#include "crawler/notify/child_process.h"

namespace linkherd::crawler {
namespace {

constexpr std::array<EnumName<OutputFormat>, 3> output_format_names{
    {{OutputFormat::text, "text"}, {OutputFormat::json, "json"}, {OutputFormat::jsonl, "jsonl"}}};
constexpr std::array<EnumName<RobotsMode>, 3> robots_names{
    {{RobotsMode::listed, "listed"}, {RobotsMode::respect, "respect"}, {RobotsMode::ignore, "ignore"}}};
constexpr std::array<EnumName<bool>, 2> on_off_names{{{true, "on"}, {false, "off"}}};
constexpr std::array<EnumName<parser::Harvest>, 3> harvest_names{
    {{parser::Harvest::none, "none"}, {parser::Harvest::title, "title"}, {parser::Harvest::full, "full"}}};
constexpr std::array<EnumName<MethodPlan>, 3> method_names{
    {{MethodPlan::get, "get"}, {MethodPlan::head, "head"}, {MethodPlan::head_then_get, "head,get"}}};
constexpr std::array<EnumName<bool>, 2> retry_names{{{true, "browser"}, {false, "off"}}};
constexpr std::array<EnumName<ResolverKind>, 2> resolver_names{
    {{ResolverKind::c_ares, "c-ares"}, {ResolverKind::system, "system"}}};
constexpr std::array<EnumName<TlsVersion>, 4> tls_names{{{TlsVersion::v1_0, "TLSv1_0"},
                                                         {TlsVersion::v1_1, "TLSv1_1"},
                                                         {TlsVersion::v1_2, "TLSv1_2"},
                                                         {TlsVersion::v1_3, "TLSv1_3"}}};

constexpr unsigned every = ~unsigned{commands::bare};
constexpr unsigned documents = commands::check | commands::fix | commands::plan | commands::links;
constexpr unsigned selecting = commands::check | commands::fix | commands::plan;
constexpr unsigned running = commands::check | commands::fix | commands::collect;
constexpr unsigned fetching = running | commands::worker;
constexpr unsigned reporting = commands::check | commands::collect;
constexpr unsigned reports_of_runs = reporting | commands::report;
constexpr unsigned writing_stores =
    running | commands::compact | commands::backup | commands::restore | commands::merge | commands::forget;
constexpr unsigned stores = writing_stores | commands::report | commands::history | commands::runs |
                            commands::catalogue | commands::info | commands::verify;
constexpr unsigned plain_formats = commands::links | commands::status | commands::history | commands::runs |
                                   commands::info | commands::verify | commands::merge | commands::rules |
                                   commands::url;
constexpr unsigned always_with_broker = commands::plan | commands::collect | commands::worker | commands::status;
constexpr unsigned with_broker = always_with_broker | commands::check;
constexpr unsigned with_workers = reporting | commands::worker;

constexpr const char* on_accept =
    "linkherd distinguishes refused requests from dead links; choose with --fail-on which links make the run fail";

// Options of lychee that no option of linkherd replaces.
constexpr std::array<LycheeNames, 4> lychee_only{{
    {"--dump", "use `linkherd links`"},
    {"--dump-inputs", "use `linkherd links`, which names the file of each link"},
    {"--generate", "use `linkherd completions SHELL`; the manual page is installed: man linkherd"},
    {"--preprocess -p", "pipe the text in: `your-command | linkherd check -`"},
}};

OptionGroup input_group(CheckOptions& o) {
  return {
      "Input",
      {{"--files-from", read_text(o.lists.files_from, "FILE"),
        "Read more inputs from FILE, one per line or separated by NUL; - reads stdin", documents, affects_results},
       {"--recursive", read_flag(o.site.recursive),
        "Crawl the sites at the input URLs: follow links within them, and check each link to another site once",
        commands::check, affects_results,
        excludes("--files-from --base-url --input-format --changed-since --shard --only --offline --site-url")},
       {"--offline", read_flag(o.offline), "Check only links to local files and their anchors, without the network",
        commands::check, affects_results},
       {"--offline", read_flag(o.offline), "Apply only repairs that need no network: anchors, tracking, redirectors",
        commands::fix, affects_results},
       {"-c,--config", read_text(o.common.config_files, "FILE"),
        "Read settings from FILE; repeatable, later files win (default: linkherd.toml, here or at the repository "
        "root)",
        every}},
      {{"-b,--base-url", read_text(o.lists.base_url, "URL", refuse_bad_url), "Resolve relative links against URL",
        documents, affects_results, replaces("--base", "use --base-url for a URL, or --root-dir for a folder")},
       {"--no-git",
        read_flag(o.lists.no_git),
        "Read folders without git, including untracked files",
        documents,
        affects_results,
        {.lychee = {{"--hidden", "hidden files that git tracks are read; to read others, name them or their folder"},
                    {"--no-ignore",
                     "--no-git reads files that git does not track; to read files that .gitignore excludes, name "
                     "them"}}}},
       {"--input-format", read_choice(o.lists.input_format, parser::document_format_names, nullptr, "FORMAT"),
        "Read every input in this format", documents, safe | affects_results,
        replaces("--default-extension",
                 "a file that you name is read regardless of its extension; --input-format sets its format")},
       {"--skip-missing", read_flag(o.lists.skip_missing), "Ignore inputs that do not exist, such as deleted files",
        documents, safe | affects_results},
       {"--fail-if-empty", read_flag(o.lists.fail_if_empty), "Exit with 1 if no link is found", documents, safe},
       {"--include-verbatim", read_flag(o.lists.include_verbatim), "Also check links in code blocks and code spans",
        documents, safe | affects_results},
       {"--include-wikilinks", read_flag(o.lists.include_wikilinks), "Also check [[page]] links in Markdown", documents,
        safe | affects_results},
       {"--root-dir", read_text(o.selection.local.root_dir, "DIR", refuse_no_folder),
        "Folder for links that begin with /, such as /x", selecting, affects_results},
       {"--site-url", read_site_urls(o.selection.local.sites),
        "Treat links below URL as links to local files in FOLDER (default: --root-dir, or the folder of built pages)",
        selecting, safe | affects_results},
       {"--index-files", read_names(o.selection.local.index_files, "NAME,..."),
        "Require one of these files in a linked folder; . accepts the folder itself", selecting,
        safe | affects_results},
       {"--fallback-extensions", read_names(o.selection.local.fallback_extensions, "EXT,..."),
        "Extensions to try if a linked file does not exist", selecting, safe | affects_results},
       {"--follow", read_text(o.site.follow, "REGEX", refuse_bad_pattern),
        "Follow links that match REGEX instead of those of the same origin", commands::check, affects_results,
        needs("--recursive")},
       {"--max-pages", read_number(o.site.max_pages, 1, 10'000'000),
        "Maximum pages to follow; the links on them are checked too, at most a million", commands::check,
        affects_results, needs("--recursive")},
       {"--depth", read_number(o.site.depth, 0, 1'000'000),
        "Maximum number of links between an input and a page to follow (default: no limit)", commands::check,
        affects_results, needs("--recursive")},
       {"--from-warc", read_text(o.warc_files, "FILE"),
        "Evaluate links by the responses in WARC files or folders of them", commands::check, affects_results,
        needs("--offline")},
       {"--at", read_moment(o.warc_time), "Use the response nearest to this time (default: the newest)",
        commands::check, affects_results, needs("--from-warc")}},
  };
}

OptionGroup selection_group(CheckOptions& o) {
  Selection& selection = o.selection;
  return {
      "Selection",
      {{"--exclude", read_text(selection.exclude, "REGEX", refuse_bad_pattern), "Skip URLs that match REGEX", documents,
        safe | affects_results},
       {"--exclude-path",
        read_text(o.lists.exclude_paths, "REGEX", refuse_bad_pattern),
        "Skip files whose path matches REGEX",
        documents,
        safe | affects_results,
        {.lychee = {{"--exclude-file", "use --exclude-path, or a .linkherdignore file with link patterns"},
                    {"--extensions",
                     "linkherd reads only prose documents from folders; pass other files by name or with a quoted "
                     "glob, and exclude files with --exclude-path"},
                    {"--glob-ignore-case",
                     "write the glob with character classes: '**/[Rr][Ee][Aa][Dd][Mm][Ee].md'"}}}},
       {"--include-fragments{web}", read_include_fragments(selection),
        "Check that the anchor after # exists: =none, =file (in files), =web (also in web pages)", selecting,
        safe | affects_results}},
      {{"--include", read_text(selection.include, "REGEX", refuse_bad_pattern),
        "Check URLs that match REGEX even if they are excluded", documents, affects_results},
       {"-s,--scheme", read_text(selection.schemes, "NAME", refuse_unknown_scheme), "Check only URLs with this scheme",
        documents, safe | affects_results,
        replaces("--require-https",
                 "http links whose host redirects to https are in the section moved; --scheme https leaves http "
                 "links out")},
       {"--only", read_only(o.only), "Check only links that the store lists in one of these states", commands::check,
        affects_results, excludes("--no-store --offline")},
       {"--only", read_fix_kinds(o.fix_kinds),
        "Apply only these repairs (default: all except relocated, archived and titles)", commands::fix},
       {"--remap", read_text(selection.remap, "'REGEX TEXT'", refuse_bad_remap), "Rewrite URLs before they are checked",
        documents, affects_results},
       {"--include-mail", read_flag(selection.include_mail), "Also check the syntax of mail addresses", selecting,
        safe | affects_results,
        replaces("--exclude-mail", "mail addresses are left out unless --include-mail is given")},
       {"--tracking-rules", read_text(o.report.tracking_rules, "FILE"),
        "Read more tracking parameters and redirectors from FILE (ClearURLs format)",
        reports_of_runs | commands::fix | commands::url},
       {"--shard", read_shard(o.crawl.shard), "Check only part I of N; linkherd store merge joins the parts",
        commands::check | commands::plan, affects_results, excludes("--changed-since")}},
  };
}

OptionGroup network_group(CheckOptions& o) {
  FetchOptions& fetch = o.crawl.fetch;
  return {
      "Network",
      {{"-t,--timeout", read_positive_duration(fetch.timeout), "Maximum time for one request", fetching,
        safe | affects_results},
       {"--host-request-interval", read_duration(fetch.politeness.host_request_interval),
        "Minimum time between two requests to one host", fetching},
       {"--max-retries", read_number(fetch.retry.max_retries, 0, 100), "Maximum retries after a temporary failure",
        fetching, safe | affects_results},
       {"--robots", read_choice(fetch.robots, robots_names),
        "listed: fetch your links, at the pace that robots.txt asks for; respect: skip links that it disallows; "
        "ignore: do not read it",
        fetching, affects_results},
       {"-u,--user-agent", read_text(fetch.user_agent, "TEXT", refuse_control_characters), "User-Agent header to send",
        fetching, affects_results},
       {"-H,--header", read_headers(fetch),
        "Send this header to a link's own host; harmless headers such as Accept-Language are also sent after "
        "redirects",
        fetching, affects_results, replaces("--headers", "use --header")},
       {"--allow-private{true}", read_allow_private(fetch),
        "Also fetch from private and loopback addresses; =10.0.0.0/8,fd00::/8 allows only these ranges", fetching,
        affects_results,
        replaces("--exclude-all-private -E --exclude-link-local --exclude-loopback --exclude-private",
                 "private addresses are not fetched unless --allow-private is given")},
       {"--proxy", read_proxy(fetch),
        "Send requests through this proxy (http, https, socks4, socks4a, socks5, socks5h); env uses http_proxy and "
        "related variables",
        fetching, affects_results}},
      {{"--max-concurrency", read_number(fetch.max_concurrency, 1, 100'000), "Maximum requests in flight", fetching},
       {"--host-concurrency", read_number(fetch.politeness.host_concurrency, 1, 1'000),
        "Maximum requests in flight to one host", fetching},
       {"--connect-timeout", read_positive_duration(fetch.connect_timeout), "Maximum time to connect", fetching,
        safe | affects_results},
       {"--link-timeout", read_positive_duration(fetch.link_timeout),
        "Maximum time for one link, including redirects, retries and waits", fetching, safe | affects_results},
       {"--low-speed-time", read_positive_duration(fetch.low_speed_time),
        "Abandon a page that stays below 100 bytes per second for this long", fetching, safe | affects_results},
       {"--max-stalled", read_number(fetch.max_stalled, 0, 100'000),
        "Maximum stalled requests, in addition to --max-concurrency", fetching},
       {"-r,--retry-wait-time", read_duration(fetch.retry.first_wait),
        "Wait before the first retry; doubles with every retry", fetching, affects_results},
       {"--max-retry-after", read_duration(fetch.retry.max_retry_after), "Maximum Retry-After to wait for", fetching,
        safe | affects_results},
       {"-m,--max-redirects", read_number(fetch.max_redirects, 0, 100), "Maximum redirects to follow", fetching,
        safe | affects_results},
       {"--max-body", read_bytes(fetch.max_body), "Maximum amount of data to read from a page", fetching,
        affects_results},
       {"-T,--threads", read_number(fetch.threads, 1, 64), "Fetch threads (default: one per core, at most 8)", fetching,
        no_default},
       {"-X,--method", read_choice(fetch.method, method_names),
        "Request method: get, head, or head,get (GET if HEAD finds no page)", fetching, safe | affects_results},
       {"--retry-as", read_choice(fetch.retry_as_browser, retry_names),
        "Repeat refused requests (400, 403, 405, 406) once with the Accept headers of a browser; off disables this",
        fetching, safe | affects_results},
       {"--site-apis", read_choice(o.crawl.should_use_site_apis, on_off_names),
        "Ask a site's public API about pages that deny access, are suspect or have no title", fetching,
        safe | affects_results},
       {"--github-api", read_text(o.github.url, "URL", refuse_bad_archive),
        "Use this GraphQL endpoint instead of GitHub's", fetching},
       {"--archive-url",  // independent of --suggest, which enables the lookups
        read_text(o.archive_url, "URL", refuse_bad_archive),
        "Use this server with the API of the Internet Archive instead", fetching},
       {"--browser", read_browser(o.should_use_browser, o.browser.program),
        "Check pages that need scripts with Chromium, or with the program in =PATH; it uses up to 1.2 GB of memory",
        commands::check, affects_results, excludes("--offline --broker --proxy")},
       {"--browser-for", read_text(o.crawl.browser_patterns, "REGEX", refuse_bad_pattern),
        "Use the browser only for URLs that match REGEX", commands::check, affects_results, needs("--browser")},
       {"--browser-tabs", read_number(o.browser.tabs, 1, 16), "Pages that the browser shows at the same time",
        commands::check, no_traits, needs("--browser")},
       {"--browser-images", read_flag(o.browser.loads_images), "Let the browser load images, fonts and media",
        commands::check, affects_results, needs("--browser")},
       {"--browser-no-sandbox", read_flag(o.browser.has_sandbox, false),
        "Run the browser without its sandbox; necessary if root runs linkherd", commands::check, no_traits},
       {"--header-for", read_headers_for(fetch), "Send this header to URLs that start with PATTERN", fetching,
        affects_results},
       {"--basic-auth", read_basic_auth(fetch), "Log in to URLs that start with PATTERN", fetching, affects_results},
       {"--cookie-jar", read_cookie_jar(fetch),
        "Send the cookies in FILE (Netscape format); linkherd never changes the file", fetching, affects_results},
       {"-i,--insecure", read_flag(fetch.insecure), "Accept invalid certificates instead of reporting them", fetching,
        affects_results},
       {"--ca-file", read_text(fetch.ca_file, "FILE"), "Trust the CA certificates in FILE instead of the system's",
        fetching, affects_results},
       {"--client-cert", read_text(fetch.client_cert, "FILE"), "Client certificate for servers that require one (PEM)",
        fetching, affects_results},
       {"--client-key", read_text(fetch.client_key, "FILE"),
        "Key of the client certificate, if in a separate file (PEM, no password)", fetching, affects_results},
       {"--min-tls", read_choice(fetch.min_tls, tls_names), "Oldest TLS version to accept", fetching,
        affects_results | no_default},
       {"--http2", read_flag(fetch.http2), "Offer HTTP/2 to https servers", fetching, affects_results},
       {"-4,--ipv4", read_flag(fetch.family, IpFamily::v4), "Use IPv4 only", fetching, affects_results},
       {"-6,--ipv6", read_flag(fetch.family, IpFamily::v6), "Use IPv6 only", fetching, affects_results,
        excludes("--ipv4")},
       {"--resolver", read_choice(fetch.resolver, resolver_names),
        "c-ares: query name servers directly; system: use the resolver of the system", fetching, affects_results},
       {"--dns-server", read_dns_servers(fetch), "Query these name servers instead of the system's", fetching,
        affects_results},
       {"--connect-to", read_connect_to(fetch), "Connect to another address, as in curl; * matches any host or port",
        fetching, affects_results}},
  };
}

OptionGroup failing_group(CheckOptions& o) {
  return {
      "Failing",
      {{"--fail-on",
        read_fail_on(o.report.outcome),
        "Link states that make the run fail (exit code 2)",
        reports_of_runs,
        safe,
        {.is_given = &o.report.has_fail_on_option,
         .lychee = {{"--accept -a", on_accept},
                    {"--accept-timeouts", "timeouts do not fail a run unless --fail-on includes unreachable"}}}},
       {"--deadline", read_duration(o.crawl.deadline),
        "Stop after this time; the remaining links are reported as not checked yet", fetching, safe}},
      {{"--strikes", read_number(o.crawl.strikes.strikes, 1, 100),
        "Report an unreachable link as dead after N consecutive failed checks", fetching, safe | affects_results},
       {"--strike-interval", read_duration(o.crawl.strikes.interval),
        "Minimum time between two failed checks that count", fetching, safe | affects_results},
       {"--confirm-wait", read_duration(o.crawl.confirm_wait), "Wait before confirming that a link is dead", fetching,
        safe | affects_results},
       {"--outage-share", read_share(o.crawl.outage_share, 0.01),
        "Share of unreachable domains above which your own network is considered down", fetching,
        safe | affects_results},
       {"--max-deferred", read_share(o.report.outcome.max_deferred, 0),
        "Exit with 4 if a larger share of links was not checked; hosts that are down do not count", reports_of_runs,
        safe},
       {"--shutdown-timeout", read_positive_duration(o.common.shutdown_timeout),
        "Exit at most this long after the first signal (Ctrl-C, kill), even if the report is not written yet", every}},
  };
}

OptionGroup output_group(CheckOptions& o) {
  ReportOptions& report = o.report;
  return {
      "Output",
      {{"-f,--format", read_choice(report.format, reports::report_format_names, &report.names_format),
        "Report format (default: from the file extension); jsonl prints one link per line", reports_of_runs, safe,
        marks_given(report.has_format_option)},
       {"-f,--format", read_choice(o.format, output_format_names), "Output format; jsonl prints one object per line",
        plain_formats, safe},
       {"-o,--output", read_outputs(report.outputs),
        "Write the report to FILE in the format of its extension (default: stdout); repeatable: -o a.html -o "
        "sarif:b.json",
        reports_of_runs, no_traits, marks_given(report.has_output_option)},
       {"--section", read_sections(report.sections),
        "Print every link of these sections; broken means dead and insecure", reports_of_runs},
       {"--suggest", read_flag(o.should_suggest_copies),
        "Look up dead links in the Internet Archive and name archived copies", fetching, no_traits,
        replaces("--archive", "--suggest queries the Internet Archive, or the archive set with --archive-url")},
       {"--relocate", read_flag(o.should_relocate),
        "Search for the new addresses of dead pages, and report them with their proof",
        fetching & ~unsigned{commands::fix}},
       {"-v,--verbose", read_verbose(o.common.verbose), "Print one line per finished link; -vv for debugging", fetching,
        safe, replaces("--host-stats", "use -v, or --format json")},
       {"-v,--verbose", read_verbose(o.common.verbose), "Print more; -vv for debugging", every & ~fetching, safe},
       {"-q,--quiet", read_flag(o.common.quiet), "Print nothing unless something is wrong", every}},
      {{"--all", read_flag(report.all), "Print the complete report, not only the summary", reports_of_runs},
       {"--changes", read_flag(report.only_changes),
        "Report only changes since the last complete run of the same inputs", reports_of_runs},
       {"--group-by", read_choice(report.group_by, reports::group_by_names), "Group links in the text report",
        reports_of_runs, safe},
       {"--duplicates", read_choice(report.duplicates, duplicate_scope_names),
        "Find duplicate entries: within (a file); across (files); mentions (also badges and mentions); off",
        reports_of_runs, safe},
       {"--cert-days", read_number(report.certificate_days, 0, 3650),
        "List certificates of working links that expire within N days; 0 lists none", reports_of_runs, safe},
       {"--max-relocations", read_number(o.relocation.max_pages, 1, 2'000),
        "With --relocate: search for at most this many dead pages per run", fetching},
       {"--harvest", read_choice(o.crawl.harvest, harvest_names, &o.names_harvest),
        "Metadata to extract from pages: none; title; full (also authors and dates) (default: full with a store, "
        "--suggest, --relocate, --all, --section, json, jsonl, csv or html; otherwise none)",
        reporting, safe | no_default},
       {"--audit", read_text(report.audit, "DIR"),
        "Write reports, catalogue, pages and settings of the run to this new folder", reports_of_runs, no_traits,
        excludes("--no-store")},
       {"--lang", read_choice(report.language, reports::page_language_names),
        "Language of the html report; auto follows the browser", reports_of_runs, safe},
       {"--color", read_choice(report.color, color_names), "Color the text report", reports_of_runs, safe,
        replaces("--mode", "use --color never for plain text, and --format markdown for a task list")},
       {"--bom", read_flag(report.byte_order_mark), "Start CSV with a byte order mark, so that Excel reads it as UTF-8",
        reports_of_runs | commands::catalogue | commands::metadata},
       {"-n,--no-progress", read_flag(o.no_progress), "Show no progress line", fetching},
       {"--metrics", read_text(o.notification.metrics, "FILE"), "Write counts to FILE in Prometheus text format",
        reporting},
       {"--log-file", read_text(o.common.log_file, "FILE"), "Write a full log to FILE", every}},
  };
}

OptionGroup memory_group(CheckOptions& o) {
  constexpr unsigned pruning = fetching | commands::compact;
  return {
      "Memory",
      {{"--store", read_text(o.store, "DIR"), "Folder of the store (default: .linkherd at the repository root)", stores,
        no_traits, marks_given(o.report.has_store_option)},
       {"--no-store", read_flag(o.no_store), "Check without a store: keep no results between runs", running, safe,
        replaces("--cache", "linkherd always uses the store; --no-store turns it off")},
       {"--max-cache-age", read_duration(o.crawl.max_cache_age), "Do not recheck links found alive within this time",
        fetching, safe | affects_results,
        replaces("--cache-exclude-status", "only links that were alive are taken from the store")}},
      {{"--vantage", read_text(o.crawl.vantage, "NAME", refuse_bad_vantage),
        "Name of this vantage point; linkherd compares the results of different vantage points", fetching,
        affects_results},
       {"--keep-runs", read_number(o.crawl.retention.keep_runs, 1, 1'000'000),
        "Number of runs to keep for the same inputs and settings", pruning},
       {"--keep-days", read_number(o.crawl.retention.keep_days, 0, 100'000), "Days to keep runs; 0 keeps them forever",
        pruning},
       {"--max-store-size", read_bytes(o.crawl.retention.max_bytes), "Remove older runs if the store is larger",
        pruning},
       {"--bodies", read_choice(o.crawl.retention.bodies, storage::kept_bodies_names),
        "Pages to keep: none; changed (the newest of each link and the last one before it died); all (default in CI: "
        "none)",
        pruning},
       {"--wait-lock", read_duration(o.wait_lock), "Wait this long for a store that another linkherd is using",
        writing_stores},
       {"--now", read_time(o.common.now), "Use this as the current time (RFC 3339)", every}},
  };
}

OptionGroup ci_group(CheckOptions& o) {
  NotificationOptions& notification = o.notification;
  return {
      "CI",
      {{"--changed-since", read_text(o.lists.changed_since, "REF"),
        "Check only links that this branch added, moved or broke since it left REF (a branch or commit)",
        commands::check | commands::links, affects_results},
       {"--changes-only", read_flag(notification.changes_only),
        "Report, and fail on, only changes since the last complete run that sent a notification", reporting, no_traits,
        excludes("--changes --no-store --offline --only --shard --changed-since")},
       {"--github-token", read_text(o.github.token, "TOKEN"),
        fmt::format("Check links to GitHub through its API, 100 at a time (default: ${})", github_token_variable),
        fetching}},
      {{"--notify", read_text(notification.notify, "COMMAND", refuse_bad_command),
        "Run this command if something changed, with the report on its stdin", reporting, no_traits,
        needs("--changes-only")},
       {"--webhook", read_text(notification.webhook, "URL", refuse_bad_webhook), "Send changes to URL as JSON",
        reporting, no_traits, needs("--changes-only")},
       {"--webhook-format", read_choice(notification.format, reports::notification_format_names),
        "Format of the message; slack and feishu produce chat messages", reporting, no_traits, needs("--webhook")},
       {"--webhook-secret-file", read_text(notification.secret_file, "FILE"),
        fmt::format("Sign messages with the secret in FILE (default: the one in {})", webhook_secret_variable),
        reporting, no_traits, needs("--webhook")}},
  };
}

OptionGroup broker_group(CheckOptions& o) {
  const OptionTarget broker = read_text(o.broker.url, "URL", refuse_broker_address);
  const char* const help = "RabbitMQ server: amqp://USER:PASSWORD@HOST:PORT/VHOST or amqps://...";
  return {
      "Several machines",
      {},
      {{"--broker", broker, help, commands::check, no_traits, {.excludes = "--offline", .variable = broker_variable}},
       {"--broker", broker, help, always_with_broker, required, {.variable = broker_variable}},
       {"--broker-ca-file", read_text(o.broker.ca_file, "FILE"), "CA certificates of the broker (PEM)", with_broker,
        no_traits, needs("--broker")},
       {"--broker-cert", read_text(o.broker.certificate, "FILE"), "Client certificate for the broker (PEM)",
        with_broker, no_traits, needs("--broker")},
       {"--broker-key", read_text(o.broker.key, "FILE"), "Key of the client certificate, if in a separate file",
        with_broker, no_traits, needs("--broker-cert")},
       {"--warc-dir", read_text(o.broker.warc_dir, "FOLDER", refuse_bad_warc_dir),
        "Exchange pages of 16 KiB or more as WARC files in this folder, which the run and its workers share, instead "
        "of through the broker",
        with_workers, no_traits, needs("--broker")}},
  };
}

// Arguments, options of a few commands that are in no other group, and sections of linkherd.toml.
OptionGroup first_group(CheckOptions& o) {
  const char* const inputs = "Files, folders, globs, or - for stdin (default: the documents of this repository)";
  return {
      "Options",
      {{"INPUT", read_text(o.lists.inputs),
        "Files, folders, globs, URLs of documents, or - for stdin (default: the documents of this repository)",
        commands::check},
       {"INPUT", read_text(o.lists.inputs), inputs, documents & ~unsigned{commands::check}},
       {"INPUT", read_text(o.choice.inputs),
        "Show only links in these inputs, from the latest run that has them (default: the latest run)",
        commands::report | commands::catalogue},
       {"--run", read_number(o.choice.number, 1, 1'000'000'000, false),
        "Show the run with this number; linkherd runs lists them", commands::report | commands::catalogue, no_traits,
        excludes("INPUT")},
       {"--since", read_since(o.since), "Compare with this run, or the last that ended by this date (default: last)",
        commands::report},
       {"--hosts", read_hosts(o.crawl.fetch.politeness.overrides), "", fetching, safe | only_in_files},
       {"--rule", read_rules(o.crawl.rules), "", running | commands::rules, safe | affects_results | only_in_files},
       {"--site-api", read_site_apis(o.crawl.site_apis), "", running | commands::rules,
        safe | affects_results | only_in_files},
       {"--move-rule", read_move_rules(o.relocation.rules), "", running | commands::rules, safe | only_in_files},
       {"--accepted", read_accepted(o.report.accepted), "", reports_of_runs | commands::fix, safe | only_in_files}},
      {},
  };
}

// The table without a command, for the facts that do not depend on the variables.
const std::vector<OptionGroup>& table_of_names() {
  static CheckOptions options;
  static const std::vector<OptionGroup> table = option_table(options);
  return table;
}

bool has_row(const std::vector<Option>& rows, const CLI::Option& option) {
  return std::ranges::any_of(rows, [&option](const Option& row) { return row.long_name() == option.get_name(); });
}

bool has_word(std::string_view text, std::string_view wanted) {
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    if (word == wanted) return true;
  }
  return false;
}

}  // namespace

std::vector<OptionGroup> option_table(CheckOptions& o) {
  return {first_group(o),  input_group(o),  selection_group(o), network_group(o), failing_group(o),
          output_group(o), memory_group(o), ci_group(o),        broker_group(o)};
}

std::vector<const Option*> rows_of(const std::vector<OptionGroup>& table) {
  std::vector<const Option*> rows;
  for (const OptionGroup& group : table) {
    for (const Option& row : group.common) rows.push_back(&row);
    for (const Option& row : group.rare) rows.push_back(&row);
  }
  return rows;
}

void add_options(CLI::App& app, commands::Id id, CheckOptions& options, const std::vector<Option>& own) {
  options.crawl.retention.bodies = default_bodies();
  const std::vector<OptionGroup> table = option_table(options);
  std::vector<const Option*> rows = rows_of(table);
  std::ranges::transform(own, std::inserter(rows, rows.begin()), [](const Option& row) { return &row; });
  add_rows(app, id, rows);
}

std::vector<std::string_view> option_group_names() {
  std::vector<std::string_view> names;
  std::ranges::transform(table_of_names(), std::back_inserter(names), &OptionGroup::name);
  return names;
}

std::vector<const CLI::Option*> options_in(const CLI::App& command, std::string_view group) {
  const std::vector<OptionGroup>& table = table_of_names();
  if (group == table.front().name) {
    return command.get_options([&table](const CLI::Option* option) {
      const bool is_shown = !option->get_positional() && !option->get_group().empty() && !option->check_lname("help") &&
                            !option->check_lname("help-all");
      return is_shown && std::none_of(table.begin() + 1, table.end(), [option](const OptionGroup& other) {
               return has_row(other.common, *option) || has_row(other.rare, *option);
             });
    });
  }
  std::vector<const CLI::Option*> options;
  const auto found = std::ranges::find(table, group, &OptionGroup::name);
  if (found == table.end()) return options;
  for (const std::vector<Option>* rows : {&found->common, &found->rare}) {
    for (const Option& row : *rows) {
      const CLI::Option* const option = command.get_option_no_throw(row.long_name());
      if (option != nullptr && std::ranges::find(options, option) == options.end()) options.push_back(option);
    }
  }
  return options;
}

bool is_common(const CLI::Option& option) {
  return std::ranges::none_of(table_of_names(),
                              [&option](const OptionGroup& group) { return has_row(group.rare, option); });
}

std::optional<std::string> lychee_option_hint(std::string_view option) {
  std::vector<LycheeNames> all(lychee_only.begin(), lychee_only.end());
  for (const Option* row : rows_of(table_of_names()))
    all.insert(all.end(), row->rules.lychee.begin(), row->rules.lychee.end());
  const auto found =
      std::ranges::find_if(all, [option](const LycheeNames& refused) { return has_word(refused.names, option); });
  return found == all.end() ? std::nullopt : std::optional(std::string(found->instead));
}

}  // namespace linkherd::crawler
