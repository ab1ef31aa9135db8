// `linkherd init`: writes a linkherd.toml for the current repository, and converts the configurations of other link
// checkers.
#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <re2/re2.h>
#include <toml++/toml.h>

#include "crawler/cli/command.h"
#include "crawler/cli/commands/ci_files.h"
#include "crawler/cli/commands/migration.h"
#include "crawler/cli/first_problems.h"
#include "crawler/cli/options/configuration.h"
#include "crawler/cli/options/host_options.h"
#include "crawler/cli/options/option_table.h"
#include "crawler/cli/options/store_location.h"
#include "crawler/cli/options/toml_text.h"
#include "crawler/cli/report_output.h"
#include "crawler/sources/file_bytes.h"
#include "crawler/sources/folder_documents.h"
#include "crawler/sources/repository_bounds.h"
#include "parser/ascii.h"
#include "parser/html/charset.h"
#include "parser/join.h"
#include "parser/utf8.h"
#include "reports/escape.h"
#include "reports/messages.h"

namespace linkherd::crawler {
namespace {

namespace fs = std::filesystem;

struct InitOptions : CheckOptions {
  std::string file;  // empty: linkherd.toml at the root of the repository; "-": stdout
  std::optional<CiService> ci;
  bool force = false;
  bool dry_run = false;
};

// The options of `check`, which define the settings and their valid values.
struct CheckSettings {
  CLI::App app;
  CheckOptions options;
  CheckSettings() { add_options(app, commands::check, options); }
  CLI::Option* find(std::string key) {
    std::ranges::replace(key, '_', '-');
    return app.get_option_no_throw("--" + key);
  }
};

std::string as_toml(const std::string& text) {
  static const RE2 plain("true|false|0|[1-9][0-9]{0,14}");
  if (RE2::FullMatch(text, plain)) return text;
  std::ostringstream quoted;
  const toml::value<std::string> value(to_valid_utf8(text));
  quoted << toml::toml_formatter(value, toml_flags);
  return std::move(quoted).str();
}

std::string setting_line(const std::string& key, const std::vector<std::string>& values, bool is_list) {
  if (!is_list) return fmt::format("{} = {}\n", key, as_toml(values.front()));
  std::string lines = key + " = [\n";
  for (const std::string& value : values) lines += fmt::format("  {},\n", as_toml(value));
  return lines + "]\n";
}

std::string comment(std::string_view text) { return fmt::format("# {}\n", reports::escape_message(text)); }

std::string commented(std::string_view lines) {
  std::string text;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    text += fmt::format("# {}\n", line);
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
  }
  return text;
}

// Writes the settings that a discovered linkherd.toml may set. Settings that need a named file become comments.
class Draft {
 public:
  explicit Draft(Migration migration) : migration_(std::move(migration)) {}

  std::string text(const fs::path& root) {
    add_settings();
    add_hosts();
    std::string all = comment(
        "Settings of `linkherd check` for this repository, written by `linkherd init`. A key is the name of an");
    all += comment("option (linkherd check --help-all) with _ instead of -. The command line takes precedence.") + "\n";
    all += about_lists(root) + about_site(root) + active_;
    if (!named_.empty()) {
      all +=
          comment("A discovered file like this one cannot set these. Move them to a file that you name with --config.");
      all += named_ + "\n";
    }
    if (!migration_.notes.empty()) all += comment("These settings were not imported:");
    for (const std::string& note : migration_.notes) all += comment("  " + note);
    return all + (migration_.notes.empty() ? "" : "\n") + defaults() + hosts_;
  }

  const std::vector<std::string>& notes() const { return migration_.notes; }

 private:
  void add_settings() {
    for (const auto& [key, values] : migration_.values) {
      CLI::Option* const option = check_.find(key);
      if (option == nullptr || key == "config" || key == "help" || key == "help_all") {
        note(values.front(), key + ": linkherd has no such setting");
        continue;
      }
      add_setting(key, values, *option);
    }
  }

