// The inputs that `check` and `links` have in common: which lists, and how they are read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "crawler/commands/command.h"
#include "crawler/run/plan.h"
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
  bool skip_missing = false;
  bool fail_if_empty = false;  // where there is no link in all of them
};

// `kinds`: what may be named, for the help.
void add_list_inputs(CLI::App& app, ListInputs& inputs, const std::string& kinds);

// The settings that can change which links there are, a line each.
std::string describe_list_inputs(const ListInputs& inputs);

// Why a command ends that has found no link, and with which exit code.
ExitCode end_without_links(const ListInputs& inputs, const std::vector<std::string>& missed, const Streams& streams,
                           bool quiet);

// Reads the lists; what was passed over or missed is said on stderr. `fetch` gets those on the web; without it they are
// refused. Throws InputError, and CLI::ConfigError for a pattern that cannot be used.
SourceList read_lists(const ListInputs& inputs, const Streams& streams, bool quiet, const FetchLists& fetch = {});
parser::ExtractOptions extract_options(const ListInputs& inputs);

}  // namespace linkherd::crawler
