// Which links of the lists are checked, and how those are that lead to files or mail addresses: the options of `check`
// between reading the lists and fetching.
#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "crawler/commands/command.h"
#include "crawler/sources/link_filter.h"
#include "crawler/sources/local_links.h"

namespace linkherd::crawler {

struct Selection {
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  std::vector<SourcedPattern> ignored;  // of .linkherdignore and .lycheeignore: what is excluded as well
  std::vector<std::string> remap;
  std::vector<std::string> schemes;
  bool include_mail = false;
  LocalLinkOptions local;
};

void add_selection_options(CLI::App& app, Selection& selection);

// Reads .linkherdignore and .lycheeignore, here and at the root of the repository, into `ignored`. Throws
// CLI::ValidationError for one that is there and cannot be read.
void read_ignore_files(Selection& selection);

// Throws CLI::ConfigError, which names the pattern that cannot be used and where it stands.
LinkFilter make_link_filter(const Selection& selection);

// The settings that can change a verdict, a line each.
std::string describe_selection(const Selection& selection);

}  // namespace linkherd::crawler
