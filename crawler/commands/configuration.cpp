#include "crawler/commands/configuration.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "crawler/commands/acceptances.h"
#include "crawler/commands/host_options.h"
#include "crawler/commands/rule_options.h"
#include "crawler/commands/toml_text.h"
#include "crawler/sources/file_bytes.h"

namespace linkherd::crawler {
namespace {

namespace fs = std::filesystem;

struct SettingsFile {
  std::string name;
  bool discovered = false;  // found in the current folder, not named by the user
  toml::table settings;
};

struct Setting {
  CLI::Option* option = nullptr;
  const SettingsFile* file = nullptr;
  std::string key;
  const toml::node* value = nullptr;
};

std::string option_name(std::string_view key) {
  std::string name = "--" + std::string(key);
  std::ranges::replace(name, '_', '-');
  return name;
}

[[noreturn]] void refuse(const std::string& file, const toml::source_region& where, std::string_view what) {
  throw CLI::ConfigError(fmt::format("{}:{}: {}", file, where.begin.line, what));
}

[[noreturn]] void refuse_discovered(const SettingsFile& file, const toml::source_region& where, std::string_view key) {
  refuse(
      file.name, where,
      fmt::format("{} cannot be set by a file that was found in the current folder: if you trust it, use --config {}",
                  key, file.name));
}

// Converts a value of the file to the text used on the command line.
std::string text_of(const std::string& file, std::string_view key, const toml::node& value) {
  if (const auto* text = value.as_string()) return text->get();
  if (const auto* flag = value.as_boolean()) return flag->get() ? "true" : "false";
  if (const auto* number = value.as_integer()) return std::to_string(number->get());
  if (const auto* number = value.as_floating_point()) return fmt::format("{}", number->get());
  refuse(file, value.source(), fmt::format("{} must be a string, a number, true or false", key));
}

template <class T>
std::string problem_of(const Result<T>& read) {
  return read.has_error() ? read.error().message : std::string();
}

// Returns the settings of nested tables, such as [hosts."example.com"], one by one.
std::vector<std::string> settings_of(const SettingsFile& file, const toml::table& sections) {
  std::vector<std::string> settings;
  for (const auto& [name, section] : sections) {
    const auto* table = section.as_table();
    if (table == nullptr)
      refuse(file.name, section.source(), fmt::format("{} must be a table of settings", name.str()));
    for (const auto& [key, value] : *table) {
      const std::string text = text_of(file.name, key.str(), value);
      if (file.discovered && raises_host_load(name.str(), key.str(), text))
        refuse_discovered(file, value.source(), key.str());
      settings.push_back(host_setting(name.str(), key.str(), text));
    }
  }
  return settings;
}

// Returns what is wrong with a table of that section; empty if it is valid.
std::string problem_of_table(std::string_view section, const std::string& text) {
  if (section == rules_section) return problem_of(RuleSet::read(text));
  if (section == witnesses_section) return problem_of(WitnessSet::read(text));
  return problem_of(Acceptances::read(text));
}

// Returns each [[rule]], [[witness]] or [[accepted]] table as TOML text.
std::vector<std::string> tables_of(const SettingsFile& file, std::string_view section, const toml::node& value) {
  const auto* tables = value.as_array();
  const std::string wanted = fmt::format("{0} must be an array of tables: [[{0}]]", section);
  if (tables == nullptr) refuse(file.name, value.source(), wanted);
  std::vector<std::string> texts;
  for (const toml::node& item : *tables) {
    if (!item.is_table()) refuse(file.name, item.source(), wanted);
    std::string text = toml_text(section, *item.as_table());
    const std::string problem = problem_of_table(section, text);
    if (!problem.empty()) refuse(file.name, item.source(), problem);
    if (file.discovered && section == rules_section && hides_dead_links(text)) {
      refuse_discovered(file, item.source(), "a rule of health blocked, which could hide dead links,");
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<std::string> values_of(const SettingsFile& file, std::string_view key, const toml::node& value) {
  std::vector<std::string> values;
  if (key == hosts_section) {
    const auto* sections = value.as_table();
    if (sections == nullptr) refuse(file.name, value.source(), fmt::format("{} must be a table of settings", key));
    values = settings_of(file, *sections);
  } else if (key == rules_section || key == witnesses_section || key == accepted_section) {
    values = tables_of(file, key, value);
  } else if (const auto* list = value.as_array()) {
    for (const toml::node& item : *list) values.push_back(text_of(file.name, key, item));
  } else {
    values.push_back(text_of(file.name, key, value));
  }
  return values;
}

void apply(const Setting& setting) {
  try {
    setting.option->clear();  // may still have the [hosts] of an earlier file, which were already applied
    for (const std::string& text : values_of(*setting.file, setting.key, *setting.value)) {
      setting.option->add_result(text);
    }
    setting.option->run_callback();
  } catch (const CLI::ConfigError&) {
    throw;
  } catch (const CLI::ParseError& error) {
    refuse(setting.file->name, setting.value->source(), error.what());
  }
}

// toml++ stores each part of a dotted key in a nested table and frees them recursively, so a key with thousands of
// parts would overflow the stack. The limit also bounds such keys in nested tables, whose number toml++ limits.
constexpr std::size_t most_key_parts = 64;

// Counts consecutive dots of keys: outside of strings and comments, since the last character that ends a key.
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

SettingsFile read_file(const std::string& name, bool discovered) {
  const Result<std::string> text = read_file_bytes(name, most_configuration_bytes);
  if (text.has_error()) {
    throw CLI::ConfigError(fmt::format("the configuration \"{}\" {}", name, text.error().message));
  }
  refuse_deep_keys(name, *text);
  try {
    return {name, discovered, toml::parse(*text, name)};
  } catch (const toml::parse_error& error) {
    refuse(name, error.source(), error.description());
  }
}

bool is_there(const fs::path& file) {
  std::error_code error;
  return fs::symlink_status(file, error).type() != fs::file_type::not_found && !error;
}

// By the XDG Base Directory Specification, relative paths are ignored.
fs::path users_file() {
  const auto folder = [](const char* variable) {
    const char* value = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nothing here sets the environment
    const fs::path path(value == nullptr ? "" : value);
    return path.is_absolute() ? path : fs::path();
  };
  fs::path settings = folder("XDG_CONFIG_HOME");
  if (settings.empty() && !folder("HOME").empty()) settings = folder("HOME") / ".config";
  return settings.empty() ? fs::path() : settings / "linkherd" / configuration_file_name;
}

// Returns the existing files in ascending order of precedence.
std::vector<SettingsFile> read_files(const CLI::Option& chosen) {
  std::vector<SettingsFile> files;
  const fs::path own = users_file();
  if (!own.empty() && is_there(own)) files.push_back(read_file(own.string(), false));
  if (chosen.count() > 0) {
    files.push_back(read_file(chosen.as<std::string>(), false));
  } else if (is_there(configuration_file_name)) {
    files.push_back(read_file(configuration_file_name, true));
  }
  return files;
}

// Returns the option of that name, of this or of another command, or null.
CLI::Option* find_option(CLI::App& command, const std::vector<CLI::App*>& commands, const std::string& name) {
  if (CLI::Option* own = command.get_option_no_throw(name)) return own;
  for (CLI::App* other : commands) {
    if (CLI::Option* option = other->get_option_no_throw(name)) return option;
  }
  return nullptr;
}

// Adds the values of the file for `command` to `settings`; they replace those of earlier files.
void collect(const SettingsFile& file, CLI::App& command, const std::vector<CLI::App*>& commands,
             std::vector<Setting>& settings) {
  for (const auto& [key, value] : file.settings) {
    const std::string name = option_name(key.str());
    CLI::Option* option = find_option(command, commands, name);
    if (option == nullptr) refuse(file.name, value.source(), fmt::format("there is no setting {}", key.str()));
    if (file.discovered && !option->get_configurable()) refuse_discovered(file, value.source(), key.str());
    if (command.get_option_no_throw(name) == nullptr || option->count() > 0) continue;  // the command line wins
    if (key.str() != hosts_section) {
      std::erase_if(settings, [option](const Setting& earlier) { return earlier.option == option; });
    }
    settings.push_back({option, &file, std::string(key.str()), &value});
  }
}

}  // namespace

std::vector<std::string> apply_configuration(CLI::App& command, const std::vector<CLI::App*>& commands) {
  const std::vector<SettingsFile> files = read_files(*command.get_option("--config"));
  std::vector<Setting> settings;
  for (const SettingsFile& file : files) collect(file, command, commands, settings);
  for (const Setting& setting : settings) apply(setting);
  std::vector<std::string> names(files.size());
  std::ranges::transform(files, names.begin(), &SettingsFile::name);
  return names;
}

}  // namespace linkherd::crawler
