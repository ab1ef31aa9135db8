#include "crawler/cli/command_line.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <ios>
#include <memory>
#include <new>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <CLI/Config.hpp>
#include <fmt/format.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "crawler/cli/command.h"
#include "crawler/cli/command_tree.h"
#include "crawler/cli/help_formatter.h"
#include "crawler/cli/options/configuration.h"
#include "crawler/cli/options/list_inputs.h"
#include "crawler/cli/options/option_table.h"
#include "crawler/cli/pdf_process.h"
#include "crawler/cli/process.h"
#include "crawler/cli/usage_errors.h"
#include "parser/utf8.h"
#include "reports/escape.h"

namespace linkherd::crawler {

namespace {

constexpr const char* version_text = "linkherd " LINKHERD_VERSION;

int exit_with(const Streams& streams, ExitCode code, const std::string& why) {
  print_reason(streams, why);
  return static_cast<int>(code);
}

// Returns true if the reader of standard output has closed it, as `head` does.
bool is_stdout_closed() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  return poll(&output, 1, 0) > 0 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

int exit_without_output(const Streams& streams) {
  streams.out.exceptions(std::ios::goodbit);  // std::cerr flushes std::cout, which must not throw again
  if (is_stdout_closed())
    return exit_with(streams, ExitCode::closed_pipe, "standard output was closed before the output was complete");
  return exit_with(streams, ExitCode::could_not_run, "cannot write to standard output: the output is not complete");
}

// Flushes short output; a full disk shows only here.
int finish_output(const Streams& streams, int code) {
  streams.out.flush();
  return streams.out.fail() ? exit_without_output(streams) : code;
}

// Libraries describe resource exhaustion unclearly, so these messages say what to do.
std::string describe_local_exhaustion(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return "out of memory: raise the limit (ulimit -v), or pass fewer inputs at once";
  }
  const auto* system = dynamic_cast<const std::system_error*>(&error);
  if (system != nullptr && system->code() == std::errc::resource_unavailable_try_again) {
    return "cannot start another thread: raise the limit (ulimit -u, ulimit -v), or use fewer with --threads";
  }
  std::string text = error.what();
  if (text.find(std::generic_category().message(EMFILE)) != std::string::npos) {
    text += ": raise the limit (ulimit -n)";
  }
  return text;
}

void set_up(CLI::App& app) {
  app.name("linkherd");
  app.formatter(make_help_formatter());  // CLI11 shares formatters between commands
  app.set_help_flag("-h,--help", "Print help");
  app.set_help_all_flag("--help-all", "Print help with every option");
  app.set_version_flag("-V,--version", version_text, "Print the version");
  app.require_subcommand(0, 1);  // the help is shown without a command
  app.footer(
      "Exit codes: 0 fine, 1 could not run, 2 broken links, 3 bad option or configuration, 4 inconclusive, "
      "129/130/143 interrupted. The last line on stderr says why.");
}

std::string refuse_empty(const std::string& text) {
  return text.empty() ? "the value is empty: give a value, or omit the option" : std::string();
}

// Applies rules that hold for every option. A repeatable option takes one value each time, because the next word may be
// an INPUT. Empty values are rejected, because they usually come from an unset variable.
void apply_common_rules(CLI::App& command) {
  for (CLI::Option* option : command.get_options()) {
    if (option->get_positional()) continue;
    option->allow_extra_args(false);
    if (option->get_items_expected_max() > 0) option->check(refuse_empty);
  }
}

// CLI11 reads "--output= list.md" as "--output list.md", and "--flag=" as "--flag".
void refuse_missing_values(const std::vector<std::string>& words) {
  for (const std::string& argument : words) {
    if (argument == "--") return;
    if (!argument.starts_with("--") || argument.find('=') != argument.size() - 1) continue;
    throw CLI::ValidationError(argument.substr(0, argument.size() - 1),
                               "the value after the = is missing: give one, or omit the option");
  }
}

// Returns what is wrong with the words, or an empty string. A shell expands *.md to file names. A file called
// "-cevil.md" would name a configuration, which may run programs.
std::string find_file_named_like_option(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "--") break;
    std::error_code error;
    const bool is_option = word.size() > 1 && word.front() == '-';
    if (!is_option || !std::filesystem::exists(std::filesystem::symlink_status(word, error))) continue;
    return fmt::format("{0} looks like an option but is the name of a file: write -- before file names, or ./{0}",
                       to_valid_utf8(word));
  }
  return {};
}

