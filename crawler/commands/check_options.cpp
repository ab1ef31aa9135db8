#include "crawler/commands/check_options.h"

#include <algorithm>
#include <filesystem>

#include "crawler/commands/host_options.h"
#include "crawler/commands/option_types.h"
#include "crawler/commands/request_options.h"
#include "crawler/commands/store_location.h"
#include "crawler/commands/tracking_rules_option.h"

namespace linkherd::crawler {
namespace {

constexpr std::array<EnumName<RobotsMode>, 3> robots_names{
    {{RobotsMode::listed, "listed"}, {RobotsMode::respect, "respect"}, {RobotsMode::ignore, "ignore"}}};
constexpr std::array<EnumName<reports::DuplicateScope>, 3> scope_names{{{reports::DuplicateScope::within, "within"},
                                                                        {reports::DuplicateScope::across, "across"},
                                                                        {reports::DuplicateScope::off, "off"}}};

std::string refuse_control_characters(const std::string& text) {
  const bool any = std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7F; });
  return any ? "a control character would end up in every request" : std::string();
}

void add_fail_on(CLI::App& app, reports::OutcomePolicy& policy) {
  const auto set = [&policy](const std::vector<std::string>& words) {
    policy.fail_on.clear();
    for (const std::string& word : words) {
      if (word == "none" && words.size() == 1) continue;
      const auto health = enum_value(storage::health_names, word);
      if (!health)
        throw CLI::ValidationError("--fail-on", word + " is no health; try dead, insecure, unreachable or none");
      policy.fail_on.push_back(*health);
    }
  };
  add_names(app, "--fail-on", set, "Which healths make the exit code 2")
      ->type_name("HEALTH,...")
      ->default_str("dead,insecure")
      ->configurable();
}

void add_fetch_options(CLI::App& app, FetchOptions& fetch) {
  add_positive_duration(app, "-t,--timeout", fetch.timeout, "For one request, from its start to its last byte")
      ->configurable();
  app.add_option("--max-concurrency", fetch.max_concurrency, "Requests in flight, all hosts together")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  app.add_option("--host-concurrency", fetch.politeness.host_concurrency, "Requests in flight to one host, at most")
      ->check(CLI::Range(1, 1'000))
      ->capture_default_str();
  add_duration(app, "--host-request-interval", fetch.politeness.host_request_interval,
               "Between two requests to one host");
  app.add_option("--max-retries", fetch.retry.max_retries, "Of a request that fails for a reason that may pass")
      ->check(CLI::Range(0, 100))
      ->configurable()
      ->capture_default_str();
  app.add_option("-m,--max-redirects", fetch.max_redirects, "Hops that are followed")
      ->check(CLI::Range(0, 100))
      ->configurable()
      ->capture_default_str();
  add_choice(app, "--robots", fetch.robots, robots_names,
             "listed: fetch what the lists name, at the pace that robots.txt asks for; respect: only what it allows");
  app.add_option("-u,--user-agent", fetch.user_agent, "What to call ourselves")
      ->type_name("TEXT")
      ->check(refuse_control_characters);
}

void add_rare_fetch_options(CLI::App& app, FetchOptions& fetch) {
  add_positive_duration(app, "--connect-timeout", fetch.connect_timeout, "For one connection")
      ->configurable()
      ->group(rare_options);
  add_duration(app, "-r,--retry-wait-time", fetch.retry.first_wait, "Before the first retry; doubles")
      ->group(rare_options);
  add_duration(app, "--max-retry-after", fetch.retry.max_retry_after, "A host that asks for more is not waited for")
      ->configurable()
      ->group(rare_options);
  add_bytes(app, "--max-body", fetch.max_body, "A page is read up to here")->group(rare_options);
  app.add_option("-T,--threads", fetch.threads, "Fetch threads (default: as many as cores, at most 8)")
      ->check(CLI::Range(1, 64))
      ->group(rare_options);
  app.add_option("--ca-file", fetch.ca_file, "Trust these certificates instead of the system's")
      ->type_name("FILE")
      ->group(rare_options);
}

void add_deadline(CLI::App& app, std::optional<Duration>& deadline) {
  const auto set = [&deadline](const std::string& text) {
    const Result<Duration> parsed = parse_duration(text);
    if (parsed.has_error()) throw CLI::ValidationError("--deadline", parsed.error().message);
    deadline = *parsed;
  };
  app.add_option_function<std::string>("--deadline", set, "End the run after that long; what is left is put off")
      ->configurable()
      ->type_name("DURATION");
}

void add_policy_options(CLI::App& app, CrawlOptions& crawl) {
  add_duration(app, "--max-cache-age", crawl.max_cache_age, "What was alive so recently is not asked again")
      ->configurable();
  app.add_option("--strikes", crawl.strikes.strikes, "Runs without answer until a link counts as dead")
      ->configurable()
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  add_duration(app, "--strike-interval", crawl.strikes.interval, "Between two strikes, at least")
      ->configurable()
      ->group(rare_options);
  add_duration(app, "--confirm-wait", crawl.confirm_wait, "Before the second look at what seems dead")
      ->configurable()
      ->group(rare_options);
  add_deadline(app, crawl.deadline);
  add_share(app, "--outage-share", crawl.outage_share, 0.01,
            "Share of domains without answer that means our own network is down")
      ->configurable()
      ->group(rare_options);
}

}  // namespace

void add_report_options(CLI::App& app, ReportOptions& options) {
  add_format(app, options.format);
  app.add_option("-o,--output", options.output, "Write the report there (default: stdout)")->type_name("FILE");
  add_fail_on(app, options.outcome);
  add_share(app, "--max-deferred", options.outcome.max_deferred, 0,
            "Share of links that may stay untried, but for those of hosts that are down, before the exit code is 4")
      ->configurable()
      ->group(rare_options);
  add_choice(app, "--duplicates", options.duplicates, scope_names,
             "Look for repeated links within a file, across, or not at all")
      ->configurable();
  add_tracking_rules_option(app, options.tracking_rules)->group(rare_options);
  add_choice(app, "--color", options.color, color_names, "Colours in the text report")
      ->configurable()
      ->group(rare_options);
}

void add_check_options(CLI::App& app, CheckOptions& options) {
  add_list_inputs(app, options.lists, "Files, folders, globs, URLs of lists");
  add_selection_options(app, options.selection);
  add_store_option(app, options.store);
  app.add_flag("--no-store", options.no_store, "Remember nothing")->configurable();
  app.add_flag("--offline", options.offline,
               "Check links to files and their anchors alone; the store is left as it is");
  add_report_options(app, options.report);
  add_fetch_options(app, options.crawl.fetch);
  add_policy_options(app, options.crawl);
  add_host_settings(app, options.crawl.fetch.politeness.overrides);
  add_common_options(app, options.common);
  app.add_flag("-n,--no-progress", options.no_progress, "No progress line on a terminal")->group(rare_options);
  add_rare_fetch_options(app, options.crawl.fetch);
  add_request_options(app, options.crawl.fetch);
}

std::string configuration_of(const CheckOptions& options) {
  const FetchOptions& fetch = options.crawl.fetch;
  std::error_code ignored;
  std::string text = std::filesystem::current_path(ignored).string();
  const auto add = [&text](std::string_view key, std::string_view value) {
    text.append(1, '\n').append(key).append(1, '=').append(value);
  };
  add("offline", options.offline ? "1" : "0");
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
  add("outage_share", std::to_string(options.crawl.outage_share));
  return text + describe_list_inputs(options.lists) + describe_selection(options.selection) +
         describe_request_options(fetch);
}

}  // namespace linkherd::crawler
