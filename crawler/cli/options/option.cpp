#include "crawler/cli/options/option.h"

#include <cctype>
#include <charconv>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "crawler/sources/link_filter.h"
#include "parser/ascii.h"
#include "parser/join.h"
#include "parser/nearest_name.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

namespace {

// Values of lychee's options, and what to use instead.
constexpr std::array<LycheeNames, 2> lychee_values{{
    {"compact", "use text, which is just as short"},
    {"detailed", "use text with --all"},
}};

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

// Returns a target for a repeatable option whose values are lists separated by commas. CLI11's delimiter is not usable:
// it drops empty names and then takes the next argument instead.
OptionTarget read_lists_of_names(std::function<std::string(const Words&)> set, std::string type, std::string limits) {
  const auto split = [set = std::move(set)](const Words& lists) -> std::string {
    Words names;
    for (const std::string& list : lists) {
      for (std::string& name : CLI::detail::split(list, ',')) names.push_back(std::move(name));
      if (list.ends_with(',')) names.emplace_back();
    }
    if (std::ranges::find(names, "") != names.end()) return "the list contains an empty name: remove the extra comma";
    return set(names);
  };
  return read_values(split, std::move(type), std::move(limits));
}

// Returns a target for a text that `parse` converts to a Result.
template <class T, class Parse>
OptionTarget read_parsed(T& value, Parse parse, const char* type, std::string usual = "") {
  const auto set = [&value, parse](const std::string& text) {
    const auto parsed = parse(text);
    if (parsed.has_error()) return parsed.error().message;
    value = *parsed;
    return std::string();
  };
  OptionTarget target = read_value(set, type, std::move(usual));
  target.values = [&value] { return words_of(value); };
  return target;
}

Result<std::size_t> read_size(const std::string& text) {
  const std::optional<std::size_t> parsed = parse_bytes(text);
  if (!parsed) return Error{text + " is not a size such as 5MiB or 512KiB"};
  return *parsed;
}

}  // namespace

std::string Option::long_name() const {
  const std::size_t comma = names.rfind(',');
  const std::string name = comma == std::string::npos ? names : names.substr(comma + 1);
  return name.substr(0, name.find('{'));
}

void add_rows(CLI::App& app, unsigned id, const std::vector<const Option*>& rows) {
  std::vector<std::pair<CLI::Option*, const OptionRules*>> added;
  std::vector<std::pair<CLI::Option*, bool*>> given;
  for (const Option* row : rows) {
    if ((row->of & id) == 0) continue;
    CLI::Option* const option = row->target.add(app, row->names)->description(row->help);
    option->configurable((row->traits & safe) != 0)->required((row->traits & required) != 0);
    option->envname(row->rules.variable);
    if ((row->traits & no_default) != 0) option->default_str("");
    if ((row->traits & only_in_files) != 0) option->group("");
    if (row->rules.is_given != nullptr) given.emplace_back(option, row->rules.is_given);
    added.emplace_back(option, &row->rules);
  }
  for (const auto& [option, rules] : added) {
    if (!rules->needs.empty()) option->needs(app.get_option(rules->needs));
    std::istringstream others(rules->excludes);
    for (std::string name; others >> name;) {
      if (CLI::Option* const other = app.get_option_no_throw(name)) option->excludes(other);
    }
  }
  if (given.empty()) return;
  app.parse_complete_callback([given = std::move(given)] {  // called before configuration files are read
    for (const auto& [option, is_given] : given) *is_given = option->count() > 0;
  });
}

