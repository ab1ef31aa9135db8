#include "crawler/cli/usage_errors.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "crawler/cli/command_tree.h"
#include "crawler/cli/options/option_table.h"
#include "parser/join.h"
#include "parser/nearest_name.h"

namespace linkherd::crawler {
namespace {

std::string describe_name(const CLI::App& command) {
  const bool is_of_all = command.get_parent() == nullptr || command.get_name() == "help";
  return is_of_all ? "linkherd" : "linkherd " + full_name(command);
}

// Appends where the options are shown, unless the text already suggests what to write.
std::string with_help(const CLI::App& app, const std::string& text) {
  if (!parser::find_suggestion(text).empty()) return text;
  return fmt::format("{} (see {} --help)", text, describe_name(chosen_command(app)));
}

// Removes the value: "--tiemout" for "--tiemout=3".
std::string option_of(const std::string& word) { return word.substr(0, word.find('=')); }

// Names other commands that have the option.
std::string commands_with(const CLI::App& app, const std::string& option) {
  std::vector<std::string> names;
  for (const CLI::App* command : leaf_commands(app)) {
    if (command->get_option_no_throw(option) != nullptr) names.push_back(full_name(*command));
  }
  return join(names, ", ");
}

std::string unknown_option(const CLI::App& app, const std::string& option) {
  if (const auto hint = lychee_option_hint(option)) return option + " is not an option of linkherd: " + *hint;
  const CLI::App& command = chosen_command(app);
  std::string text = fmt::format("`{}` has no option {}", describe_name(command), option);
  parser::NearestName nearest(std::string_view(option).substr(std::min<std::size_t>(2, option.size())));
  for (const std::string& name : list_option_names(command)) nearest.consider(name);
  if (const std::string suggestion = parser::did_you_mean(nearest, "--"); !suggestion.empty()) return text + suggestion;
  const std::string others = commands_with(app, option);
  return others.empty() ? with_help(app, text) : fmt::format("{}; it is an option of {}", text, others);
}

// Describes words that CLI11 could not assign.
std::string unexpected(const CLI::App& app, const std::vector<std::string>& words) {
  const auto option = std::ranges::find_if(words, [](const std::string& word) { return word.starts_with('-'); });
  if (option != words.end()) return unknown_option(app, option_of(*option));
  const CLI::App& command = chosen_command(app);
  if (!list_subcommands(command).empty())
    return with_help(app, unknown_command(app, fmt::format("{} {}", full_name(command), words.front())));
  return with_help(app, fmt::format("`{}` takes no {}", describe_name(command), join(words, " ")));
}

// Rewrites messages such as "--store: 1 required DIR missing" and "--store: At Most 1 required but received 2".
std::string describe_wrong_value_count(const std::string& message) {
  const std::size_t colon = message.find(": ");
  if (colon == std::string::npos) return message;
  const std::string option = message.substr(0, colon);
  return option + (message.find("At Most") != std::string::npos ? " is given more than once" : " needs a value");
}

}  // namespace

std::vector<std::string> list_option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    const bool is_section = option->get_group().empty();  // [hosts], [[rule]]: only in configurations
    if (!is_section) names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
  }
  return names;
}

std::string usage_error(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& words) {
  const bool has_command = !app.get_subcommands().empty();
  if (!has_command && !words.empty() && !words.front().starts_with('-')) {
    const bool is_path = words.front().find_first_of("./") != std::string::npos;
    return with_help(app, is_path ? fmt::format("there is no command, file or folder {}", words.front())
                                  : unknown_command(app, words.front()));
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) return unexpected(app, app.remaining(true));
  // An option of lychee may have been parsed as the value of another option. It is then the cause of the error.
  for (const std::string& word : words) {
    const std::string option = option_of(word);
    const bool is_own = chosen_command(app).get_option_no_throw(option) != nullptr;
    if (!is_own && lychee_option_hint(option)) return unknown_option(app, option);
  }
  if (!has_command) return unexpected(app, {words.front()});
  std::string message = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) message = describe_wrong_value_count(message);
  std::ranges::replace(message, '\n', ' ');
  return with_help(app, message);
}

}  // namespace linkherd::crawler
