#include "crawler/commands/configuration.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "crawler/commands/host_options.h"

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

// The settings of a table of tables, such as [hosts."example.com"], one by one.
std::vector<std::string> settings_of(const std::string& file, const toml::table& sections) {
  std::vector<std::string> settings;
  for (const auto& [name, section] : sections) {
    const auto* table = section.as_table();
    if (table == nullptr) refuse(file, section.source(), fmt::format("{} wants settings of its own", name.str()));
    for (const auto& [key, value] : *table) {
      settings.push_back(host_setting(name.str(), key.str(), text_of(file, key.str(), value)));
    }
  }
  return settings;
}

std::vector<std::string> values_of(const std::string& file, std::string_view key, const toml::node& value) {
  std::vector<std::string> values;
  if (const auto* sections = value.as_table(); sections != nullptr && key == "hosts") {
    values = settings_of(file, *sections);
  } else if (const auto* list = value.as_array()) {
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

// toml++ keeps each part of a dotted key in a table of its own and frees them by recursion, so that a key of many
// thousand parts would end the program. These are more than any key has, and few also in as many nested tables as
// toml++ allows.
constexpr std::size_t most_key_parts = 64;
constexpr std::size_t most_bytes = std::size_t{1} << 20;

// Dots in a row of key parts: outside of strings and comments, and since the last sign that ends a key.
void refuse_deep_keys(const std::string& file, std::string_view text) {
  std::size_t line = 1;
  std::size_t dots = 0;
  char quote = '\0';
  bool comment = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      ++line;
      dots = 0;
      quote = '\0';
      comment = false;
    } else if (comment) {
      continue;
    } else if (quote != '\0') {
      if (c == '\\' && quote == '"') ++i;
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      comment = true;
    } else if (c == '.' && ++dots > most_key_parts) {
      throw CLI::ConfigError(fmt::format("{}:{}: a key has more than {} parts", file, line, most_key_parts));
    } else if (std::string_view("=,[]{}").find(c) != std::string_view::npos) {
      dots = 0;
    }
  }
}

// Bounded, since the file may be a device.
std::string read_text(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text(most_bytes + 1, '\0');
  if (!stream || !stream.read(text.data(), static_cast<std::streamsize>(text.size())).eof()) {
    if (stream)
      throw CLI::ConfigError(fmt::format("{} has more than {} KB: it is no configuration", file, most_bytes >> 10U));
    throw CLI::ConfigError(fmt::format("the configuration \"{}\" cannot be read: name a file with --config", file));
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

toml::table read_file(const std::string& file) {
  const std::string text = read_text(file);
  refuse_deep_keys(file, text);
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    refuse(file, error.source(), error.description());
  }
}

}  // namespace

void apply_configuration(CLI::App& command, const std::vector<CLI::App*>& commands) {
  const CLI::Option* chosen = command.get_option("--config");
  const std::string file = chosen->count() > 0 ? chosen->as<std::string>() : default_file;
  std::error_code error;
  if (chosen->count() == 0 && !std::filesystem::is_regular_file(file, error)) return;
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
