// Reads the inputs of the command line into list texts: files, folders, globs, stdin and, through a callback, lists on
// the web.
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

// A decoded list file.
struct Seed {
  std::string file;  // name in reports: relative to the current folder if it is below it; "-" for stdin
  std::string text;  // UTF-8
  parser::ListFormat format = parser::ListFormat::plain_text;
  std::filesystem::path path{};           // path to open; empty for stdin and the web
  std::optional<parser::Url> base_url{};  // base URL of a list on the web
  std::filesystem::path site{};           // of a page of a built site: the folder that its "/x" targets are below
};

// An invalid input: missing, a folder without lists, a pattern without matches. The message is one line that names the
// input and says what to do.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A fetched list. This module does not use the network.
struct FetchedList {
  parser::Url url;       // after all redirects
  std::string charset;   // from Content-Type; may be empty
  bool is_html = false;  // from Content-Type
  std::string bytes;
  bool complete = true;  // false: truncated by the network or a limit
};
using FetchLists = std::function<std::vector<Result<FetchedList>>(const std::vector<parser::Url>&)>;

struct SourceOptions {
  std::istream* stdin_stream = nullptr;                    // used for "-"
  std::size_t max_file_bytes = std::size_t{256} << 20;     // a larger file is an InputError
  std::size_t max_unpacked_bytes = std::size_t{64} << 20;  // of a .gz; the rest is not read
  std::size_t max_text_bytes = std::size_t{1} << 30;  // of all lists, which are planned together; else an InputError
  bool should_use_git = true;                         // folders: only tracked files, if there are any
  const PathFilter* exclude_paths = nullptr;          // files that are not lists
  std::optional<parser::ListFormat> input_format{};   // of all lists; nullopt: by name and content
  bool skip_missing = false;                          // skip inputs that do not exist instead of throwing
  FetchLists fetch{};                                 // if empty, a URL is an InputError
  // Takes each list when it is read; then SourceList::seeds stays empty, and no more than one text is in memory here.
  std::function<void(Seed)> take{};
};

struct SourceList {
  std::vector<Seed> seeds;             // in the order of the inputs; files of a folder by name; each file once
  std::size_t lists = 0;               // the number of these, also where somebody else takes them
  std::vector<std::string> skipped;    // skipped files, each with the reason: for stderr
  std::vector<std::string> warnings;   // lists that were read incompletely
  std::vector<std::string> missed;     // inputs that were not read completely; reported by the run
  std::vector<std::string> untracked;  // lists in folders that were not read because git does not track them
};

// Whether an input is the URL of a list, unless there is a file of that name.
bool is_web_address(const std::string& input);

// Throws InputError, also for unreadable standard input. From folders only prose lists (Markdown, HTML, text, …) are
// read; see lists_in_folder(). A file that is named is always read.
SourceList read_sources(const std::vector<std::string>& inputs, const SourceOptions& options);

}  // namespace linkherd::crawler
