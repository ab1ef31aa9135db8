// `linkherd completions`: writes completion scripts for shells, generated from the table of commands and options.
#include <algorithm>
#include <array>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "crawler/cli/command.h"
#include "crawler/cli/command_tree.h"
#include "crawler/cli/options/option_table.h"
#include "parser/join.h"

namespace linkherd::crawler {
namespace {

enum class Shell : std::uint8_t { bash, zsh, fish };
constexpr std::array<EnumName<Shell>, 3> shell_names{
    {{Shell::bash, "bash"}, {Shell::zsh, "zsh"}, {Shell::fish, "fish"}}};

// The kind of value that an option or argument accepts.
enum class ValueKind : std::uint8_t { other, words, list_of_words, file, folder, run, run_or_last };

struct CompletedValue {
  ValueKind kind = ValueKind::other;
  std::vector<std::string> words;  // for `words` and `list_of_words`
};

constexpr std::string_view runs_command =
    R"(linkherd runs --quiet 2>/dev/null | sed -n 's/^ *\([0-9]*\)  [0-9]*-.*/\1/p')";

std::vector<std::string> list_words(const CLI::Option& option) {
  const std::string& text = option.get_option_text();
  std::vector<std::string> words;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(", ");
    words.emplace_back(rest.substr(0, comma));
    if (words.back().find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") != std::string::npos) return {};
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 2);
  }
  return words;
}

CompletedValue value_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (std::vector<std::string> words = list_words(option); !words.empty())
    return {type.ends_with(",...") ? ValueKind::list_of_words : ValueKind::words, std::move(words)};
  if (option.check_lname("run")) return {ValueKind::run, {}};
  if (option.check_lname("since")) return {ValueKind::run_or_last, {}};
  const std::string& argument = option.get_name(true);
  if (type == "DIR" || argument == "DIR") return {ValueKind::folder, {}};
  if (type.ends_with("FILE") || argument == "FILE" || argument == "INPUT" || argument == "STORE")
    return {ValueKind::file, {}};
  return {};
}