  void add_setting(const std::string& key, const std::vector<Migration::Value>& values, CLI::Option& option) {
    const bool is_list = option.get_items_expected_max() > 1;
    std::vector<std::string> taken, sources;
    for (const Migration::Value& value : values) {
      if (std::ranges::find(taken, value.text) != taken.end()) continue;
      const std::string problem = problem_of_values(option, {value.text});
      if (!problem.empty()) {
        note(value, problem);
      } else if (!is_list && !taken.empty()) {
        note(value, fmt::format("{}: the value in {} takes precedence", key, sources.front()));
      } else {
        taken.push_back(value.text);
        if (std::ranges::find(sources, value.source) == sources.end()) sources.push_back(value.source);
      }
    }
    if (taken.empty()) return;
    set_.insert(key);
    const std::string lines = comment(fmt::format("From {}", join(sources, ", ")));
    if (option.get_configurable()) {
      active_ += lines + setting_line(key, taken, is_list) + "\n";
    } else {
      named_ += lines + commented(setting_line(key, taken, is_list));
    }
  }

  void add_hosts() {
    for (const auto& [host, settings] : migration_.hosts) {
      std::string lines;
      for (const auto& [key, value] : settings) {
        const Migration::Value whole{value, fmt::format("[hosts.{}]", host)};
        try {
          const std::string line = setting_line(key, {value}, false);
          const bool is_named = raises_host_load(host, key, value);
          if (is_named)
            note(whole, key + ": it puts more load on the host than the default; name a file with --config to set it");
          lines += is_named ? commented(line) : line;
        } catch (const CLI::ParseError& error) {
          note(whole, error.what());
        }
      }
      if (!lines.empty()) hosts_ += fmt::format("[hosts.{}]\n{}\n", quoted_key(host), lines);
    }
  }
  static std::string quoted_key(const std::string& host) {
    std::ostringstream quoted;
    quoted << toml::toml_formatter(toml::value<std::string>(to_valid_utf8(host)), toml_flags);
    return std::move(quoted).str();
  }

  void note(const Migration::Value& value, std::string_view why) {
    migration_.notes.push_back(fmt::format("{}: {}", value.source, why));
  }

  // Describes the documents that `check` reads without inputs. Excludes folders with third-party documents.
  std::string about_lists(const fs::path& root) {
    constexpr std::array<std::string_view, 5> of_others{"node_modules", "vendor", "third_party", "bower_components",
                                                        ".venv"};
    constexpr std::size_t max_shown = 8;
    std::map<std::string, std::size_t> counts;  // by top-level file or folder
    std::set<std::string> excluded;
    const std::vector<std::string> files = find_documents(root, true).files;
    for (const std::string& file : files) {
      const fs::path name = fs::path(file).lexically_relative(root);
      ++counts[name.has_parent_path() ? to_valid_utf8(name.begin()->string()) + "/" : to_valid_utf8(name.string())];
      for (const fs::path& part : name.parent_path()) {
        if (std::ranges::find(of_others, part.string()) != of_others.end()) excluded.insert(part.string());
      }
    }
    std::vector<std::string> shown;
    for (const auto& [name, count] : counts) {
      if (shown.size() == max_shown) break;
      shown.push_back(name.ends_with('/') ? fmt::format("{} ({})", name, count) : name);
    }
    std::string text = comment(fmt::format("Without inputs, `linkherd check` reads {}: {}{}",
                                           reports::counted(files.size(), "document"), join(shown, ", "),
                                           counts.size() > shown.size() ? ", …" : ""));
    for (const std::string& folder : excluded)
      migration_.values["exclude_path"].push_back(
          {fmt::format("(^|/){}/", RE2::QuoteMeta(folder)), "the folders of this repository"});
    if (const auto paths = migration_.values.find("exclude_path"); !excluded.empty() && !set_.contains("exclude_path"))
      add_setting(paths->first, paths->second, *check_.find("exclude_path"));
    return text + "\n";
  }

