#include "crawler/cli/options/option_types.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <ostream>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "crawler/cli/options/lychee_options.h"
#include "crawler/sources/file_bytes.h"
#include "crawler/sources/link_filter.h"
#include "parser/nearest_name.h"
#include "parser/url/url.h"
#include "reports/escape.h"

namespace linkherd::crawler {

namespace {

constexpr std::array<EnumName<OutputFormat>, 3> format_names{
    {{OutputFormat::text, "text"}, {OutputFormat::json, "json"}, {OutputFormat::jsonl, "jsonl"}}};

// Parses "5MiB", "512k" or "1000". Multiples are binary.
std::optional<std::size_t> parse_bytes(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  std::string unit(end, text.data() + text.size());
  std::ranges::transform(unit, unit.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  unsigned shift = 0;
  if (unit == "k" || unit == "kib" || unit == "kb")
    shift = 10;
  else if (unit == "m" || unit == "mib" || unit == "mb")
    shift = 20;
  else if (unit == "g" || unit == "gib" || unit == "gb")
    shift = 30;
  else if (!unit.empty() && unit != "b")
    return std::nullopt;
  if (number == 0 || number > (SIZE_MAX >> 1 >> shift)) return std::nullopt;
  return number << shift;
}

std::string format_bytes(std::size_t bytes) {
  if (bytes % (std::size_t{1} << 20) == 0) return fmt::format("{}MiB", bytes >> 20);
  if (bytes % 1024 == 0) return fmt::format("{}KiB", bytes >> 10);
  return std::to_string(bytes);
}

constexpr std::size_t max_file_bytes = std::size_t{16} << 20;

}  // namespace

std::string long_name(const std::string& names) {
  const std::size_t comma = names.rfind(',');
  return comma == std::string::npos ? names : names.substr(comma + 1);
}

std::string is_none_of(const std::string& word, const std::vector<std::string>& known) {
  std::string text = fmt::format("{} is not one of {}", word, fmt::join(known, ", "));
  if (const auto hint = lychee_value_hint(word)) return text + "; " + *hint;
  return text + parser::did_you_mean(word, known);
}

std::string refuse_no_folder(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error) ? std::string() : path + " is not a folder";
}

std::string refuse_outside(const std::string& text, std::int64_t min, std::int64_t max) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (text.empty() || (is_number && number >= min && number <= max)) return {};
  return fmt::format("{} is not a whole number from {} to {}", text, min, max);
}

CLI::Option* add_bom_option(CLI::App& app, bool& wanted) {
  return app.add_flag("--bom", wanted, "Start CSV with a byte order mark, so that Excel reads it as UTF-8");
}

CLI::Option* add_duration(CLI::App& app, const std::string& names, Duration& value, const std::string& help) {
  const auto set = [&value, names](const std::string& text) {
    const Result<Duration> parsed = parse_duration(text);
    if (parsed.has_error()) throw CLI::ValidationError(long_name(names), parsed.error().message);
    value = *parsed;
  };
  return app.add_option_function<std::string>(names, set, help)
      ->type_name("DURATION")
      ->default_str(format_duration(value));
}

CLI::Option* add_positive_duration(CLI::App& app, const std::string& names, Duration& value, const std::string& help) {
  const auto refuse_zero = [](const std::string& text) {
    const Result<Duration> parsed = parse_duration(text);
    return parsed.has_value() && *parsed == Duration::zero() ? "0 is not a valid duration here: give one such as 1h"
                                                             : std::string();
  };
  return add_duration(app, names, value, help)->check(refuse_zero);
}

CLI::Option* add_share(CLI::App& app, const std::string& name, double& value, double min, const std::string& help) {
  const auto in_range = [min](const std::string& text) {
    double number = 0;
    const bool good = CLI::detail::lexical_cast(text, number) && number >= min && number <= 1;
    return good ? std::string() : fmt::format("{} is not a number from {} to 1", text, min);
  };
  return app.add_option(name, value, help)
      ->type_name("SHARE")
      ->option_text(fmt::format("{} to 1", min))
      ->check(in_range)
      ->capture_default_str();
}

Result<Timestamp> parse_moment(const std::string& text) {
  constexpr std::size_t date_width = 10;
  if (text.size() != date_width) return parse_timestamp(text);
  const Result<Timestamp> day = parse_timestamp(text + "T00:00:00Z");
  return day.has_error() ? day : *day + std::chrono::days(1) - Duration(1);
}

CLI::Option* add_moment(CLI::App& app, const std::string& name, std::optional<Timestamp>& value,
                        const std::string& help) {
  const auto set = [&value, name](const std::string& text) {
    const Result<Timestamp> parsed = parse_moment(text);
    if (parsed.has_error()) throw CLI::ValidationError(name, parsed.error().message);
    value = *parsed;
  };
  return app.add_option_function<std::string>(name, set, help)->type_name("DATE");
}

CLI::Option* add_names(CLI::App& app, const std::string& option,
                       std::function<void(const std::vector<std::string>&)> set, const std::string& help) {
  const auto split = [set = std::move(set), option](const std::vector<std::string>& lists) {
    std::vector<std::string> names;
    for (const std::string& list : lists) {
      for (std::string& name : CLI::detail::split(list, ',')) names.push_back(std::move(name));
      if (list.ends_with(',')) names.emplace_back();
    }
    if (std::ranges::find(names, "") != names.end()) {
      throw CLI::ValidationError(option, "the list contains an empty name: remove the extra comma");
    }
    set(names);
  };
  return app.add_option_function<std::vector<std::string>>(option, split, help);
}