// Returns true if the word after this option is its value.
bool takes_next_word(const std::string& word, const std::vector<Command>& commands) {
  if (word.find('=') != std::string::npos) return false;
  const auto takes_value = [&commands](const std::string& name) {
    return std::ranges::any_of(commands, [&name](const Command& command) {
      const CLI::Option* option = command.app->get_option_no_throw(name);
      return option != nullptr && option->get_items_expected_max() > 0;
    });
  };
  if (word.starts_with("--")) return takes_value(word);
  // "-qo": the next word is the value of the last option; "-ofile" contains its value
  for (std::size_t i = 1; i < word.size(); ++i) {
    if (takes_value({'-', word[i]})) return i + 1 == word.size();
  }
  return false;
}

// Moves the command to the front, because CLI11 requires it to be the first word. Options may precede it. If an input
// is in its place, the command is `check`.
std::vector<std::string> with_command_first(std::vector<std::string> words, const CLI::App& app,
                                            const std::vector<Command>& commands) {
  std::size_t at = 0;
  while (at < words.size() && words[at].starts_with('-') && words[at].size() > 1 && words[at] != "--") {
    if (words[at] == "-V" || words[at] == "--version") return words;
    at += takes_next_word(words[at], commands) ? 2U : 1U;
  }
  if (at >= words.size()) return words;
  const std::vector<const CLI::App*> known = list_subcommands(app);
  const auto is_word = [&word = words[at]](const CLI::App* each) { return each->get_name() == word; };
  const auto named = std::ranges::find_if(known, is_word);
  if (words[at] == "--" || (named == known.end() && can_be_input(words[at]))) {
    words.insert(words.begin(), "check");
    return words;
  }
  const bool is_group = named != known.end() && !list_subcommands(**named).empty();  // the next word is the subcommand
  const auto command = words.begin() + static_cast<std::ptrdiff_t>(at);
  const auto end = std::min(command + (is_group ? 2 : 1), words.end());
  std::rotate(words.begin(), command, end);
  return words;
}

// Logs the end of the command; only its begin and end have the level trace. Flushes the log file, so that write errors
// show before the process ends.
struct FinishLog {
  std::string command;
  std::optional<ExitCode> code = std::nullopt;  // nullopt: the command failed

  explicit FinishLog(std::string name) : command(std::move(name)) {}
  ~FinishLog() {
    const std::string how = code ? fmt::format("with exit code {}", static_cast<int>(*code)) : "with an error";
    spdlog::trace(fmt::format("linkherd {} ends {}", command, how));
    spdlog::default_logger()->flush();
  }
  FinishLog(const FinishLog&) = delete;
  FinishLog& operator=(const FinishLog&) = delete;
};

// CLI::App::help() would print the help of the chosen command, which may be `help` itself.
void print_help(const CLI::App& app, const CLI::App& subject, CLI::AppFormatMode mode, std::ostream& out) {
  const std::string name = full_name(subject);
  out << app.get_formatter()->make_help(&subject, name.empty() ? "linkherd" : "linkherd " + name, mode);
}

ExitCode run_chosen(CLI::App& app, const std::vector<Command>& commands, const Streams& streams) {
  const CLI::App& chosen = chosen_command(app);
  if (!list_subcommands(chosen).empty()) {
    print_help(app, chosen, CLI::AppFormatMode::Normal, streams.out);
    return ExitCode::ok;
  }
  const auto command = std::ranges::find(commands, &chosen, &Command::app);
  if (command->app->get_option_no_throw("--config") == nullptr) return command->run(streams);  // help or version
  std::vector<CLI::App*> apps;
  apps.reserve(commands.size());
  for (const Command& each : commands) apps.push_back(each.app);
  const std::vector<std::string> files = apply_configuration(*command->app, apps);
  if (command->app->count("--verbose") > 0) {
    for (const std::string& file : files) print_reason(streams, "reading settings from " + file);
  }
  FinishLog log(full_name(chosen));
  log.code = command->run(streams);
  return *log.code;
}

struct HelpOptions : CheckOptions {
  std::vector<std::string> command;
  bool all = false;
};

Command add_help_command(CLI::App& app) {
  const auto run = [&app](const HelpOptions& o, const Streams& streams) {
    const auto mode = o.all ? CLI::AppFormatMode::All : CLI::AppFormatMode::Normal;
    print_help(app, find_command(app, o.command), mode, streams.out);
    return ExitCode::ok;
  };
  return add_command<HelpOptions>(
      app, "help", "Show help for linkherd or for one command", commands::bare, run,
      [](HelpOptions& o) -> std::vector<Option> {
        return {{"COMMAND", read_text(o.command, ""), "The command, such as check or store verify"},
                {"--all", read_flag(o.all), "Show every option"}};
      });
}

