// The table of options that several commands have, and all options of `check`. Options of a single command are rows in
// the file of the command. The table is in the order of the help: groups of common options, which --help shows, and
// rare options, which only --help-all shows.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/App.hpp>

#include "crawler/cli/command.h"
#include "crawler/cli/options/check_options.h"
#include "crawler/cli/options/option.h"

namespace linkherd::crawler {

// The commands, for Option::of.
namespace commands {
enum Id : unsigned {
  check = 1U << 0U,
  fix = 1U << 1U,
  links = 1U << 2U,
  plan = 1U << 3U,
  collect = 1U << 4U,
  worker = 1U << 5U,
  status = 1U << 6U,
  report = 1U << 7U,
  history = 1U << 8U,
  runs = 1U << 9U,
  catalogue = 1U << 10U,  // `export` is a keyword
  info = 1U << 11U,
  verify = 1U << 12U,
  compact = 1U << 13U,
  backup = 1U << 14U,
  restore = 1U << 15U,
  merge = 1U << 16U,
  forget = 1U << 17U,
  rules = 1U << 18U,
  url = 1U << 19U,
  metadata = 1U << 20U,
  other = 1U << 21U,  // a command with the options that every command has
  bare = 1U << 22U,   // a command without them
};
}  // namespace commands

struct OptionGroup {
  std::string_view name;
  std::vector<Option> common;
  std::vector<Option> rare;
};

// Returns the table for the variables in `options`, which must outlive the targets of the rows.
std::vector<OptionGroup> option_table(CheckOptions& options);
std::vector<const Option*> rows_of(const std::vector<OptionGroup>& table);

// Adds a command's own options and its options of the table.
void add_options(CLI::App& app, commands::Id id, CheckOptions& options, const std::vector<Option>& own = {});

// Adds a command with its options. `Options` is CheckOptions or derives from it. `own` returns the command's own rows.
template <class Options, class Run>
Command add_command(CLI::App& parent, const std::string& name, const std::string& description, commands::Id id, Run run,
                    std::vector<Option> (*own)(Options&) = nullptr) {
  auto options = std::make_shared<Options>();  // shared with the CLI11 callbacks, which outlive this function
  CLI::App* const command = parent.add_subcommand(name, description);
  add_options(*command, id, *options, own == nullptr ? std::vector<Option>() : own(*options));
  return {command, [options, run](const Streams& streams) { return run(*options, streams); }};
}

// Returns the groups in the order of the help. The first one has options of a single command.
std::vector<std::string_view> option_group_names();

// Returns the options of a command in this group, in the order of the help. Options that are in no other group are in
// the first one. Positionals, --help and sections of the configuration are in no group.
std::vector<const CLI::Option*> options_in(const CLI::App& command, std::string_view group);

// Returns true if --help shows the option.
bool is_common(const CLI::Option& option);

// `option`: "--accept" or "-a". Returns what to use instead of an option of lychee (0.24 and earlier) that linkherd
// refuses, or nullopt. Users of lychee try the names they know.
std::optional<std::string> lychee_option_hint(std::string_view option);

}  // namespace linkherd::crawler
