#include "crawler/commands/command_line.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <ios>
#include <new>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "crawler/commands/command.h"
#include "crawler/commands/configuration.h"
#include "crawler/commands/option_types.h"
#include "crawler/commands/pdf_process.h"
#include "reports/escape.h"

namespace linkherd::crawler {

namespace {

// Options of lychee that linkherd does not have. Each is rejected with the name of the equivalent.
struct Refusal {
  std::string_view option;
  std::string_view instead;
};

constexpr std::array<Refusal, 19> refusals{{
    {"--accept", "linkherd tells refusals from dead links by itself; choose what fails the run with --fail-on"},
    {"-a", "linkherd tells refusals from dead links by itself; choose what fails the run with --fail-on"},
    {"--accept-timeouts", "timeouts do not fail a run unless --fail-on names unreachable"},
    {"--archive", "--suggest asks the Internet Archive, or the archive that --archive-url names"},
    {"--cache", "the store always remembers; --no-store turns it off"},
    {"--cache-exclude-status", "only what was alive is taken from the store"},
    {"--dump", "use `linkherd links`"},
    {"--dump-inputs", "use `linkherd links`, which names the file of each link"},
    {"--exclude-all-private", "private addresses are never fetched unless --allow-private is given"},
    {"-E", "private addresses are never fetched unless --allow-private is given"},
    {"--exclude-private", "private addresses are never fetched unless --allow-private is given"},
    {"--exclude-link-local", "private addresses are never fetched unless --allow-private is given"},
    {"--exclude-loopback", "private addresses are never fetched unless --allow-private is given"},
    {"--generate", "see linkherd --help-all"},
    {"--github-token", "GitHub pages are fetched as anybody would"},
    {"--host-stats", "use -v, or --format json"},
    {"--mode", "use --color"},
    {"--preprocess", "pipe the text in: `your-command | linkherd check -`"},
    {"-p", "pipe the text in: `your-command | linkherd check -`"},
}};

// Returns the error message if `argument` is such an option.
std::optional<std::string> refuse_lychee_option(std::string_view argument) {
  const std::string_view name = argument.substr(0, argument.find('='));
  const auto* found = std::ranges::find(refusals, name, &Refusal::option);
  if (found == refusals.end()) return std::nullopt;
  return std::string(name) + " is no option of linkherd: " + std::string(found->instead);
}

// --help shows common options, --help-all shows all.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    all_ = mode == CLI::AppFormatMode::All;
    return CLI::Formatter::make_help(app, std::move(name), CLI::AppFormatMode::Normal);
  }
  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    if (group == rare_options && !all_) return {};
    return CLI::Formatter::make_group(std::move(group), is_positional, std::move(options));
  }

 private:
  mutable bool all_ = false;
};

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
  if (is_stdout_closed()) return exit_with(streams, ExitCode::closed_pipe, "standard output was closed before its end");
  return exit_with(streams, ExitCode::could_not_run, "cannot write to standard output: the output is not complete");
}

// Flushes short output; a full disk shows only here.
int finish_output(const Streams& streams, int code) {
  streams.out.flush();
  return streams.out.fail() ? exit_without_output(streams) : code;
}

// Messages of libraries about resource exhaustion are unclear, so these say what to do.
std::string local_exhaustion_words(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return "the memory is used up: allow more (ulimit -v), or give fewer lists at once";
  }
  const auto* system = dynamic_cast<const std::system_error*>(&error);
  if (system != nullptr && system->code() == std::errc::resource_unavailable_try_again) {
    return "cannot start another thread: allow more (ulimit -u, ulimit -v), or use fewer with --threads";
  }
  std::string text = error.what();
  if (text.find(std::generic_category().message(EMFILE)) != std::string::npos) {
    text += ": allow more (ulimit -n)";
  }
  return text;
}

// Reduces a message of CLI11, which may have several lines, to one line with what is wrong and what to do.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error, int argc, const char* const* argv) {
  if (argc > 1 && *argv[1] != '-' && app.get_subcommands().empty()) {
    return fmt::format("there is no command {} (see linkherd --help)", argv[1]);
  }
  for (int i = 1; i < argc; ++i) {
    if (const auto refusal = refuse_lychee_option(argv[i])) return *refusal;
  }
  std::string message = error.what();
  std::ranges::replace(message, '\n', ' ');
  return message + " (see linkherd --help)";
}

