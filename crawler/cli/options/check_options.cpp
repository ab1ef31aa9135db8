#include "crawler/cli/options/check_options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "crawler/cli/options/option_table.h"
#include "crawler/cli/options/store_location.h"
#include "crawler/cli/process.h"
#include "crawler/notify/child_process.h"
#include "parser/ascii.h"
#include "parser/join.h"
#include "parser/url/credentials.h"
#include "storage/file_names.h"

namespace linkherd::crawler {

namespace {

constexpr const char* github_api_variable = "GITHUB_GRAPHQL_URL";  // set by the runners of GitHub Actions

// Returns the settings of a command that can change a verdict, one per line. Does not depend on the order of the rows.
std::string describe_settings(CheckOptions& options, unsigned command) {
  std::set<std::string> settings;
  const auto add = [&settings](const std::string& name, const Words& values) {
    std::string lines;  // in the order of the values, which matters for --remap
    for (const std::string& value : values) lines += fmt::format("{}={}\n", name, value);
    settings.insert(std::move(lines));
  };
  const std::vector<OptionGroup> table = option_table(options);
  for (const Option* row : rows_of(table)) {
    const bool is_part = (row->traits & affects_results) != 0 && (row->of & command) != 0;
    if (is_part) add(row->long_name(), row->target.values());
  }
  for (const SourcedPattern& pattern : options.selection.ignored) add("ignored", {pattern.pattern});
  const LocalLinkOptions& local = options.selection.local;
  const bool depends_on_folder = !options.lists.files_from.empty() || !options.lists.exclude_paths.empty() ||
                                 !local.root_dir.empty() || !local.sites.empty();
  if (depends_on_folder) add("folder", {storage::FileNames::of_store(store_location(options.store)).to_stored(".")});
  return join(settings, "");
}

}  // namespace

std::optional<GithubApi> github_api(const GithubSettings& settings) {
  const std::string token(
      parser::trim_ascii(settings.token ? *settings.token : environment_variable(github_token_variable)));
  if (token.empty()) return std::nullopt;
  const auto is_usual = [](char c) { return parser::is_ascii_alphanumeric(c) || c == '_' || c == '-' || c == '.'; };
  if (!std::ranges::all_of(token, is_usual))
    throw CLI::ValidationError("--github-token", "a token may contain only letters, digits, _, - and .");
  GithubApi api = anonymous_github_api(settings);
  api.token = token;
  return api;
}

GithubApi anonymous_github_api(const GithubSettings& settings) {
  std::string url = settings.url;
  if (url.empty() && !settings.token) url = environment_variable(github_api_variable);
  const auto parsed = parser::Url::parse(url.empty() ? "https://api.github.com/graphql" : url);
  if (!parsed || !parsed->is_http()) throw CLI::ValidationError("--github-api", url + " is not an http or https URL");
  return GithubApi{*parsed, {}};
}

std::string describe_plan(CheckOptions options) {
  options.crawl.shard.reset();  // the shards of a plan have the same settings
  return describe_settings(options, commands::plan);
}

std::string configuration_of(CheckOptions options) {
  std::string text;
  const storage::FileNames names = storage::FileNames::of_store(store_location(options.store));
  for (const std::string& input : input_names(options.lists))
    text += "input=" + parser::mask_password(names.to_stored(input)) + '\n';
  return text + describe_settings(options, commands::check) + options.plan_settings;
}

OptionTarget read_only(std::vector<storage::Health>& only) {
  Words known = names_of(storage::health_names);
  std::erase(known, "deferred");  // the store keeps neither deferred nor skipped links
  std::erase(known, "skipped");
  const auto set = [&only](const Words& words) {
    only.clear();
    for (const std::string& word : words) only.push_back(enum_value(storage::health_names, word).value());
    return std::string();
  };
  OptionTarget target = read_known_names(std::move(known), set, "HEALTH,...");
  target.values = [&only] {
    Words values;
    for (const storage::Health health : only) values.emplace_back(enum_name(storage::health_names, health));
    return values;
  };
  return target;
}

OptionTarget read_shard(std::optional<storage::Shard>& shard) {
  static constexpr std::uint32_t max_shards = 10'000;
  const auto number_in = [](std::string_view text) {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? number : 0;
  };
  const auto set = [&shard, number_in](const std::string& text) -> std::string {
    const std::string_view view = text;
    const std::size_t slash = std::min(view.find('/'), view.size() - 1);
    const std::uint32_t number = number_in(view.substr(0, slash));
    const std::uint32_t count = number_in(view.substr(slash + 1));
    if (number < 1 || number > count || count > max_shards)
      return fmt::format(
          "{} is not a valid part: write 2/4 for the second of four parts; at most {} parts are possible", text,
          max_shards);
    shard = {number, count};
    return {};
  };
  OptionTarget target = read_value(set, "I/N");
  target.values = [&shard] { return shard ? Words{describe(*shard)} : Words(); };
  return target;
}

OptionTarget read_fix_kinds(FixKinds& kinds) {
  const auto set = [&kinds](const Words& words) {
    kinds.clear();
    for (const std::string& word : words) kinds.insert(enum_value(fix_kind_names, word).value());
    return std::string();
  };
  return read_known_names(names_of(fix_kind_names), set, "KIND,...");
}

// In a configuration the value may also be one of lychee's level names.
OptionTarget read_verbose(int& verbose) {
  const auto number_of = [](std::string& level) {
    if (level == "error" || level == "warn") level = "false";
    if (level == "info") level = "1";
    if (level == "debug" || level == "trace") level = "2";
    const bool is_number = level.size() == 1 && level.front() >= '0' && level.front() <= '9';
    const bool is_known = is_number || level == "true" || level == "false";
    return is_known ? std::string() : level + " is neither a number nor one of error, warn, info, debug and trace";
  };
  return {[&verbose, number_of](CLI::App& app, const std::string& names) {
    return app.add_flag(names, verbose)
        ->force_callback(false)  // set by CLI11 2.4 for numbers; the option would count as given, and win over a file
        ->transform(CLI::Validator(number_of, ""));
  }};
}

std::string refuse_bad_archive(const std::string& text) {
  const Result<parser::Url> url = parser::Url::parse(text);
  if (url.has_error()) return fmt::format("{} is not a valid URL: {}", text, url.error().message);
  const bool is_plain = url->is_http() && url->username().empty() && url->password().empty() && !url->has_query();
  return is_plain ? std::string() : fmt::format("{} must be an http or https URL without login or query", text);
}

std::string refuse_bad_vantage(const std::string& text) {
  constexpr std::size_t max_bytes = 64;
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-'; };
  const bool is_name = !text.empty() && text.size() <= max_bytes && std::ranges::all_of(text, is_plain);
  return is_name ? "" : text + " is not a valid vantage name: use at most 64 letters, digits, '.', '_' and '-'";
}

}  // namespace linkherd::crawler
