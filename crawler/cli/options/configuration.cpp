#include "crawler/cli/options/configuration.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "crawler/cli/options/acceptances.h"
#include "crawler/cli/options/host_options.h"
#include "crawler/cli/options/option_table.h"
#include "crawler/cli/options/rule_options.h"
#include "crawler/cli/options/store_location.h"
#include "crawler/cli/options/toml_text.h"
#include "crawler/cli/process.h"
#include "crawler/cli/usage_errors.h"
#include "crawler/sources/repository_bounds.h"
#include "parser/nearest_name.h"

namespace linkherd::crawler {
namespace {

namespace fs = std::filesystem;

struct SettingsFile {
  std::string name;
  bool discovered = false;  // not named by the user
  toml::table settings;
};

struct Setting {
  CLI::Option* option = nullptr;
  const SettingsFile* file = nullptr;
  std::string key;
  const toml::node* value = nullptr;
};

// A value as on the command line, and its line in the file.
struct Value {
  std::string text;
  std::size_t line = 0;
};

// Collects everything that is wrong with the files, so that users can fix all problems at once.
class Problems {
 public:
  void add(const SettingsFile& file, std::size_t line, std::string_view problem) {
    if (files_.empty() || files_.back().first != file.name) files_.emplace_back(file.name, Lines());
    files_.back().second.emplace(line, fmt::format("{}:{}: {}", file.name, line, problem));
  }
  void add_discovered(const SettingsFile& file, std::size_t line, std::string_view key) {
    add(file, line,
        fmt::format("{} cannot be set in a settings file that linkherd found by itself: if you trust the file, name it "
                    "with --config {}",
                    key, file.name));
  }
  void throw_if_any() const {
    constexpr std::size_t max_lines = 100;
    std::vector<std::string> all;
    for (const auto& [name, lines] : files_) {
      for (const auto& [number, line] : lines) all.push_back(line);
    }
    if (all.size() > max_lines) {
      const std::size_t more = all.size() - max_lines;
      all.resize(max_lines);
      all.push_back(fmt::format("and {} more", more));
    }
    if (!all.empty()) throw ConfigurationErrors(std::move(all));
  }

 private:
  using Lines = std::multimap<std::size_t, std::string>;
  std::vector<std::pair<std::string, Lines>> files_;
};

std::size_t line_of(const toml::node& node) { return node.source().begin.line; }

std::string option_name(std::string_view key) {
  std::string name = "--" + std::string(key);
  std::ranges::replace(name, '_', '-');
  return name;
}

template <class T>
std::string problem_of(const Result<T>& read) {
  return read.has_error() ? read.error().message : std::string();
}

// Returns what is wrong with a table of that section, or an empty string.
std::string problem_of_table(std::string_view section, const std::string& text) {
  if (section == rules_section) return problem_of(RuleSet::read(text));
  if (section == site_apis_section) return problem_of(SiteApiSet::read(text));
  if (section == move_rules_section) return problem_of(MoveRuleSet::read(text));
  return problem_of(Acceptances::read(text));
}

// Reads the values of one setting and collects the problems.
class ValueReader {
 public:
  ValueReader(const Setting& setting, Problems& problems)
      : file_(*setting.file), key_(setting.key), value_(*setting.value), problems_(problems) {}

  std::vector<Value> read() {
    const bool is_table_section =
        key_ == rules_section || key_ == site_apis_section || key_ == move_rules_section || key_ == accepted_section;
    if (key_ == hosts_section) {
      read_hosts();
    } else if (is_table_section) {
      read_tables();
    } else if (const auto* headers = value_.as_table(); headers != nullptr && key_ == "header") {
      for (const auto& [name, value] : *headers) {  // the form of lychee
        if (const auto text = plain_text(name.str(), value)) add(std::string(name.str()) + ": " + *text, value);
      }
    } else if (const auto* list = value_.as_array()) {
      for (const toml::node& item : *list) add_plain(item);
    } else {
      add_plain(value_);
    }
    return std::move(values_);
  }

 private:
  void add(std::string text, const toml::node& node) { values_.push_back({std::move(text), line_of(node)}); }
  void refuse(const toml::node& node, std::string_view problem) { problems_.add(file_, line_of(node), problem); }

  std::optional<std::string> plain_text(std::string_view key, const toml::node& node) {
    std::optional<std::string> text = plain_text_of(node);
    if (!text) refuse(node, fmt::format("{} must be a string, a number, true or false", key));
    return text;
  }
  void add_plain(const toml::node& node) {
    std::optional<std::string> text = plain_text(key_, node);
    if (!text) return;
    if (key_ == "site_url" && file_.discovered && !add_site_folder(*text))
      return problems_.add_discovered(file_, line_of(node), "a folder outside the folder of the settings file");
    add(std::move(*text), node);
  }