void set_up(CLI::App& app) {
  app.name("linkherd");
  app.formatter(std::make_shared<HelpFormatter>());  // CLI11 shares formatters between commands
  app.set_help_all_flag("--help-all", "Print this help message with every option, and exit");
  app.set_version_flag("-V,--version", "linkherd " LINKHERD_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 fine, 1 could not run, 2 broken links, 3 bad option or configuration, 4 inconclusive,\n"
      "129/130/143 interrupted. The last line on stderr says why.");
}

std::string refuse_empty(const std::string& text) {
  return text.empty() ? "an empty value means nothing here: leave the option out" : std::string();
}

// Rules for every option. An option that may be given several times takes one value each time: what follows is an
// INPUT. Empty values are rejected, because they usually come from an unset variable.
void apply_common_rules(CLI::App& command) {
  for (CLI::Option* option : command.get_options()) {
    if (option->get_positional()) continue;
    option->allow_extra_args(false);
    if (option->get_items_expected_max() > 0) option->check(refuse_empty);
  }
}

// CLI11 reads "--output= list.md" as "--output list.md", and "--flag=" as "--flag".
void refuse_missing_values(int argc, const char* const* argv) {
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    const std::string_view argument = argv[i];
    if (!argument.starts_with("--") || argument.find('=') != argument.size() - 1) continue;
    throw CLI::ValidationError(std::string(argument.substr(0, argument.size() - 1)),
                               "there is no value behind the =: give one, or leave the option out");
  }
}

// Flushes the log, so that write errors show before the process ends.
struct FinishLog {
  FinishLog() = default;
  ~FinishLog() { spdlog::default_logger()->flush(); }
  FinishLog(const FinishLog&) = delete;
  FinishLog& operator=(const FinishLog&) = delete;
};

ExitCode run_chosen(CLI::App& app, const std::vector<Command>& commands, const Streams& streams) {
  const CLI::App* chosen = app.get_subcommands().front();
  const auto command = std::ranges::find(commands, chosen, &Command::app);
  std::vector<CLI::App*> apps;
  apps.reserve(commands.size());
  for (const Command& each : commands) apps.push_back(each.app);
  const std::vector<std::string> files = apply_configuration(*command->app, apps);
  if (command->app->count("--verbose") > 0) {
    for (const std::string& file : files) print_reason(streams, "settings are read from " + file);
  }
  const FinishLog at_the_end;
  return command->run(streams);
}

}  // namespace

void print_reason(const Streams& streams, const std::string& why) {
  streams.err << "linkherd: " << reports::escape_message(why) << '\n';
}

std::vector<Command> add_commands(CLI::App& app) {
  app.option_defaults()->configurable(false);  // inherited by the commands
  std::vector<Command> commands{add_check_command(app),    add_links_command(app),   add_url_command(app),
                                add_metadata_command(app), add_report_command(app),  add_history_command(app),
                                add_export_command(app),   add_show_command(app),    add_runs_command(app),
                                add_store_command(app),    add_compact_command(app), add_forget_command(app),
                                add_verify_command(app),   add_backup_command(app),  add_restore_command(app),
                                add_merge_command(app),    add_rules_command(app),   add_accept_command(app)};
  for (const Command& command : commands) apply_common_rules(*command.app);
  return commands;
}

int run_command_line(int argc, const char* const* argv, const Streams& streams) {
  if (is_pdf_process(argc, argv)) return run_pdf_process(argv, streams);
  CLI::App app("Checks the links of your lists, and remembers what is behind them.");
  set_up(app);
  const std::vector<Command> commands = add_commands(app);
  try {
    try {
      app.parse(argc, argv);
      refuse_missing_values(argc, argv);
      return finish_output(streams, static_cast<int>(run_chosen(app, commands, streams)));
    } catch (const CLI::Success& help) {  // --help, --version
      return finish_output(streams, app.exit(help, streams.out, streams.err));
    }
  } catch (const std::ios_base::failure&) {  // only standard output throws these
    return exit_without_output(streams);
  } catch (const CLI::ParseError& error) {
    return exit_with(streams, ExitCode::bad_usage, usage_error(app, error, argc, argv));
  } catch (const std::exception& error) {  // InputError, StoreError, and failures of the machine
    return exit_with(streams, ExitCode::could_not_run, local_exhaustion_words(error));
  }
}

}  // namespace linkherd::crawler
