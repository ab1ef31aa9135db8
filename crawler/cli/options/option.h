// An option of the command line and of linkherd.toml: one row of the table in option_table.cpp, or of a command's own
// options. Parsing, help, manual pages, completions, configuration and the identity of runs all use these rows.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
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

#include "parser/enum_names.h"
#include "parser/join.h"
#include "parser/result.h"
#include "parser/timestamp.h"

namespace linkherd::crawler {

using Words = std::vector<std::string>;

// Connects an option to the variable that it sets.
struct OptionTarget {
  std::function<CLI::Option*(CLI::App& app, const std::string& names)> add;
  // Returns the current value of the variable, for the identity of a run. It contains no secret.
  std::function<Words()> values = [] { return Words(); };
};

// Option names of lychee that linkherd refuses, such as "--accept -a", and what to use instead.
struct LycheeNames {
  std::string_view names;
  std::string_view instead;
};

// Properties of an option, combined with |.
enum OptionTrait : unsigned {
  no_traits = 0,
  safe = 1U << 0U,             // a discovered linkherd.toml may set it, see configuration.h
  affects_results = 1U << 1U,  // the value is part of the identity of a run
  required = 1U << 2U,
  no_default = 1U << 3U,     // the default is not shown, because the help text describes it
  only_in_files = 1U << 4U,  // a section of linkherd.toml
};

struct OptionRules {
  std::string needs = {};                // another option
  std::string excludes = {};             // other options, separated by spaces; a command need not have them
  std::string variable = {};             // an environment variable with the value
  bool* is_given = nullptr;              // set to true if the command line has the option
  std::vector<LycheeNames> lychee = {};  // that this option replaces
};

inline OptionRules needs(std::string option) { return {.needs = std::move(option)}; }
inline OptionRules excludes(std::string options) { return {.excludes = std::move(options)}; }
inline OptionRules marks_given(bool& is_given) { return {.is_given = &is_given}; }
inline OptionRules replaces(std::string_view names, std::string_view instead) { return {.lychee = {{names, instead}}}; }

inline constexpr unsigned any_command = ~0U;

struct Option {
  std::string names;  // such as "-t,--timeout"; an argument has no dashes
  OptionTarget target;
  std::string help;
  unsigned of = any_command;    // the commands with this option, see option_table.h
  unsigned traits = no_traits;  // OptionTrait
  OptionRules rules = {};