  // Resolves the folder of "https://docs.example.org=site" relative to a discovered file, independent of the current
  // folder. Returns false if it is not below the folder of that file.
  bool add_site_folder(std::string& site) const {
    const std::size_t separator = site.find('=');
    if (separator == std::string::npos) return true;
    std::error_code error;
    const fs::path own = fs::path(file_.name).parent_path();
    const fs::path root = fs::canonical(own.empty() ? "." : own, error);
    const fs::path written = site.substr(separator + 1);
    const fs::path below = fs::weakly_canonical(root / written, error).lexically_relative(root);
    if (error || written.is_absolute() || below.empty() || *below.begin() == "..") return false;
    site = site.substr(0, separator + 1) + (own / written).string();
    return true;
  }

  // Reads the settings of [hosts."example.com"] one by one.
  void read_hosts() {
    const auto* sections = value_.as_table();
    if (sections == nullptr) return refuse(value_, fmt::format("{} must be a table of settings", key_));
    for (const auto& [name, section] : *sections) {
      const auto* table = section.as_table();
      if (table == nullptr) {
        refuse(section, fmt::format("{} must be a table of settings", name.str()));
        continue;
      }
      for (const auto& [key, value] : *table) read_host_setting(name.str(), key.str(), value);
    }
  }

  void read_host_setting(std::string_view host, std::string_view key, const toml::node& value) {
    if (const auto hint = lychee_host_setting_hint(key)) {
      return refuse(value, fmt::format("{} is not a host setting of linkherd: {}", key, *hint));
    }
    const std::optional<std::string> text = plain_text(key, value);
    if (!text) return;
    try {
      if (file_.discovered && raises_host_load(host, key, *text))
        return problems_.add_discovered(file_, line_of(value), key);
    } catch (const CLI::ParseError& error) {
      return refuse(value, error.what());
    }
    add(host_setting(host, key, *text), value);
  }

  // Reads each [[rule]], [[site_api]], [[move_rule]] or [[accepted]] table as TOML text.
  void read_tables() {
    const auto* tables = value_.as_array();
    const std::string wanted = fmt::format("{0} must be an array of tables: [[{0}]]", key_);
    if (tables == nullptr) return refuse(value_, wanted);
    for (const toml::node& item : *tables) {
      if (!item.is_table()) {
        refuse(item, wanted);
        continue;
      }
      std::string text = toml_text(key_, *item.as_table());
      if (const std::string problem = problem_of_table(key_, text); !problem.empty()) {
        refuse(item, problem);
      } else if (file_.discovered && key_ == rules_section && hides_dead_links(text)) {
        problems_.add_discovered(file_, line_of(item), "a rule with health = blocked, which could hide dead links,");
      } else {
        add(std::move(text), item);
      }
    }
  }