std::vector<std::string> spellings_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back('-' + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

std::vector<const CLI::Option*> options_of(const CLI::App& command) {
  return command.get_options(
      [](const CLI::Option* option) { return !option->get_positional() && !option->get_group().empty(); });
}

std::vector<std::string> list_subcommand_names(const CLI::App& app) {
  const std::vector<const CLI::App*> commands = list_subcommands(app);
  std::vector<std::string> names(commands.size());
  std::ranges::transform(commands, names.begin(), [](const CLI::App* command) { return command->get_name(); });
  return names;
}

// Returns the commands with subcommands.
std::vector<const CLI::App*> groups_of(const CLI::App& app) {
  std::vector<const CLI::App*> groups = list_subcommands(app);
  std::erase_if(groups, [](const CLI::App* command) { return list_subcommands(*command).empty(); });
  return groups;
}

// Returns the name of a command in the scripts, such as "store-verify".
std::string script_name(const CLI::App& command) {
  std::string name = full_name(command);
  std::ranges::replace(name, ' ', '-');
  return name;
}

const CLI::Option* argument_of(const CLI::App& command) {
  const std::vector<const CLI::Option*> all =
      command.get_options([](const CLI::Option* option) { return option->get_positional(); });
  return all.empty() ? nullptr : all.front();
}

// Returns the kind of a command's argument. The argument of `help` and `man` is a command.
CompletedValue argument_value(const CLI::App& app, const CLI::App& command) {
  const CLI::Option* const argument = argument_of(command);
  if (argument == nullptr) return {};
  if (argument->get_name() == "COMMAND") return {ValueKind::words, list_subcommand_names(app)};
  return value_of(*argument);
}

// --- bash

std::string bash_completion(const CompletedValue& value) {
  switch (value.kind) {
    case ValueKind::words: return fmt::format("_linkherd_words '{}'", join(value.words, " "));
    case ValueKind::list_of_words: return fmt::format("_linkherd_list '{}'", join(value.words, " "));
    case ValueKind::file: return "_linkherd_files -f";
    case ValueKind::folder: return "_linkherd_files -d";
    case ValueKind::run: return fmt::format("_linkherd_words \"$({})\"", runs_command);
    case ValueKind::run_or_last: return fmt::format("_linkherd_words \"last $({})\"", runs_command);
    case ValueKind::other: break;
  }
  return ":";
}

void write_bash(std::ostream& out, const CLI::App& app) {
  out << R"(# bash completion for linkherd
_linkherd_words() { COMPREPLY=($(compgen -W "$1" -- "$cur")); }
_linkherd_list() {
  local before=
  [[ $cur == *,* ]] && before=${cur%,*},
  COMPREPLY=($(compgen -P "$before" -W "$1" -- "${cur##*,}"))
  compopt -o nospace
}
_linkherd_files() {
  compopt -o filenames 2>/dev/null
  local IFS=$'\n'
  COMPREPLY=($(compgen "$1" -- "$cur"))
}
_linkherd() {
  local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= i
  COMPREPLY=()
  if [[ $cur == = ]]; then
    cur=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case $command:${COMP_WORDS[i]} in
)";
  out << fmt::format("      :{}) command=${{COMP_WORDS[i]}} ;;\n", join(list_subcommand_names(app), "|:"));
  for (const CLI::App* group : groups_of(app)) {
    const std::string& name = group->get_name();
    out << fmt::format("      {0}:{1}) command={0}-${{COMP_WORDS[i]}} ;;\n", name,
                       join(list_subcommand_names(*group), fmt::format("|{}:", name)));
  }
  out << "    esac\n  done\n  case $command:$before in\n";
  for (const CLI::App* command : leaf_commands(app)) {
    for (const CLI::Option* option : options_of(*command)) {
      if (!takes_value(*option)) continue;
      std::vector<std::string> patterns = spellings_of(*option);
      for (std::string& pattern : patterns) pattern = fmt::format("{}:{}", script_name(*command), pattern);
      out << fmt::format("    {}) {}; return ;;\n", join(patterns, "|"), bash_completion(value_of(*option)));
    }
  }
  out << "  esac\n  case $command:$cur in\n";
  for (const CLI::App* group : groups_of(app)) {
    out << fmt::format("    {}:*) _linkherd_words '{}' ;;\n", group->get_name(),
                       join(list_subcommand_names(*group), " "));
  }
  for (const CLI::App* command : leaf_commands(app)) {
    std::vector<std::string> names;
    for (const CLI::Option* option : options_of(*command)) {
      for (std::string& name : spellings_of(*option)) names.push_back(std::move(name));
    }
    out << fmt::format("    {}:-*) _linkherd_words '{}' ;;\n", script_name(*command), join(names, " "));
    out << fmt::format("    {}:*) {} ;;\n", script_name(*command), bash_completion(argument_value(app, *command)));
  }
  // An input in the place of the command means `check`.
  out << fmt::format("    :*) _linkherd_words '{}'; ((${{#COMPREPLY[@]}})) || _linkherd_files -f ;;\n",
                     join(list_subcommand_names(app), " "));
  out << "  esac\n}\ncomplete -F _linkherd linkherd\n";
}

// --- zsh

// Escapes a text for single quotes in a specification of _arguments.
std::string zsh_text(std::string_view text) {
  std::string quoted;
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted;
}

std::string zsh_completion(const CompletedValue& value) {
  switch (value.kind) {
    case ValueKind::words: return fmt::format("({})", join(value.words, " "));
    case ValueKind::list_of_words: return fmt::format("_sequence compadd - {}", join(value.words, " "));
    case ValueKind::file: return "_files";
    case ValueKind::folder: return "_files -/";
    case ValueKind::run: return "_linkherd_runs";
    case ValueKind::run_or_last: return "_linkherd_runs last";
    case ValueKind::other: break;
  }
  return " ";
}

// Returns the specification of one option, such as '(-f --format)'{-f,--format}'[description]:NAME:(text json)'.
std::string zsh_option(const CLI::Option& option) {
  const std::vector<std::string> names = spellings_of(option);
  const bool repeats = option.get_items_expected_max() > 1 || !takes_value(option);
  std::string text = repeats ? "'*'" : fmt::format("'({})'", join(names, " "));
  text += names.size() == 1 ? names.front() : fmt::format("{{{}}}", join(names, ","));
  text += fmt::format("'[{}]", zsh_text(option.get_description()));
  if (takes_value(option))
    text += fmt::format(":{}:{}", zsh_text(option.get_type_name()), zsh_completion(value_of(option)));
  return text + '\'';
}

void write_zsh_arguments(std::ostream& out, const CLI::App& app, const CLI::App& command) {
  out << "_arguments -s";
  for (const CLI::Option* option : options_of(command)) out << " \\\n        " << zsh_option(*option);
  if (const CLI::Option* const argument = argument_of(command)) {
    out << fmt::format(" \\\n        '*:{}:{}'", zsh_text(argument->get_name()),
                       zsh_completion(argument_value(app, command)));
  }
  out << "\n      ;;\n";
}

// Writes a function that completes the subcommands of `parent` and their arguments. Each group gets its own function.
void write_zsh_commands(std::ostream& out, const CLI::App& app, const CLI::App& parent, const std::string& function) {
  const bool is_root = parent.get_parent() == nullptr;
  out << function << "() {\n  local state line\n  local -a commands=(\n";
  for (const CLI::App* command : list_subcommands(parent))
    out << fmt::format("    '{}:{}'\n", command->get_name(), zsh_text(command->get_description()));
  out << "  )\n  _arguments -C '1:command:->command' '*::argument:->argument'\n"
         "  if [[ $state == command ]]; then\n    _describe command commands"
      << (is_root ? " || _files" : "") << "\n    return\n  fi\n  case $words[1] in\n";
  for (const CLI::App* command : list_subcommands(parent)) {
    out << fmt::format("    {})\n      ", command->get_name());
    if (list_subcommands(*command).empty()) {
      write_zsh_arguments(out, app, *command);
    } else {
      out << "_linkherd_" << script_name(*command) << "\n      ;;\n";
    }
  }
  out << "  esac\n}\n\n";
}

void write_zsh(std::ostream& out, const CLI::App& app) {
  out << "#compdef linkherd\n\n_linkherd_runs() { compadd \"$@\" $(" << runs_command << ") }\n\n";
  for (const CLI::App* group : groups_of(app)) write_zsh_commands(out, app, *group, "_linkherd_" + script_name(*group));
  write_zsh_commands(out, app, app, "_linkherd");
  out << "if [[ $funcstack[1] == _linkherd ]]; then\n  _linkherd \"$@\"\nelse\n  compdef _linkherd linkherd\nfi\n";
}

// --- fish

std::string fish_text(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '\'';
}

std::string fish_completion(const CompletedValue& value) {
  switch (value.kind) {
    case ValueKind::words: return fmt::format("-x -a {}", fish_text(join(value.words, " ")));
    case ValueKind::list_of_words: return fmt::format("-x -a '(__fish_append , {})'", join(value.words, " "));
    case ValueKind::file: return "-r -F";
    case ValueKind::folder: return "-x -a '(__fish_complete_directories)'";
    case ValueKind::run: return "-x -a '(__linkherd_runs)'";
    case ValueKind::run_or_last: return "-x -a 'last (__linkherd_runs)'";
    case ValueKind::other: break;
  }
  return "-x";
}

void write_fish(std::ostream& out, const CLI::App& app) {
  out << "# fish completion for linkherd\nfunction __linkherd_runs\n  " << runs_command << "\nend\n\n";
  for (const CLI::App* command : list_subcommands(app)) {
    out << fmt::format("complete -c linkherd -n __fish_use_subcommand -a {} -d {}\n", command->get_name(),
                       fish_text(command->get_description()));
  }
  for (const CLI::App* group : groups_of(app)) {
    for (const CLI::App* command : list_subcommands(*group)) {
      out << fmt::format(
          "complete -c linkherd -f -n '__fish_seen_subcommand_from {}; and not __fish_seen_subcommand_from {}' -a {} "
          "-d {}\n",
          group->get_name(), join(list_subcommand_names(*group), " "), command->get_name(),
          fish_text(command->get_description()));
    }
  }
  for (const CLI::App* command : leaf_commands(app)) {
    const bool is_below_group = command->get_parent()->get_parent() != nullptr;
    const std::string above =
        is_below_group ? fmt::format("__fish_seen_subcommand_from {}; and ", command->get_parent()->get_name())
                       : std::string();
    const std::string begin =
        fmt::format("complete -c linkherd -n '{}__fish_seen_subcommand_from {}'", above, command->get_name());
    for (const CLI::Option* option : options_of(*command)) {
      out << begin;
      for (const std::string& name : option->get_snames()) out << " -s " << name;
      for (const std::string& name : option->get_lnames()) out << " -l " << name;
      if (takes_value(*option)) out << ' ' << fish_completion(value_of(*option));
      out << " -d " << fish_text(option->get_description()) << '\n';
    }
    const CompletedValue argument = argument_value(app, *command);
    if (argument.kind != ValueKind::file) {
      const bool has_words = argument.kind == ValueKind::words;
      out << begin << (has_words ? " -f -a " + fish_text(join(argument.words, " ")) : " -f") << '\n';
    }
  }
}

struct CompletionsOptions : CheckOptions {
  Shell shell = Shell::bash;
};

}  // namespace

Command add_completions_command(CLI::App& app) {
  return add_command<CompletionsOptions>(
      app, "completions", "Print a completion script for a shell", commands::other,
      [&app](const CompletionsOptions& o, const Streams& streams) {
        switch (o.shell) {
          case Shell::bash: write_bash(streams.out, app); break;
          case Shell::zsh: write_zsh(streams.out, app); break;
          case Shell::fish: write_fish(streams.out, app); break;
        }
        return ExitCode::ok;
      },
      [](CompletionsOptions& o) -> std::vector<Option> {
        return {{"SHELL", read_choice(o.shell, shell_names), "Shell", any_command, required}};
      });
}

}  // namespace linkherd::crawler