Command add_version_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("version", "Print the version");
  return {command, [](const Streams& streams) {
            streams.out << version_text << '\n';
            return ExitCode::ok;
          }};
}

}  // namespace

void print_reason(const Streams& streams, const std::string& why) {
  streams.last_reason = reports::escape_message(why);
  streams.err << "linkherd: " << streams.last_reason << '\n';
}

namespace {

CLI::App& add_command_group(CLI::App& app, const std::string& name, const std::string& description) {
  CLI::App* const group = app.add_subcommand(name, description);
  group->require_subcommand(0, 1);  // the help is shown without a command
  return *group;
}

}  // namespace

std::vector<Command> add_commands(CLI::App& app) {
  app.option_defaults()->configurable(false);  // inherited by the commands
  std::vector<Command> commands;
  const auto add = [&commands](const char* group, std::vector<Command> added) {
    for (Command& command : added) {
      command.app->group(group);
      apply_common_rules(*command.app);
      commands.push_back(std::move(command));
    }
  };
  add("Check", {add_check_command(app)});
  add("Report", {add_report_command(app), add_history_command(app), add_runs_command(app), add_export_command(app)});
  add("Repair", {add_fix_command(app), add_accept_command(app)});
  add("Inspect", {add_links_command(app), add_url_command(app), add_metadata_command(app), add_rules_command(app)});
  CLI::App& store =
      add_command_group(app, "store", "Maintain the store: info, verify, compact, backup, restore, merge, forget");
  store.group("Store");
  add("Commands",
      {add_info_command(store), add_verify_command(store), add_compact_command(store), add_backup_command(store),
       add_restore_command(store), add_merge_command(store), add_forget_command(store)});
  CLI::App& broker = add_command_group(app, "broker", "Distribute the work over several machines through RabbitMQ");
  broker.group("Several machines");
  add("Commands",
      {add_plan_command(broker), add_worker_command(broker), add_collect_command(broker), add_status_command(broker)});
  add("Set-up", {add_init_command(app), add_schema_command(app), add_completions_command(app), add_man_command(app),
                 add_help_command(app), add_version_command(app)});
  return commands;
}

namespace {

// Adds an annotation if a step of GitHub Actions could not do its work. The log alone would hide that.
void annotate_for_github(const Streams& streams, int code) {
  const bool is_failure =
      code == static_cast<int>(ExitCode::could_not_run) || code == static_cast<int>(ExitCode::bad_usage);
  if (!is_failure || streams.has_github_annotation || streams.last_reason.empty()) return;
  if (environment_variable("GITHUB_ACTIONS") != "true") return;
  streams.err << "::error title=linkherd::" << reports::escape_for_command(streams.last_reason) << '\n';
}

int run_arguments(int argc, const char* const* argv, const Streams& streams) {
  CLI::App app("Check the links in your lists and documents, and keep a history of the results");
  set_up(app);
  const std::vector<Command> commands = add_commands(app);
  const std::string named_like_option = find_file_named_like_option({argv + 1, argv + std::max(argc, 1)});
  if (!named_like_option.empty()) return exit_with(streams, ExitCode::bad_usage, named_like_option);
  const std::vector<std::string> words = with_command_first({argv + 1, argv + std::max(argc, 1)}, app, commands);
  try {
    try {
      app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 expects the words in reverse order
      refuse_missing_values(words);
      return finish_output(streams, static_cast<int>(run_chosen(app, commands, streams)));
    } catch (const CLI::Success& help) {  // --help or --version
      return finish_output(streams, app.exit(help, streams.out, streams.err));
    }
  } catch (const std::ios_base::failure&) {  // only standard output throws these
    return exit_without_output(streams);
  } catch (const ConfigurationErrors& errors) {
    for (const std::string& line : errors.lines()) print_reason(streams, line);
    return static_cast<int>(ExitCode::bad_usage);
  } catch (const CLI::ParseError& error) {
    return exit_with(streams, ExitCode::bad_usage, usage_error(app, error, words));
  } catch (const std::exception& error) {  // InputError, StoreError, or a failure of the machine
    return exit_with(streams, ExitCode::could_not_run, describe_local_exhaustion(error));
  }
}

}  // namespace

int run_command_line(int argc, const char* const* argv, const Streams& streams) {
  if (is_pdf_process(argc, argv)) return run_pdf_process(argv, streams);
  const int code = run_arguments(argc, argv, streams);
  annotate_for_github(streams, code);
  return code;
}

}  // namespace linkherd::crawler
