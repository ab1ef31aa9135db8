// `linkherd man`: writes manual pages in mdoc(7), generated from the table of commands and options.
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "crawler/cli/command.h"
#include "crawler/cli/command_examples.h"
#include "crawler/cli/command_tree.h"
#include "crawler/cli/help_formatter.h"
#include "crawler/cli/options/option_table.h"
#include "reports/text_writer.h"

namespace linkherd::crawler {
namespace {

std::string escape_roff(std::string_view text) {
  std::string escaped;
  for (const char c : text) escaped += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  return escaped;
}

// Quotes an argument of a macro.
std::string macro_argument(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : escape_roff(text)) quoted += c == '"' ? "\\(dq" : std::string(1, c);
  return quoted + '"';
}

// Returns the position after the first sentence of a text. A full stop after a word ends a sentence; those of "..." do
// not.
std::size_t end_of_sentence(std::string_view text) {
  for (std::size_t end = text.find(". "); end != std::string_view::npos; end = text.find(". ", end + 1))
    if (end > 0 && text[end - 1] != '.' && text[end - 1] != ' ') return end + 1;
  return text.size();
}

// Formats running text. Every sentence begins a new line, because roff puts more space after a full stop at the end of
// a line. No line can be mistaken for a macro.
std::string running_text(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = end_of_sentence(text);
    constexpr std::size_t columns = 78;
    std::string sentence;
    for (const std::string& line : reports::wrapped(escape_roff(text.substr(0, end)), columns, columns)) {
      if (!sentence.empty()) sentence += sentence.ends_with('.') ? "\\&\n" : "\n";
      if (line.starts_with('.') || line.starts_with('\'')) sentence += "\\&";
      sentence += line;
    }
    lines += sentence + '\n';
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return lines;
}

std::string page_name(const CLI::App& command) {
  std::string name = "linkherd " + full_name(command);
  std::ranges::replace(name, ' ', '-');
  return name;
}

void write_beginning(std::ostream& out, const std::string& name, std::string_view description) {
  std::string title = name;
  std::ranges::transform(title, title.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  std::string summary(description);  // does not begin a sentence, because it follows the name
  if (!summary.empty()) summary[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(summary[0])));
  out << fmt::format(".Dd " LINKHERD_RELEASE_DATE "\n.Dt {} 1\n.Os linkherd " LINKHERD_VERSION
                     "\n.Sh NAME\n.Nm {}\n.Nd {}\n.Sh SYNOPSIS\n",
                     title, name, macro_argument(summary));
}

void write_option(std::ostream& out, const CLI::Option& option) {
  out << ".It";
  const char* separator = "";
  for (const std::string& name : option.get_snames()) {
    out << separator << " Fl " << name;
    separator = " ,";
  }
  for (const std::string& name : option.get_lnames()) {
    out << separator << " Fl " << macro_argument("-" + name);
    separator = " ,";
  }
  if (option.get_type_size() != 0) out << " Ar " << macro_argument(option.get_type_name());
  out << '\n' << running_text(describe_option(option, true));
}

void write_arguments(std::ostream& out, const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    out << ".It Ar " << macro_argument(option->get_name(true)) << '\n' << running_text(describe_option(*option, true));
  }
}

void write_examples(std::ostream& out, const CLI::App& command) {
  const std::vector<CommandExample> examples = examples_of(full_name(command));
  if (examples.empty()) return;
  out << ".Ss Examples\n.Bl -tag -width Ds\n";
  for (const CommandExample& example : examples)
    out << ".It Li " << macro_argument(example.line) << '\n' << running_text(example.purpose + '.');
  out << ".El\n";
}

void write_options(std::ostream& out, const CLI::App& command) {
  for (const std::string_view group : option_group_names()) {
    const std::vector<const CLI::Option*> options = options_in(command, group);
    if (options.empty()) continue;
    out << ".Ss " << group << "\n.Bl -tag -width Ds\n";
    for (const CLI::Option* option : options) write_option(out, *option);
    out << ".El\n";
  }
}

