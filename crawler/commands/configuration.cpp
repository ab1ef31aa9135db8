#include "crawler/commands/configuration.h"

#include <algorithm>
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <toml++/toml.h>

namespace linkherd::crawler {
namespace {

constexpr const char* default_file = "linkherd.toml";

std::string option_name(std::string_view key) {
  std::string name = "--" + std::string(key);
  std::ranges::replace(name, '_', '-');
  return name;
}

[[noreturn]] void refuse(const std::string& file, const toml::source_region& where, std::string_view what) {
  throw CLI::ConfigError(fmt::format("{}:{}: {}", file, where.begin.line, what));
}

// A value of the file as the text that the command line would have.
std::string text_of(const std::string& file, std::string_view key, const toml::node& value) {
  if (const auto* text = value.as_string()) return text->get();
  if (const auto* flag = value.as_boolean()) return flag->get() ? "true" : "false";
  if (const auto* number = value.as_integer()) return std::to_string(number->get());
  if (const auto* number = value.as_floating_point()) return fmt::format("{}", number->get());
  refuse(file, value.source(), fmt::format("{} wants a string, a number, true or false", key));
}

std::vector<std::string> values_of(const std::string& file, std::string_view key, const toml::node& value) {
  std::vector<std::string> values;
  if (const auto* list = value.as_array()) {
    for (const toml::node& item : *list) values.push_back(text_of(file, key, item));
  } else {
    values.push_back(text_of(file, key, value));
  }
  return values;
}

void apply(CLI::Option& option, const std::string& file, std::string_view key, const toml::node& value) {
  if (option.count() > 0) return;  // the command line wins
  try {
    for (const std::string& text : values_of(file, key, value)) option.add_result(text);
    option.run_callback();
  } catch (const CLI::ConfigError&) {
    throw;
  } catch (const CLI::ParseError& error) {
    refuse(file, value.source(), error.what());
  }
}

toml::table read_file(const std::string& file) {
  try {
    return toml::parse_file(file);
  } catch (const toml::parse_error& error) {
    refuse(file, error.source(), error.description());
  }
}

}  // namespace

void apply_configuration(CLI::App& command, const std::vector<CLI::App*>& commands) {
  const CLI::Option* chosen = command.get_option("--config");
  const std::string file = chosen->count() > 0 ? chosen->as<std::string>() : default_file;
  std::error_code error;
  if (chosen->count() == 0 && !std::filesystem::exists(file, error)) return;
  const toml::table table = read_file(file);
  for (const auto& [key, value] : table) {
    const std::string name = option_name(key.str());
    if (CLI::Option* option = command.get_option_no_throw(name)) {
      apply(*option, file, key.str(), value);
      continue;
    }
    const bool known =
        std::ranges::any_of(commands, [&name](CLI::App* other) { return other->get_option_no_throw(name) != nullptr; });
    if (!known) refuse(file, value.source(), fmt::format("there is no setting {}", std::string_view(key.str())));
  }
}

}  // namespace linkherd::crawler
