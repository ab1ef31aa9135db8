// CLI11 options for linkherd's own types: durations, timestamps and named values. An invalid value throws a
// CLI::ValidationError that names the option. The help shows the actual default. Only options with ->configurable() may
// be set by a discovered linkherd.toml (see configuration.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "crawler/cli/command.h"
#include "parser/enum_names.h"
#include "parser/result.h"
#include "parser/timestamp.h"
#include "parser/url/tracking_rules.h"

namespace linkherd::crawler {

// Returns the long name in "-t,--timeout", for messages.
std::string long_name(const std::string& names);

CLI::Option* add_duration(CLI::App& app, const std::string& names, Duration& value, const std::string& help);
CLI::Option* add_bytes(CLI::App& app, const std::string& names, std::size_t& value, const std::string& help);
// Returns "5MiB", "512k" or "1000" in bytes. Throws CLI::ValidationError, which names the option.
std::size_t bytes_of(const std::string& option, const std::string& text);
// Adds a duration that must not be zero. Zero would mean "at once" to linkherd, but users often mean "never".
CLI::Option* add_positive_duration(CLI::App& app, const std::string& names, Duration& value, const std::string& help);
// Adds --bom to commands that write CSV.
CLI::Option* add_bom_option(CLI::App& app, bool& wanted);
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// Adds a whole number; the help shows its limits.
template <class T>
CLI::Option* add_number(CLI::App& app, const std::string& names, T& value, std::int64_t min, std::int64_t max,
                        const std::string& help);
// Returns what is wrong with a whole number, or an empty string: for CLI::Option::check(). Empty values are accepted
// here, because they are rejected for all options.
std::string refuse_outside(const std::string& text, std::int64_t min, std::int64_t max);
// Returns what is wrong with the path of a folder that must exist, or an empty string.
std::string refuse_no_folder(const std::string& path);
// Adds a fraction from `min` to 1. CLI::Range would accept "nan".
CLI::Option* add_share(CLI::App& app, const std::string& name, double& value, double min, const std::string& help);
// Parses a point in time. A date such as "2026-03-05" means the end of that day.
Result<Timestamp> parse_moment(const std::string& text);
CLI::Option* add_moment(CLI::App& app, const std::string& name, std::optional<Timestamp>& value,
                        const std::string& help);
// Adds an option for names separated by commas. CLI11's delimiter is not usable: it drops empty names and then takes
// the next argument instead.
CLI::Option* add_names(CLI::App& app, const std::string& option,
                       std::function<void(const std::vector<std::string>&)> set, const std::string& help);
CLI::Option* add_names(CLI::App& app, const std::string& option, std::vector<std::string>& values,
                       const std::string& help);
// Does the same for names that must be in `known`. `set` is called with known names only.
CLI::Option* add_known_names(CLI::App& app, const std::string& option, std::vector<std::string> known,
                             std::function<void(const std::vector<std::string>&)> set, const std::string& help);
// Returns what is wrong with an absolute URL, or an empty string: for CLI::Option::check(). Empty values are rejected
// for all options.
std::string refuse_bad_url(const std::string& text);
// Do the same for a regular expression and for --remap.
std::string refuse_bad_pattern(const std::string& text);
std::string refuse_bad_remap(const std::string& text);
CLI::Option* add_format(CLI::App& app, OutputFormat& value);
void add_common_options(CLI::App& app, CommonOptions& options);

template <class E, std::size_t N>
std::vector<std::string> names_of(const std::array<EnumName<E>, N>& choices) {
  std::vector<std::string> names(N);
  std::ranges::transform(choices, names.begin(), [](const EnumName<E>& choice) { return std::string(choice.name); });
  return names;
}

// Returns a message such as "jsn is not one of text, json, jsonl; did you mean json?". For a value of lychee, it says
// what to use instead.
std::string is_none_of(const std::string& word, const std::vector<std::string>& known);

// Adds an option that accepts only the names of an enumeration, which the help shows.
template <class E, std::size_t N>
CLI::Option* add_choice(CLI::App& app, const std::string& names, E& value, const std::array<EnumName<E>, N>& choices,
                        const std::string& help) {
  const auto set = [&value, &choices, names](const std::string& text) {
    const std::optional<E> found = enum_value(choices, text);
    if (!found) throw CLI::ValidationError(long_name(names), is_none_of(text, names_of(choices)));
    value = *found;
  };
  return app.add_option_function<std::string>(names, set, help)
      ->type_name("NAME")
      ->option_text(fmt::format("{}", fmt::join(names_of(choices), ", ")))
      ->default_str(std::string(enum_name(choices, value)));
}

template <class T>
CLI::Option* add_number(CLI::App& app, const std::string& names, T& value, std::int64_t min, std::int64_t max,
                        const std::string& help) {
  const auto refuse = [min, max](const std::string& text) { return refuse_outside(text, min, max); };
  CLI::Option* option = app.add_option(names, value, help)->check(refuse);
  if (std::is_integral_v<T>) option->capture_default_str();  // other types have no default
  return option->type_name("N")->option_text(fmt::format("{} to {}", min, max));
}

// Adds a section of linkherd.toml whose tables are read by T::read(). Each value is a table as TOML text. Sets `all` to
// the object that `initial` returns, with the tables added by append(). `all` remains null, and `initial` is not
// called, if there are no tables.
template <class T, class Initial>
void add_tables_option(CLI::App& app, const std::string& section, Initial initial, std::shared_ptr<const T>& all) {
  const auto read = [&all, section, initial](const std::vector<std::string>& tables) {
    auto read_so_far = std::make_shared<T>(initial());
    for (const std::string& table : tables) {
      const Result<T> own = T::read(table);
      if (own.has_error()) throw CLI::ValidationError(section, own.error().message);
      read_so_far->append(*own);
    }
    all = std::move(read_so_far);
  };
  std::string name = "--" + section;
  std::ranges::replace(name, '_', '-');
  app.add_option_function<std::vector<std::string>>(name, read)->configurable()->group("");
}

// Adds --tracking-rules: a user's file of rules in the format of ClearURLs, in addition to the built-in table.
CLI::Option* add_tracking_rules_option(CLI::App& app, std::string& file);

// Reads the rules in `file`. Returns nullopt if `file` is empty. Throws CLI::ValidationError if the file cannot be
// used; an invalid rule is only a warning on stderr.
std::optional<parser::TrackingRules> read_tracking_rules(const std::string& file, const Streams& streams, bool quiet);

}  // namespace linkherd::crawler
