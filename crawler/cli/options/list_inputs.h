// The options for input documents, and the reading of these documents.
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
  std::vector<std::string> inputs;  // empty: the documents of this repository, or of the current folder
  std::optional<parser::DocumentFormat> input_format;  // nullopt: detected for each document by name and content
  bool include_verbatim = false;
  bool include_wikilinks = false;
  std::string base_url;
  std::vector<std::string> exclude_paths;  // patterns
  std::string files_from;                  // a file with one input per line, or "-"; empty: none
  bool no_git = false;
  bool should_report_untracked = true;
  bool skip_missing = false;
  bool any_size = false;       // the documents may have any total size: their plan is not kept in memory
  bool fail_if_empty = false;  // fail if the documents have no links
  std::string changed_since;   // a git revision: select only changes of the working tree since then; empty: everything
};

// Returns the inputs in a normalized spelling relative to the current folder, without duplicates: "docs" for "./docs/".
// Without inputs, returns the documents that are read by default. Returns none if a file lists the inputs.
std::vector<std::string> input_names(const ListInputs& inputs);
std::string input_name(const std::string& input);

// Returns true if a word can only be an input: an existing file or folder, a URL, a glob, or "-".
bool can_be_input(const std::string& word);

// Names on stderr the documents without an earlier version, which are not in the repository that --changed-since
// compares.
void print_outside(const std::vector<std::string>& lists, const Streams& streams, bool quiet);

// Returns how a command ends that found no link, and why.
reports::Outcome outcome_without_links(const ListInputs& inputs, const std::vector<std::string>& unread);

// Compares the repository of the current folder for --changed-since. Returns nullopt without that option. Throws
// CLI::ValidationError if the comparison is not possible.
std::optional<GitChanges> read_changes(const ListInputs& inputs);

// Reads the input documents, and names skipped and missing ones on stderr. `fetch` fetches documents from the web;
// without it, URLs are rejected. `take`: see SourceOptions. Throws InputError, and CLI::ConfigError for an invalid
// pattern.
SourceList read_lists(const ListInputs& inputs, const Streams& streams, bool quiet, const FetchLists& fetch = {},
                      const std::function<void(InputDocument)>& take = {});
parser::ExtractOptions extract_options(const ListInputs& inputs);

}  // namespace linkherd::crawler
