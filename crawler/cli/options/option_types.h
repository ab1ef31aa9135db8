// CLI11 options of linkherd's own types: durations, timestamps, named values. An invalid value is a
// CLI::ValidationError that names the option; the help shows the real default. Only options with ->configurable() may
// be set by a linkherd.toml that was found in the current folder (see configuration.h).
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

// The long name of "-t,--timeout", for messages.
std::string long_name(const std::string& names);

CLI::Option* add_duration(CLI::App& app, const std::string& names, Duration& value, const std::string& help);
CLI::Option* add_bytes(CLI::App& app, const std::string& names, std::size_t& value, const std::string& help);
// "5MiB", "512k", "1000" in bytes. Throws CLI::ValidationError, which names the option.
std::size_t bytes_of(const std::string& option, const std::string& text);
// A duration that must not be zero. Zero would mean "at once" to the program, but users often mean "never".
CLI::Option* add_positive_duration(CLI::App& app, const std::string& names, Duration& value, const std::string& help);
// A whole number; the help shows the limits.
// --bom, of commands that write CSV.
CLI::Option* add_bom_option(CLI::App& app, bool& wanted);
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

template <class T>
CLI::Option* add_number(CLI::App& app, const std::string& names, T& value, std::int64_t min, std::int64_t max,
                        const std::string& help);
// For CLI::Option::check(): returns what is wrong with a whole number, or an empty text. Nothing is wrong with
// an empty one here: that is refused for all options.
std::string refuse_outside(const std::string& text, std::int64_t min, std::int64_t max);
// The same: returns what is wrong with the path of a folder that must be there.
std::string refuse_no_folder(const std::string& path);
// A fraction from `min` to 1. CLI::Range would accept "nan".
CLI::Option* add_share(CLI::App& app, const std::string& name, double& value, double min, const std::string& help);
// A point in time; "2026-03-05" is the end of that day.
Result<Timestamp> parse_moment(const std::string& text);
CLI::Option* add_moment(CLI::App& app, const std::string& name, std::optional<Timestamp>& value,
                        const std::string& help);
// Names separated by commas. CLI11's delimiter drops empty names and then takes the next argument instead.
CLI::Option* add_names(CLI::App& app, const std::string& option,
                       std::function<void(const std::vector<std::string>&)> set, const std::string& help);
CLI::Option* add_names(CLI::App& app, const std::string& option, std::vector<std::string>& values,
                       const std::string& help);
// The same, each of them one of `known`. `set` takes known names only.
CLI::Option* add_known_names(CLI::App& app, const std::string& option, std::vector<std::string> known,
                             std::function<void(const std::vector<std::string>&)> set, const std::string& help);
// For CLI::Option::check(): returns what is wrong with an absolute URL, or an empty text. Empty values are refused
// for all options.
std::string refuse_bad_url(const std::string& text);
// The same for a regular expression, and for --remap.
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

// "jsn is none of text, json, jsonl; did you mean json?"; for a value of lychee with what to use instead.
std::string is_none_of(const std::string& word, const std::vector<std::string>& known);

// Accepts only the names of an enumeration; the help shows them.
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
  if (std::is_integral_v<T>) option->capture_default_str();  // others have none
  return option->type_name("N")->option_text(fmt::format("{} to {}", min, max));
}

// Reads tables of linkherd.toml with T::read() and append(); each value is TOML text. Sets `all` to what `initial`
// returns with the tables appended; it remains null if there are none. `initial` is called only then.
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

// --tracking-rules: a user's file of rules in the format of ClearURLs, in addition to the built-in table.
CLI::Option* add_tracking_rules_option(CLI::App& app, std::string& file);

// Returns nullopt if `file` is empty. Throws CLI::ValidationError if the file cannot be used; a single invalid rule is
// a warning on stderr.
std::optional<parser::TrackingRules> read_tracking_rules(const std::string& file, const Streams& streams, bool quiet);

}  // namespace linkherd::crawler