  std::string long_name() const;  // such as "--timeout"
};

// Adds options to a command. `id`: the command; rows for other commands are ignored.
void add_rows(CLI::App& app, unsigned id, const std::vector<const Option*>& rows);

// Returns what is wrong with a value, or an empty string. Empty values are rejected for all options.
using RefuseValue = std::function<std::string(const std::string&)>;
std::string refuse_bad_url(const std::string& text);
std::string refuse_bad_pattern(const std::string& text);
std::string refuse_bad_remap(const std::string& text);
std::string refuse_control_characters(const std::string& text);
std::string refuse_no_folder(const std::string& path);

// Returns the values of a variable as text.
Words words_of(bool value);
Words words_of(double value);
Words words_of(Duration value);
Words words_of(Timestamp value);
Words words_of(std::string value);
Words words_of(const Words& values);
template <std::integral T>
Words words_of(T value) {
  return {std::to_string(value)};
}
template <class T>
Words words_of(const std::optional<T>& value) {
  return value ? words_of(*value) : Words();
}

// The functions below return targets for variables of different types. An invalid value throws a CLI::ValidationError
// that names the option. The default in the help is the value of the variable when the option is added. `type` names
// the value in the help.

// Adds an option with a function that takes the value or returns what is wrong with it.
OptionTarget read_value(std::function<std::string(const std::string&)> set, std::string type, std::string usual = "",
                        std::string limits = "");
// Does the same for a repeatable option and all its values.
OptionTarget read_values(std::function<std::string(const Words&)> set, std::string type, std::string limits = "");

OptionTarget read_flag(bool& value);
// Sets `value` to `set` if the flag is given.
template <class E>
OptionTarget read_flag(E& value, E set) {
  return {[&value, set](CLI::App& app, const std::string& names) {
            return app.add_flag_callback(names, [&value, set] { value = set; });
          },
          [&value, set] { return words_of(value == set); }};
}
OptionTarget read_duration(Duration& value);
// Reads a duration that must not be zero. Zero would mean "at once" to linkherd, but users often mean "never".
OptionTarget read_positive_duration(Duration& value);
OptionTarget read_duration(std::optional<Duration>& value);
OptionTarget read_bytes(std::size_t& value);
OptionTarget read_bytes(std::optional<std::uint64_t>& value);
// Reads a fraction from `min` to 1.
OptionTarget read_share(double& value, double min);
OptionTarget read_moment(std::optional<Timestamp>& value);
OptionTarget read_time(std::optional<Timestamp>& value);
// Reads names separated by commas.
OptionTarget read_names(Words& values, std::string type);
// Does the same for names that must be in `known`. `set` is called with known names only, and returns what is wrong.
OptionTarget read_known_names(Words known, std::function<std::string(const Words&)> set, std::string type,
                              std::string usual = "");

// Parses a point in time. A date such as "2026-03-05" means the end of that day.
Result<Timestamp> parse_moment(const std::string& text);

// Reads a text into a string, an optional string, or a list of strings for a repeatable option.
template <class T>
OptionTarget read_text(T& value, std::string type = "TEXT", RefuseValue refuse = {}) {
  return {[&value, type = std::move(type), refuse = std::move(refuse)](CLI::App& app, const std::string& names) {
            CLI::Option* const option = app.add_option(names, value)->type_name(type);
            return refuse ? option->check(refuse) : option;
          },
          [&value] { return words_of(value); }};
}

// Returns what is wrong with a whole number, or an empty string. Accepts an empty text.
std::string refuse_outside(const std::string& text, std::int64_t min, std::int64_t max);

// Reads a whole number; the help shows its limits.
template <class T>
OptionTarget read_number(T& value, std::int64_t min, std::int64_t max, bool shows_limits = true) {
  return {[&value, min, max, shows_limits](CLI::App& app, const std::string& names) {
            CLI::Option* const option = app.add_option(names, value)->type_name("N");
            option->check([min, max](const std::string& text) { return refuse_outside(text, min, max); });
            if (shows_limits) option->option_text(fmt::format("{} to {}", min, max));
            return std::is_integral_v<T> ? option->capture_default_str() : option;  // other types have no default
          },
          [&value] { return words_of(value); }};
}

template <class E, std::size_t N>
Words names_of(const std::array<EnumName<E>, N>& choices) {
  Words names(N);
  std::ranges::transform(choices, names.begin(), [](const EnumName<E>& choice) { return std::string(choice.name); });
  return names;
}

// Returns a message such as "jsn is not one of text, json, jsonl; did you mean json?". For a value of lychee, it says
// what to use instead.
std::string is_none_of(const std::string& word, const Words& known);

// Reads the name of a value of an enumeration; the help shows the names. `value`: an E or an optional one.
// `is_set` becomes true if the command line or a configuration sets the option.
template <class T, class E, std::size_t N>
OptionTarget read_choice(T& value, const std::array<EnumName<E>, N>& choices, bool* is_set = nullptr,
                         std::string type = "NAME") {
  constexpr bool is_optional = !std::is_same_v<T, E>;
  const auto set = [&value, &choices, is_set](const std::string& text) {
    const std::optional<E> found = enum_value(choices, text);
    if (!found) return is_none_of(text, names_of(choices));
    value = *found;
    if (is_set != nullptr) *is_set = true;
    return std::string();
  };
  const auto name = [&value, &choices]() -> std::string {
    if constexpr (is_optional) {
      return value ? std::string(enum_name(choices, E(*value))) : std::string();
    } else {
      return std::string(enum_name(choices, value));
    }
  };
  OptionTarget target = read_value(set, std::move(type), name(), join(names_of(choices), ", "));
  target.values = [name] { return Words{name()}; };
  return target;
}

// Reads a section of linkherd.toml whose tables are read by T::read(). Each value is a table as TOML text. Sets `all`
// to the object that `initial` returns, with the tables added by append(). `all` remains null, and `initial` is not
// called, if there are no tables.
template <class T, class Initial>
OptionTarget read_tables(const char* section, Initial initial, std::shared_ptr<const T>& all) {
  const auto read = [&all, section, initial](const Words& tables) {
    auto read_so_far = std::make_shared<T>(initial());
    for (const std::string& table : tables) {
      const Result<T> own = T::read(table);
      if (own.has_error()) throw CLI::ValidationError(section, own.error().message);
      read_so_far->append(*own);
    }
    all = std::move(read_so_far);
    return std::string();
  };
  return read_values(read, "TEXT");
}

inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace linkherd::crawler