  const SettingsFile& file_;
  const std::string& key_;
  const toml::node& value_;
  Problems& problems_;
  std::vector<Value> values_;
};

// Converts a message such as "--timeout: 0 leaves no time" to one about the setting.
std::string about_setting(std::string_view problem, const CLI::Option& option, const std::string& key) {
  const std::string name = option.get_name() + ": ";
  if (!problem.starts_with(name)) return std::string(problem);
  return key + ": " + std::string(problem.substr(name.size()));
}

// Returns true if another command has an option of this name that accepts the values. For example, `format = "html"` is
// for reports.
bool is_for_another(const CLI::Option& option, const std::vector<std::string>& values,
                    const std::vector<CLI::App*>& commands) {
  return std::ranges::any_of(commands, [&](CLI::App* command) {
    CLI::Option* const other = command->get_option_no_throw(option.get_name());
    if (other == nullptr || other == &option) return false;
    const bool takes_values = problem_of_values(*other, values).empty();
    other->clear();
    return takes_values;
  });
}

void apply(const Setting& setting, const std::vector<CLI::App*>& commands, Problems& problems) {
  const std::vector<Value> values = ValueReader(setting, problems).read();
  if (values.empty()) return;
  const auto refuse = [&](std::size_t line, const std::string& problem) {
    problems.add(*setting.file, line, about_setting(problem, *setting.option, setting.key));
  };
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (const Value& value : values) texts.push_back(value.text);
  const std::string problem = problem_of_values(*setting.option, texts);
  if (problem.empty()) return;
  if (is_for_another(*setting.option, texts, commands)) return setting.option->clear();
  bool is_named = false;  // the message names the rejected value
  for (const Value& value : values) {
    const std::string own = problem_of_values(*setting.option, {value.text});
    if (own.empty()) continue;
    refuse(value.line, own);
    is_named = true;
  }
  if (!is_named) refuse(line_of(*setting.value), problem);
}

bool file_exists(const fs::path& file) {
  std::error_code error;
  return fs::symlink_status(file, error).type() != fs::file_type::not_found && !error;
}

// Relative paths are ignored, as the XDG Base Directory Specification requires.
fs::path users_file() {
  const auto folder = [](const char* variable) {
    const fs::path path(environment_variable(variable));
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
  if (!own.empty() && file_exists(own)) files.push_back({own.string(), false, read_toml(own.string())});
  if (chosen.count() > 0) {
    for (const std::string& name : chosen.as<std::vector<std::string>>())
      files.push_back({name, false, read_toml(name)});
  } else if (const std::string found = discovered_configuration(); file_exists(found)) {
    files.push_back({found, true, read_toml(found, own_repository())});
  }
  return files;
}

// Returns the option with that name from this command or another one, or null.
CLI::Option* find_option(CLI::App& command, const std::vector<CLI::App*>& commands, const std::string& name) {
  if (CLI::Option* own = command.get_option_no_throw(name)) return own;
  for (CLI::App* other : commands) {
    if (CLI::Option* option = other->get_option_no_throw(name)) return option;
  }
  return nullptr;
}

// Returns true if at least one command accepts the option from a discovered file.
bool is_safe_for_any(const std::vector<CLI::App*>& commands, const std::string& name) {
  return std::ranges::any_of(commands, [&name](CLI::App* command) {
    const CLI::Option* const option = command->get_option_no_throw(name);
    return option != nullptr && option->get_configurable();
  });
}

// Returns false for options that exist only on the command line.
bool is_setting(const std::string& name) { return name != "--help" && name != "--help-all" && name != "--config"; }

// A setting that makes `check` search for new addresses must not make `fix` write them.
bool is_setting_of(const CLI::App& command, const std::string& name) {
  return command.get_option_no_throw(name) != nullptr && !(command.get_name() == "fix" && name == "--relocate");
}

std::string unknown_setting(std::string_view key, const std::vector<CLI::App*>& commands) {
  if (const auto hint = lychee_option_hint(option_name(key)))
    return fmt::format("{} is not a setting of linkherd: {}", key, *hint);
  parser::NearestName nearest(key);
  for (const CLI::App* command : commands) {
    for (std::string name : list_option_names(*command)) {
      std::ranges::replace(name, '-', '_');
      if (is_setting(option_name(name))) nearest.consider(name);
    }
  }
  return fmt::format("there is no setting {}{}", key, parser::did_you_mean(nearest));
}

// Adds the values of the file that `command` uses to `settings`. They replace those of earlier files.
void collect(const SettingsFile& file, CLI::App& command, const std::vector<CLI::App*>& commands,
             std::vector<Setting>& settings, Problems& problems) {
  for (const auto& [key, value] : file.settings) {
    const std::string name = option_name(key.str());
    const bool is_of_lychee = lychee_option_hint(name).has_value();
    CLI::Option* option = is_setting(name) && !is_of_lychee ? find_option(command, commands, name) : nullptr;
    if (option == nullptr) {
      problems.add(file, line_of(value), unknown_setting(key.str(), commands));
      continue;
    }
    if (file.discovered && !option->get_configurable()) {  // it may be a setting of another command
      if (!is_safe_for_any(commands, name)) problems.add_discovered(file, line_of(value), key.str());
      continue;
    }
    if (!is_setting_of(command, name) || option->count() > 0) continue;  // the command line wins
    if (key.str() != hosts_section) {
      std::erase_if(settings, [option](const Setting& earlier) { return earlier.option == option; });
    }
    settings.push_back({option, &file, std::string(key.str()), &value});
  }
}

}  // namespace

std::string problem_of_values(CLI::Option& option, const std::vector<std::string>& values) {
  try {
    option.clear();  // it may still contain [hosts] of an earlier file, which were already applied
    for (const std::string& value : values) option.add_result(value);
    option.run_callback();
    return {};
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
}

std::string discovered_configuration() {
  if (file_exists(configuration_file_name)) return configuration_file_name;
  const fs::path root = repository_root().value_or(".");
  const fs::path file = root / configuration_file_name;
  return root != "." && file_exists(file) ? file.string() : configuration_file_name;
}

std::vector<std::string> apply_configuration(CLI::App& command, const std::vector<CLI::App*>& commands) {
  const std::vector<SettingsFile> files = read_files(*command.get_option("--config"));
  std::vector<Setting> settings;
  Problems problems;
  for (const SettingsFile& file : files) collect(file, command, commands, settings, problems);
  for (const Setting& setting : settings) apply(setting, commands, problems);
  problems.throw_if_any();
  std::vector<std::string> names(files.size());
  std::ranges::transform(files, names.begin(), &SettingsFile::name);
  return names;
}

}  // namespace linkherd::crawler