  // Describes the site generator of the repository, if any.
  static std::string about_site(const fs::path& root) {
    constexpr std::array<std::pair<const char*, const char*>, 10> generators{{{"mkdocs.yml", "docs"},
                                                                              {"docusaurus.config.js", "docs"},
                                                                              {"docusaurus.config.ts", "docs"},
                                                                              {"_config.yml", "."},
                                                                              {"hugo.toml", "content"},
                                                                              {"book.toml", "src"},
                                                                              {"docs/conf.py", "docs"},
                                                                              {"docs/.vitepress", "docs"},
                                                                              {"astro.config.mjs", "src/pages"},
                                                                              {"_quarto.yml", "."}}};
    std::error_code error;
    const auto found = std::ranges::find_if(
        generators, [&](const auto& generator) { return fs::exists(root / generator.first, error); });
    if (found == generators.end()) return {};
    std::string address = "https://docs.example.org";
    const Result<std::string> text = read_file_bytes(root / found->first, max_configuration_bytes, own_repository());
    static const RE2 site_url(R"((?m)^(?:site_url|url)\s*:\s*["']?(https?://[^\s"'=#?]+))");
    if (text.has_value()) RE2::PartialMatch(parser::decode_text(*text).text, site_url, &address);
    return comment(fmt::format(
               "{} builds a website from these documents. This line makes links to it lead to the documents:",
               found->first)) +
           commented(setting_line("site_url", {address + "=" + found->second}, true)) + "\n";
  }

  std::string defaults() {
    std::string text;
    for (const char* const key : {"timeout", "max_retries", "max_redirects", "max_cache_age", "strikes", "fail_on",
                                  "duplicates", "include_mail", "include_wikilinks", "skip_missing"}) {
      const CLI::Option* const option = check_.find(key);
      if (option == nullptr || set_.contains(key)) continue;
      std::string value = option->get_default_str();
      if (option->get_items_expected_max() == 0 || value.empty()) value = "false";
      text += comment(option->get_description()) + commented(setting_line(key, {value}, false));
    }
    return text.empty() ? text : comment("Other settings and their defaults:") + text + "\n";
  }

  Migration migration_;
  CheckSettings check_;
  std::set<std::string> set_;
  std::string active_, named_, hosts_;
};

void refuse_existing(const std::string& file, const InitOptions& options) {
  std::error_code error;
  if (options.force || fs::symlink_status(file, error).type() == fs::file_type::not_found) return;
  throw CLI::ValidationError(
      "init", fmt::format("{} exists: use --force to replace it, or --dry-run to print the new file", file));
}

ExitCode write_ci_file(const InitOptions& options, const fs::path& root, const Streams& streams) {
  const CiFile wanted = ci_file(*options.ci);
  if (options.dry_run) {
    streams.out << wanted.text;
    return ExitCode::ok;
  }
  const fs::path file = (root / wanted.path).lexically_normal();
  refuse_existing(file.string(), options);
  if (leads_out(file)) throw CLI::ValidationError("init", fmt::format("{} {}", file.string(), leads_out_message));
  if (file.has_parent_path()) {
    std::error_code error;
    fs::create_directories(file.parent_path(), error);  // a problem is reported below
  }
  require_writable(file.string());
  write_file(file.string(), [&wanted](std::ostream& out) { out << wanted.text; });
  streams.out << reports::escape_for_terminal(fmt::format("Wrote {}. {}", file.string(), wanted.next_step)) << '\n';
  return ExitCode::ok;
}

ExitCode run_init(const InitOptions& options, const Streams& streams) {
  const fs::path root = repository_root().value_or(".");
  if (options.ci) return write_ci_file(options, root, streams);
  const std::string file =
      options.file.empty() ? (root / configuration_file_name).lexically_normal().string() : options.file;
  const bool is_printed = options.dry_run || file == "-";
  if (!is_printed) {
    refuse_existing(file, options);
    require_writable(file);
  }
  Migration migration = read_other_configurations(root);
  const std::vector<std::string> read = migration.files;
  Draft draft(std::move(migration));
  const std::string text = draft.text(root);
  if (text.size() > max_configuration_bytes)
    throw CLI::ValidationError("init", "the settings are too many for one file");
  print_first(draft.notes(), draft.notes().size(), "settings were not imported: see the file", streams);
  if (is_printed) {
    streams.out << text;
    return ExitCode::ok;
  }
  write_file(file, [&text](std::ostream& out) { out << text; });
  streams.out << reports::escape_for_terminal(
                     fmt::format("Wrote {}{}{}", file, read.empty() ? "" : " with settings from ", join(read, ", ")))
              << '\n';
  return ExitCode::ok;
}

}  // namespace

Command add_init_command(CLI::App& app) {
  return add_command<InitOptions>(
      app, "init", "Write linkherd.toml, and import the settings of other link checkers", commands::bare, run_init,
      [](InitOptions& o) -> std::vector<Option> {
        return {
            {"FILE", read_text(o.file), "File to write; - prints it (default: linkherd.toml at the repository root)"},
            {"--ci", read_choice(o.ci, ci_service_names),
             "Write the file that runs linkherd in this CI service instead", any_command, no_traits, excludes("FILE")},
            {"--force", read_flag(o.force), "Replace an existing file"},
            {"--dry-run", read_flag(o.dry_run), "Print the file instead of writing it"}};
      });
}

}  // namespace linkherd::crawler