std::string is_none_of(const std::string& word, const Words& known) {
  const std::string text = fmt::format("{} is not one of {}", word, join(known, ", "));
  const auto* const lychee = std::ranges::find(lychee_values, word, &LycheeNames::names);
  if (lychee != lychee_values.end()) return fmt::format("{}; {}", text, lychee->instead);
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

std::string refuse_control_characters(const std::string& text) {
  return parser::has_ascii_control(text)
             ? "the value contains a control character, which would be sent in every request"
             : std::string();
}

Words words_of(bool value) { return {value ? "1" : "0"}; }
Words words_of(double value) { return {std::to_string(value)}; }
Words words_of(Duration value) { return {format_duration(value)}; }
Words words_of(Timestamp value) { return {format_timestamp(value)}; }
Words words_of(std::string value) { return {std::move(value)}; }
Words words_of(const Words& values) { return values; }

OptionTarget read_value(std::function<std::string(const std::string&)> set, std::string type, std::string usual,
                        std::string limits) {
  return {[set = std::move(set), type = std::move(type), usual = std::move(usual), limits = std::move(limits)](
              CLI::App& app, const std::string& names) {
    const auto set_or_refuse = [set, name = Option{names, {}, {}}.long_name()](const std::string& text) {
      if (const std::string problem = set(text); !problem.empty()) throw CLI::ValidationError(name, problem);
    };
    return app.add_option_function<std::string>(names, set_or_refuse)
        ->type_name(type)
        ->option_text(limits)
        ->default_str(usual);
  }};
}

OptionTarget read_values(std::function<std::string(const Words&)> set, std::string type, std::string limits) {
  return {[set = std::move(set), type = std::move(type), limits = std::move(limits)](CLI::App& app,
                                                                                     const std::string& names) {
    const auto set_or_refuse = [set, name = Option{names, {}, {}}.long_name()](const Words& texts) {
      if (const std::string problem = set(texts); !problem.empty()) throw CLI::ValidationError(name, problem);
    };
    return app.add_option_function<Words>(names, set_or_refuse)->type_name(type)->option_text(limits);
  }};
}

OptionTarget read_flag(bool& value) {
  return {[&value](CLI::App& app, const std::string& names) { return app.add_flag(names, value); },
          [&value] { return words_of(value); }};
}

OptionTarget read_duration(Duration& value) {
  return read_parsed(value, parse_duration, "DURATION", format_duration(value));
}

OptionTarget read_duration(std::optional<Duration>& value) { return read_parsed(value, parse_duration, "DURATION"); }

OptionTarget read_positive_duration(Duration& value) {
  const auto parse = [](const std::string& text) -> Result<Duration> {
    Result<Duration> parsed = parse_duration(text);
    if (parsed.has_value() && *parsed == Duration::zero())
      return Error{"0 is not a valid duration here: give one such as 1h"};
    return parsed;
  };
  return read_parsed(value, parse, "DURATION", format_duration(value));
}

OptionTarget read_bytes(std::size_t& value) { return read_parsed(value, read_size, "SIZE", format_bytes(value)); }
OptionTarget read_bytes(std::optional<std::uint64_t>& value) { return read_parsed(value, read_size, "SIZE"); }

OptionTarget read_share(double& value, double min) {
  const auto refuse = [min](const std::string& text) {
    double number = 0;
    const bool good = CLI::detail::lexical_cast(text, number) && number >= min && number <= 1;
    return good ? std::string() : fmt::format("{} is not a number from {} to 1", text, min);
  };
  return {[&value, min, refuse](CLI::App& app, const std::string& names) {
            return app.add_option(names, value)
                ->type_name("SHARE")
                ->option_text(fmt::format("{} to 1", min))
                ->check(refuse)
                ->capture_default_str();
          },
          [&value] { return words_of(value); }};
}

Result<Timestamp> parse_moment(const std::string& text) {
  constexpr std::size_t date_width = 10;
  if (text.size() != date_width) return parse_timestamp(text);
  const Result<Timestamp> day = parse_timestamp(text + "T00:00:00Z");
  return day.has_error() ? day : *day + std::chrono::days(1) - Duration(1);
}

OptionTarget read_moment(std::optional<Timestamp>& value) { return read_parsed(value, parse_moment, "DATE"); }

OptionTarget read_time(std::optional<Timestamp>& value) { return read_parsed(value, parse_timestamp, "TIME"); }

OptionTarget read_names(Words& values, std::string type) {
  const auto set = [&values](const Words& names) {
    values = names;
    return std::string();
  };
  OptionTarget target = read_lists_of_names(set, std::move(type), "");
  target.values = [&values] { return values; };
  return target;
}

OptionTarget read_known_names(Words known, std::function<std::string(const Words&)> set, std::string type,
                              std::string usual) {
  const std::string limits = join(known, ", ");
  const auto check = [known = std::move(known), set = std::move(set)](const Words& names) {
    for (const std::string& name : names) {
      if (std::ranges::find(known, name) == known.end()) return is_none_of(name, known);
    }
    return set(names);
  };
  OptionTarget target = read_lists_of_names(check, std::move(type), limits);
  return {[add = std::move(target.add), usual = std::move(usual)](CLI::App& app, const std::string& names) {
    return add(app, names)->default_str(usual);
  }};
}

}  // namespace linkherd::crawler
