// The options for input lists that `check` and `links` share.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "crawler/cli/command.h"
#include "crawler/sources/git_changes.h"
#include "crawler/sources/source.h"
#include "parser/lists/extract_links.h"
#include "reports/summary.h"

namespace linkherd::crawler {

struct ListInputs {
  std::vector<std::string> inputs;                 // empty: the lists of this repository, or of the current folder
  std::optional<parser::ListFormat> input_format;  // nullopt: detected for each list by name and content
  bool include_verbatim = false;
  bool include_wikilinks = false;
  std::string base_url;
  std::vector<std::string> exclude_paths;  // patterns
  std::string files_from;                  // a file with one input per line, or "-"; empty: none
  bool no_git = false;
  bool should_report_untracked = true;
  bool skip_missing = false;
  bool any_size = false;       // of all lists together: their plan is not kept in memory
  bool fail_if_empty = false;  // fail if the lists have no links
  std::string changed_since;   // a git revision: only what the working tree changes since then; empty: everything
};

// `kinds`: the kinds of inputs, for the help.
void add_list_inputs(CLI::App& app, ListInputs& inputs, const std::string& kinds);

// The inputs in one spelling for each, named from the current folder: "docs" for "./docs/", and each once. Without
// inputs these are the lists that are read then; none are named where a file names them.
std::vector<std::string> input_names(const ListInputs& inputs);
std::string input_name(const std::string& input);

// Whether a word can only be meant as an input: an existing file or folder, a URL, a glob, or "-".
bool can_be_input(const std::string& word);

// Returns the settings that affect which links are found, one per line.
std::string describe_list_inputs(const ListInputs& inputs);

// Names lists that have no earlier version on stderr: they are not in the repository that --changed-since compares.
void print_outside(const std::vector<std::string>& lists, const Streams& streams, bool quiet);

// How a command ends without any link, and why.
reports::Outcome outcome_without_links(const ListInputs& inputs, const std::vector<std::string>& missed);

// Compares the repository of the current folder for --changed-since; nullopt without that option. Throws
// CLI::ValidationError if that is not possible.
std::optional<GitChanges> read_changes(const ListInputs& inputs);

// Reads the lists and prints skipped and missing ones to stderr. `fetch` fetches lists from the web; without it URLs
// are rejected. `take`: see SourceOptions. Throws InputError, and CLI::ConfigError for an invalid pattern.
SourceList read_lists(const ListInputs& inputs, const Streams& streams, bool quiet, const FetchLists& fetch = {},
                      const std::function<void(Seed)>& take = {});
parser::ExtractOptions extract_options(const ListInputs& inputs);

}  // namespace linkherd::crawler
