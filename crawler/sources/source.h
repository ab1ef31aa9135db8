// Where lists come from: the inputs of a command line to the texts of list files. Reads files, folders, globs, stdin
// and, through a function of the caller's, lists on the web.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "crawler/sources/link_filter.h"
#include "parser/lists/extract_links.h"
#include "parser/result.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

// A list file, read and decoded.
struct Seed {
  std::string file;  // as reports name it: relative to the current folder where it is below it; "-" for stdin
  std::string text;  // UTF-8
  parser::ListFormat format = parser::ListFormat::plain_text;
  std::filesystem::path path{};           // as it can be opened; empty for stdin and the web
  std::optional<parser::Url> base_url{};  // of a list on the web: what its relative links are relative to
};

// An input that is a mistake: missing, a folder without lists, a pattern that matches nothing. One line that names it
// and says what to do.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What a list on the web is fetched with; the network is not used in this module.
struct FetchedList {
  parser::Url url;       // the last one, behind all redirects
  std::string charset;   // of its Content-Type; may be empty
  bool is_html = false;  // by its Content-Type
  std::string bytes;
  bool complete = true;  // false: cut, by the network or a bound
};
using FetchLists = std::function<std::vector<Result<FetchedList>>(const std::vector<parser::Url>&)>;

struct SourceOptions {
  std::istream* stdin_stream = nullptr;                    // what "-" reads
  std::size_t max_file_bytes = std::size_t{256} << 20;     // a larger file is an InputError
  std::size_t max_unpacked_bytes = std::size_t{64} << 20;  // of a .gz; what is beyond is not read
  bool use_git = true;                                     // folders: only what git tracks, where it tracks something
  const PathFilter* exclude_paths = nullptr;               // files that are no lists for this run
  bool skip_missing = false;                               // inputs that do not exist are passed over, not an error
  FetchLists fetch{};                                      // empty: a web address is an InputError
};

struct SourceList {
  std::vector<Seed> seeds;               // in the order of the inputs; a folder's files by name; each file once
  std::vector<std::string> passed_over;  // files that are not read, each with the reason: for stderr
  std::vector<std::string> warnings;     // lists that are read, but not in full
  std::vector<std::string> missed;       // inputs that cannot be read, or not in full: a run without them says so
};

// Throws InputError, also for standard input that cannot be read. Folders: the files that git tracks, in a repository;
// else a walk that honours .gitignore. Only prose lists (Markdown, HTML, text, …) are taken from folders; a file that
// is named is always read.
SourceList read_sources(const std::vector<std::string>& inputs, const SourceOptions& options);

}  // namespace linkherd::crawler
