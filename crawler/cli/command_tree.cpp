#include "crawler/cli/command_tree.h"

#include <algorithm>

#include <fmt/format.h>

#include "parser/join.h"
#include "parser/nearest_name.h"

namespace linkherd::crawler {
namespace {

void collect_leaves(const CLI::App& app, std::vector<const CLI::App*>& leaves) {
  for (const CLI::App* command : list_subcommands(app)) {
    if (list_subcommands(*command).empty()) {
      leaves.push_back(command);
    } else {
      collect_leaves(*command, leaves);
    }
  }
}

}  // namespace

std::string full_name(const CLI::App& command) {
  if (command.get_parent() == nullptr) return {};
  const std::string above = full_name(*command.get_parent());
  return above.empty() ? command.get_name() : above + ' ' + command.get_name();
}

std::vector<const CLI::App*> list_subcommands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::vector<const CLI::App*> leaf_commands(const CLI::App& app) {
  std::vector<const CLI::App*> leaves;
  collect_leaves(app, leaves);
  return leaves;
}

const CLI::App& chosen_command(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? app : chosen_command(*chosen.front());
}

const CLI::App& find_command(const CLI::App& app, const std::vector<std::string>& name) {
  const CLI::App* found = &app;
  for (const std::string& word : name) {
    const std::vector<const CLI::App*> all = list_subcommands(*found);
    const auto next = std::ranges::find(all, word, [](const CLI::App* one) { return one->get_name(); });
    if (next == all.end()) throw CLI::ValidationError(unknown_command(app, join(name, " ")));
    found = *next;
  }
  return *found;
}

std::string unknown_command(const CLI::App& app, const std::string& name) {
  const std::string text = fmt::format("there is no command {}", name);
  parser::NearestName nearest(name);
  for (const CLI::App* command : leaf_commands(app)) {
    const std::string full = full_name(*command);
    // suggests "store verify" for "verify"
    if (command->get_name() == name) return fmt::format("{}; did you mean {}?", text, full);
    nearest.consider(full);
  }
  return text + parser::did_you_mean(nearest);
}

}  // namespace linkherd::crawler
