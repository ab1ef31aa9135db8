#include "crawler/cli/help_formatter.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "crawler/cli/command_examples.h"
#include "crawler/cli/command_tree.h"
#include "crawler/cli/options/option_table.h"
#include "crawler/cli/terminal.h"
#include "parser/join.h"
#include "reports/text_writer.h"

namespace linkherd::crawler {
namespace {

constexpr std::size_t left_column = 30;

std::string describe_options(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  names.reserve(options.size());
  for (const CLI::Option* option : options) names.push_back(option->get_name());
  std::ranges::sort(names);  // CLI11 sorts them by address
  return join(names, ", ");
}

// Returns a name such as "INPUT...".
std::string argument_name(const CLI::Option& option) {
  return option.get_name(true) + (option.get_expected_max() > 1 ? "..." : "");
}

// Returns a line such as "linkherd check [OPTIONS] [INPUT...]".
std::string usage_of(const CLI::App& app, const std::string& name) {
  if (app.get_parent() == nullptr) return name + " COMMAND [OPTIONS] [INPUT...]";
  if (!list_subcommands(app).empty()) return name + " COMMAND [OPTIONS]";
  std::string usage = name + " [OPTIONS]";
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    const std::string argument = argument_name(*option);
    usage += option->get_required() ? ' ' + argument : fmt::format(" [{}]", argument);
  }
  return usage;
}

class HelpFormatter : public CLI::FormatterBase {
 public:
  HelpFormatter() : columns_(terminal_columns(STDOUT_FILENO)) {
    constexpr std::size_t usual_columns = 100;
    if (columns_ == 0) columns_ = usual_columns;
  }

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    const bool all = mode == CLI::AppFormatMode::All;
    std::string text = paragraph(app->get_description() + '.');
    text += '\n' + paragraph("Usage: " + usage_of(*app, name));
    if (app->get_parent() == nullptr)
      text += paragraph("       linkherd INPUT...  (the same as linkherd check INPUT...)");
    text += examples(*app) + arguments(*app);
    std::size_t hidden = 0;
    for (const std::string_view group : option_group_names()) {
      std::string rows;
      const bool is_root = app->get_parent() == nullptr;  // the root has only --help and --version
      for (const CLI::Option* option : is_root ? std::vector<const CLI::Option*>() : options_in(*app, group)) {
        if (all || is_common(*option)) {
          rows += row(join_option_names(*option), describe_option(*option, all), left_column);
        } else {
          ++hidden;
        }
      }
      if (!rows.empty()) text += fmt::format("\n{}:\n{}", group, rows);
    }
    text += commands(*app);
    if (hidden > 0)
      text += '\n' + paragraph(fmt::format("Run {} --help-all to see {} more option{}.", name, hidden,
                                           hidden == 1 ? "" : "s"));
    if (!app->get_footer().empty()) text += '\n' + paragraph(app->get_footer());
    return text;
  }

 private:
  std::string examples(const CLI::App& app) const {
    const std::vector<CommandExample> all = examples_of(full_name(app));
    if (all.empty()) return {};
    std::string text = "\nExamples:\n";
    std::size_t column = 0;
    for (const CommandExample& example : all) column = std::max(column, example.line.size() + 4);
    for (const CommandExample& example : all) text += row(example.line, example.purpose, column);
    return text;
  }

  std::string arguments(const CLI::App& app) const {
    std::string rows;
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_positional()) rows += row(argument_name(*option), describe_option(*option, false), left_column);
    }
    return rows.empty() ? rows : "\nArguments:\n" + rows;
  }

  // Prints groups of commands in one column and their commands in the next.
  std::string commands(const CLI::App& app) const {
    constexpr std::size_t group_column = 18;
    const bool has_groups = app.get_parent() == nullptr;
    const std::size_t name_column = has_groups ? group_column + 15 : left_column;
    std::string text;
    std::string group;
    for (const CLI::App* command : list_subcommands(app)) {
      std::string left = command->get_name();
      if (has_groups) {
        const std::string shown = command->get_group() == group ? std::string() : command->get_group();
        left = fmt::format("{:<{}}{}", shown, group_column, left);
        group = command->get_group();
      }
      text += row(left, command->get_description(), name_column);
    }
    return text.empty() ? text : "\nCommands:\n" + text;
  }

  // Returns a text such as "-t, --timeout DURATION".
  static std::string join_option_names(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.get_snames()) names.push_back('-' + name);
    for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
    std::string text = join(names, ", ");
    if (option.get_type_size() == 0) return text;
    return text + ' ' + option.get_type_name();
  }

  std::string paragraph(const std::string& words) const {
    std::string text;
    for (const std::string& line : reports::wrapped(words, columns_, columns_)) text += line + '\n';
    return text;
  }

  std::string row(const std::string& left, const std::string& right, std::size_t column) const {
    constexpr std::size_t narrow_indent = 6;
    constexpr std::size_t min_width = 30;  // next to the left column
    const bool is_narrow = columns_ < column + min_width;
    const std::size_t indent = is_narrow ? narrow_indent : column;
    const std::size_t width = std::max(columns_, indent + 10) - indent;
    std::string text;
    for (const std::string& line : reports::wrapped("  " + left, columns_, columns_)) text += line + '\n';
    text.pop_back();
    const bool is_beside = !is_narrow && text.size() + 1 < column;
    text += is_beside ? std::string(column - text.size(), ' ') : "\n" + std::string(indent, ' ');
    const std::vector<std::string> lines = reports::wrapped(right, width, width);
    return text + fmt::format("{}\n", join(lines, "\n" + std::string(indent, ' ')));
  }

  std::size_t columns_;
};

}  // namespace

std::string describe_option(const CLI::Option& option, bool with_conflicts) {
  std::vector<std::string> notes;
  if (!option.get_option_text().empty()) notes.push_back(option.get_option_text());
  const std::string& usual = option.get_default_str();
  if (option.get_required()) {
    notes.emplace_back("required");  // a required option is never left at its default
  } else if (!usual.empty() && option.get_type_size() != 0) {
    notes.push_back("default: " + usual);
  }
  if (!option.get_needs().empty()) notes.push_back("needs " + describe_options(option.get_needs()));
  if (with_conflicts && !option.get_excludes().empty())
    notes.push_back("not with " + describe_options(option.get_excludes()));
  std::string text = option.get_description();
  if (!notes.empty()) text += fmt::format(" [{}]", join(notes, "; "));
  return text;
}

std::shared_ptr<CLI::FormatterBase> make_help_formatter() { return std::make_shared<HelpFormatter>(); }

}  // namespace linkherd::crawler
