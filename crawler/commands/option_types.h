// Options of linkherd's own types on a CLI11 command: durations, points in time, named values. A bad value is a
// CLI::ValidationError that names the option; the help shows the real default. An option says ->configurable() where a
// linkherd.toml that was found, not named, may set it (see configuration.h); one that says nothing may not be.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "crawler/commands/command.h"
#include "parser/enum_names.h"
#include "parser/result.h"
#include "parser/timestamp.h"
#include "parser/url/tracking_rules.h"

namespace linkherd::crawler {

// Options that few people need: shown by --help-all only.
inline constexpr const char* rare_options = "More options";

CLI::Option* add_duration(CLI::App& app, const std::string& names, Duration& value, const std::string& help);
CLI::Option* add_bytes(CLI::App& app, const std::string& names, std::size_t& value, const std::string& help);
// A length of time that must not be zero: no library means "at once" by it, and people often mean "never".
CLI::Option* add_positive_duration(CLI::App& app, const std::string& names, Duration& value, const std::string& help);
// A share from `lowest` to 1. CLI::Range lets "nan" pass, which is neither below nor above anything.
CLI::Option* add_share(CLI::App& app, const std::string& name, double& value, double lowest, const std::string& help);
// Names with commas between them. CLI11's own delimiter drops empty ones, and then takes the next argument instead.
CLI::Option* add_names(CLI::App& app, const std::string& option,
                       std::function<void(const std::vector<std::string>&)> set, const std::string& help);
CLI::Option* add_names(CLI::App& app, const std::string& option, std::vector<std::string>& values,
                       const std::string& help);
// For CLI::Option::check: what is wrong with an absolute URL, empty where nothing is.
std::string refuse_bad_url(const std::string& text);
CLI::Option* add_format(CLI::App& app, OutputFormat& value);
void add_common_options(CLI::App& app, CommonOptions& options);

// The names of an enumeration as the only values.
template <class E, std::size_t N>
CLI::Option* add_choice(CLI::App& app, const std::string& names, E& value, const std::array<EnumName<E>, N>& choices,
                        const std::string& help) {
  const auto set = [&value, &choices, names](const std::string& text) {
    if (const auto found = enum_value(choices, text)) {
      value = *found;
      return;
    }
    std::array<std::string_view, N> known;
    std::ranges::transform(choices, known.begin(), &EnumName<E>::name);
    throw CLI::ValidationError(names, fmt::format("{} is none of {}", text, fmt::join(known, ", ")));
  };
  return app.add_option_function<std::string>(names, set, help)
      ->type_name("NAME")
      ->default_str(std::string(enum_name(choices, value)));
}

// Tables of linkherd.toml that a type of their own reads, each given as TOML text: T::read() and append(). `all`
// becomes `initial` with these behind it; it stays null where there are none.
template <class T>
void add_tables_option(CLI::App& app, const std::string& section, const T& initial, std::shared_ptr<const T>& all) {
  const auto read = [&all, section, initial](const std::vector<std::string>& tables) {
    auto read_so_far = std::make_shared<T>(initial);
    for (const std::string& table : tables) {
      const Result<T> own = T::read(table);
      if (own.has_error()) throw CLI::ValidationError(section, own.error().message);
      read_so_far->append(*own);
    }
    all = std::move(read_so_far);
  };
  app.add_option_function<std::vector<std::string>>("--" + section, read)->configurable()->group("");
}

// --tracking-rules: a user's file of rules in the format of ClearURLs, beside our own table.
CLI::Option* add_tracking_rules_option(CLI::App& app, std::string& file);

// Nothing where no file is named. Throws CLI::ValidationError where it cannot be used; a rule of it that cannot is said
// on stderr.
std::optional<parser::TrackingRules> read_tracking_rules(const std::string& file, const Streams& streams, bool quiet);

}  // namespace linkherd::crawler