void write_exit_codes(std::ostream& out) {
  out << R"(.Sh EXIT STATUS
.Bl -tag -width Ds -compact
.It 0
Fine.
.It 1
The command could not run or could not be completed.
.It 2
At least one link is in a state that
.Fl "\-fail\-on"
lists.
.It 3
A bad option or configuration.
.It 4
The result is inconclusive, for example because the network failed.
.It 129, 130, 143
Ended by a signal.
.El
)";
}

void write_command_page(std::ostream& out, const CLI::App& command) {
  write_beginning(out, page_name(command), command.get_description());
  out << ".Nm linkherd " << full_name(command) << "\n.Op Ar OPTIONS\n";
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    out << (option->get_required() ? ".Ar " : ".Op Ar ") << macro_argument(option->get_name(true))
        << (option->get_expected_max() > 1 ? " ...\n" : "\n");
  }
  out << ".Sh DESCRIPTION\n" << running_text(command.get_description() + '.');
  write_examples(out, command);
  const auto is_argument = [](const CLI::Option* option) { return option->get_positional(); };
  if (!command.get_options(is_argument).empty()) {
    out << ".Ss Arguments\n.Bl -tag -width Ds\n";
    write_arguments(out, command);
    out << ".El\n";
  }
  for (const CLI::App* below : list_subcommands(command))
    out << ".Pp\n.Xr " << page_name(*below) << " 1:\n" << running_text(below->get_description() + '.');
  if (list_subcommands(command).empty()) out << ".Sh OPTIONS\n";
  write_options(out, command);
  write_exit_codes(out);
  out << ".Sh SEE ALSO\n.Xr linkherd 1\n";
}

void write_program_page(std::ostream& out, const CLI::App& app) {
  write_beginning(out, "linkherd", "check the links in lists and documents, and keep a history of the results");
  out << ".Nm\n.Ar COMMAND\n.Op Ar OPTIONS\n.Op Ar INPUT ...\n";
  out << ".Sh DESCRIPTION\n" << running_text(app.get_description() + '.');
  write_examples(out, app);
  out << ".Ss Commands\nEach command has its own manual page:\n.Bl -tag -width Ds\n";
  for (const CLI::App* command : leaf_commands(app))
    out << ".It Ic " << full_name(*command) << '\n' << running_text(command->get_description() + '.');
  out << R"(.El
.Sh FILES
.Bl -tag -width Ds
.It Pa linkherd.toml
Settings, in the current folder or at the root of the repository.
.It Pa .linkherd
The store, at the root of the repository.
.El
)";
  write_exit_codes(out);
  out << ".Sh SEE ALSO\n";
  const std::vector<const CLI::App*> commands = leaf_commands(app);
  std::vector<std::string> names;
  names.reserve(commands.size());
  for (const CLI::App* command : commands) names.push_back(page_name(*command));
  std::ranges::sort(names);
  for (const std::string& name : names) out << ".Xr " << name << (name == names.back() ? " 1\n" : " 1 ,\n");
}

void write_page(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw std::runtime_error("cannot write " + file.string());
}

void write_all_pages(const std::filesystem::path& folder, const CLI::App& app) {
  std::ostringstream program;
  write_program_page(program, app);
  write_page(folder / "linkherd.1", program.str());
  for (const CLI::App* command : leaf_commands(app)) {
    std::ostringstream page;
    write_command_page(page, *command);
    write_page(folder / (page_name(*command) + ".1"), page.str());
  }
}

struct ManOptions : CheckOptions {
  std::vector<std::string> command;
  std::string folder;
};

}  // namespace

Command add_man_command(CLI::App& app) {
  const auto run = [&app](const ManOptions& o, const Streams& streams) {
    if (!o.folder.empty()) {
      write_all_pages(o.folder, app);
    } else if (o.command.empty()) {
      write_program_page(streams.out, app);
    } else {
      write_command_page(streams.out, find_command(app, o.command));
    }
    return ExitCode::ok;
  };
  return add_command<ManOptions>(
      app, "man", "Print a manual page, for man -l -", commands::other, run, [](ManOptions& o) -> std::vector<Option> {
        return {
            {"COMMAND", read_text(o.command, ""), "Command, such as check or store verify (default: linkherd itself)"},
            {"--all-into", read_text(o.folder, "DIR"), "Write all manual pages to this folder", any_command, no_traits,
             excludes("COMMAND")}};
      });
}

}  // namespace linkherd::crawler