CLI::Option* add_names(CLI::App& app, const std::string& option, std::vector<std::string>& values,
                       const std::string& help) {
  return add_names(
      app, option, [&values](const std::vector<std::string>& names) { values = names; }, help);
}

CLI::Option* add_known_names(CLI::App& app, const std::string& option, std::vector<std::string> known,
                             std::function<void(const std::vector<std::string>&)> set, const std::string& help) {
  const std::string limits = fmt::format("{}", fmt::join(known, ", "));
  const auto check = [known = std::move(known), set = std::move(set), option](const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      const bool is_known = std::ranges::find(known, name) != known.end();
      if (!is_known) throw CLI::ValidationError(option, is_none_of(name, known));
    }
    set(names);
  };
  return add_names(app, option, check, help)->option_text(limits);
}

std::string refuse_bad_url(const std::string& text) {
  const auto url = parser::Url::parse(text);
  return url.has_error() ? text + " is not an absolute URL: " + url.error().message : std::string();
}

std::string refuse_bad_pattern(const std::string& text) {
  const std::optional<Error> fault = text.empty() ? std::nullopt : pattern_fault(text);
  return fault ? fault->message : std::string();
}

std::string refuse_bad_remap(const std::string& text) {
  const std::optional<Error> fault = text.empty() ? std::nullopt : remap_fault(text);
  return fault ? fault->message : std::string();
}

std::size_t bytes_of(const std::string& option, const std::string& text) {
  const std::optional<std::size_t> parsed = parse_bytes(text);
  if (!parsed) throw CLI::ValidationError(option, text + " is not a size such as 5MiB or 512KiB");
  return *parsed;
}

CLI::Option* add_bytes(CLI::App& app, const std::string& names, std::size_t& value, const std::string& help) {
  const auto set = [&value, names](const std::string& text) { value = bytes_of(long_name(names), text); };
  return app.add_option_function<std::string>(names, set, help)->type_name("SIZE")->default_str(format_bytes(value));
}

CLI::Option* add_format(CLI::App& app, OutputFormat& value) {
  return add_choice(app, "-f,--format", value, format_names, "Output format; jsonl prints one object per line")
      ->configurable();
}

namespace {

// In a configuration the value may also be one of lychee's level names.
void add_verbose(CLI::App& app, int& verbose) {
  const auto number_of = [](std::string& level) {
    if (level == "error" || level == "warn") level = "false";
    if (level == "info") level = "1";
    if (level == "debug" || level == "trace") level = "2";
    const bool is_number = level.size() == 1 && level.front() >= '0' && level.front() <= '9';
    const bool is_known = is_number || level == "true" || level == "false";
    return is_known ? std::string() : level + " is neither a number nor one of error, warn, info, debug and trace";
  };
  app.add_flag("-v,--verbose", verbose, "Print more; -vv for debugging")
      ->force_callback(false)  // which CLI11 2.4 sets for numbers; the option would count as given, and win over a file
      ->transform(CLI::Validator(number_of, ""))
      ->configurable();
}

}  // namespace

void add_common_options(CLI::App& app, CommonOptions& options) {
  add_verbose(app, options.verbose);
  app.add_flag("-q,--quiet", options.quiet, "Print nothing unless something is wrong");
  app.add_option("-c,--config", options.config_files,
                 "Read settings from FILE; repeatable, later files win (default: linkherd.toml, here or at the "
                 "repository root)")
      ->type_name("FILE");
  app.add_option("--log-file", options.log_file, "Write a full log to FILE")->type_name("FILE");
  add_positive_duration(
      app, "--shutdown-timeout", options.shutdown_timeout,
      "Exit at most this long after the first signal (Ctrl-C, kill), even if the report is not written yet");
  const auto set_now = [&options](const std::string& text) {
    const Result<Timestamp> parsed = parse_timestamp(text);
    if (parsed.has_error()) throw CLI::ValidationError("--now", parsed.error().message);
    options.now = *parsed;
  };
  app.add_option_function<std::string>("--now", set_now, "Use this as the current time (RFC 3339)")->type_name("TIME");
}

CLI::Option* add_tracking_rules_option(CLI::App& app, std::string& file) {
  return app
      .add_option("--tracking-rules", file,
                  "Read more tracking parameters and redirectors from FILE (ClearURLs format)")
      ->type_name("FILE");
}

std::optional<parser::TrackingRules> read_tracking_rules(const std::string& file, const Streams& streams, bool quiet) {
  if (file.empty()) return std::nullopt;
  const Result<std::string> json = read_file_bytes(file, max_file_bytes);
  if (json.has_error()) throw CLI::ValidationError("--tracking-rules", file + " " + json.error().message);
  std::vector<std::string> warnings;
  Result<parser::TrackingRules> rules = parser::TrackingRules::parse_clear_urls(*json, warnings);
  if (rules.has_error()) throw CLI::ValidationError("--tracking-rules", file + " " + rules.error().message);
  if (!quiet) {
    for (const std::string& warning : warnings) {
      streams.err << "linkherd: " << reports::escape_message(fmt::format("{}: {}", file, warning)) << '\n';
    }
  }
  return std::move(rules).value();
}

}  // namespace linkherd::crawler
