#include "crawler/commands/help_formatter.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "crawler/commands/option_types.h"
#include "crawler/commands/terminal.h"
#include "reports/text_writer.h"

namespace linkherd::crawler {
namespace {

constexpr std::size_t left_column = 30;

std::string options_in_words(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  names.reserve(options.size());
  for (const CLI::Option* option : options) names.push_back(option->get_name());
  std::ranges::sort(names);  // CLI11 sorts them by their addresses
  return fmt::format("{}", fmt::join(names, ", "));
}

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() : columns_(terminal_columns(STDOUT_FILENO)) {
    constexpr std::size_t usual_columns = 100;
    if (columns_ == 0) columns_ = usual_columns;
    label("Positionals", "Arguments");
    label("SUBCOMMAND", "COMMAND");
  }

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    all_ = mode == CLI::AppFormatMode::All;
    return CLI::Formatter::make_help(app, std::move(name), CLI::AppFormatMode::Normal);
  }

  std::string make_description(const CLI::App* app) const override { return paragraph(app->get_description()); }

  std::string make_usage(const CLI::App* app, std::string name) const override {
    constexpr std::size_t indent = 2;
    std::string usage = CLI::Formatter::make_usage(app, std::move(name));
    while (usage.ends_with('\n')) usage.pop_back();
    const std::size_t width = std::max(columns_, indent + 10) - indent;
    const std::vector<std::string> lines = reports::wrapped(usage, columns_, width);
    return fmt::format("{}\n", fmt::join(lines, "\n" + std::string(indent, ' ')));
  }

  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    if (group == rare_options && !all_) return {};
    return CLI::Formatter::make_group(std::move(group), is_positional, std::move(options));
  }

  std::string make_subcommand(const CLI::App* command) const override {
    return row(command->get_name(), command->get_description());
  }

  std::string make_footer(const CLI::App* app) const override { return paragraph(app->get_footer()); }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return row(left_of(*option, is_positional), words_of_option(*option));
  }

 private:
  static std::string left_of(const CLI::Option& option, bool is_positional) {
    if (is_positional) return option.get_name(true) + (option.get_expected_max() > 1 ? "..." : "");
    std::vector<std::string> names;
    for (const std::string& name : option.get_snames()) names.push_back('-' + name);
    for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
    std::string text = fmt::format("{}", fmt::join(names, ", "));
    if (option.get_type_size() == 0) return text;
    return text + ' ' + option.get_type_name();
  }

  std::string paragraph(const std::string& words) const {
    std::string text;
    for (const std::string& line : reports::wrapped(words, columns_, columns_)) text += line + '\n';
    return text;
  }

  std::string row(const std::string& left, const std::string& right) const {
    constexpr std::size_t narrow_indent = 6;
    constexpr std::size_t fewest = 40;  // beside the left column
    const bool is_narrow = columns_ < left_column + fewest;
    const std::size_t indent = is_narrow ? narrow_indent : left_column;
    const std::size_t width = std::max(columns_, indent + 10) - indent;
    std::string text = "  " + left;
    const bool is_beside = !is_narrow && text.size() + 1 < left_column;
    text += is_beside ? std::string(left_column - text.size(), ' ') : "\n" + std::string(indent, ' ');
    const std::vector<std::string> lines = reports::wrapped(right, width, width);
    return text + fmt::format("{}\n", fmt::join(lines, "\n" + std::string(indent, ' ')));
  }

  std::size_t columns_;
  mutable bool all_ = false;
};

}  // namespace

std::string words_of_option(const CLI::Option& option) {
  std::vector<std::string> notes;
  if (!option.get_option_text().empty()) notes.push_back(option.get_option_text());
  const std::string& usual = option.get_default_str();
  if (!usual.empty() && option.get_type_size() != 0) notes.push_back("default: " + usual);
  if (option.get_required()) notes.emplace_back("required");
  if (!option.get_needs().empty()) notes.push_back("needs " + options_in_words(option.get_needs()));
  if (!option.get_excludes().empty()) notes.push_back("not with " + options_in_words(option.get_excludes()));
  std::string text = option.get_description();
  if (!notes.empty()) text += fmt::format(" [{}]", fmt::join(notes, "; "));
  return text;
}

std::shared_ptr<CLI::FormatterBase> make_help_formatter() { return std::make_shared<HelpFormatter>(); }

}  // namespace linkherd::crawler
