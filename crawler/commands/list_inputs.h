// The inputs that `check` and `links` have in common: which lists, and how they are read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "crawler/commands/command.h"
#include "crawler/plan.h"
#include "parser/lists/extract_links.h"

namespace linkherd::crawler {

struct ListInputs {
  std::vector<std::string> inputs;                 // none: the lists of this repository, or of the current folder
  std::optional<parser::ListFormat> input_format;  // nothing: each by its name and content
  bool include_verbatim = false;
  bool include_wikilinks = false;
  std::string base_url;
  std::vector<std::string> exclude_paths;  // patterns
  std::string files_from;                  // a file with an input a line, or "-"; empty: none
  bool no_git = false;
};

// `kinds`: what may be named, for the help.
void add_list_inputs(CLI::App& app, ListInputs& inputs, const std::string& kinds);

// Reads the lists; what was passed over or missed is said on stderr. `fetch` gets those on the web; without it they are
// refused. Throws InputError, and CLI::ConfigError for a pattern that cannot be used.
SourceList read_lists(const ListInputs& inputs, const Streams& streams, bool quiet, const FetchLists& fetch = {});
parser::ExtractOptions extract_options(const ListInputs& inputs);

}  // namespace linkherd::crawler
