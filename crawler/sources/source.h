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

// An input document: a list file, decoded.
struct InputDocument {
  std::string file;  // name in reports: relative to the current folder if it is below it; "-" for stdin
  std::string text;  // UTF-8
  parser::DocumentFormat format = parser::DocumentFormat::plain_text;
  std::filesystem::path path{};           // path to open; empty for stdin and the web
  std::optional<parser::Url> base_url{};  // base URL of a list on the web
  std::filesystem::path site{};           // for a page of a built site: the folder that contains its "/x" targets
};

// An invalid input: missing, a folder without lists, or a pattern without matches. The message is one line that names
// the input and the remedy.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A list from the web. The caller fetches it, because this module does not use the network.
struct FetchedList {
  parser::Url url;       // after all redirects
  std::string charset;   // from Content-Type; may be empty
  bool is_html = false;  // from Content-Type
  std::string bytes;
  bool complete = true;  // false if truncated by the network or a limit
};
using FetchLists = std::function<std::vector<Result<FetchedList>>(const std::vector<parser::Url>&)>;

struct SourceOptions {
  std::istream* stdin_stream = nullptr;                    // used for "-"
  std::size_t max_file_bytes = std::size_t{256} << 20;     // a larger file is an InputError
  std::size_t max_unpacked_bytes = std::size_t{64} << 20;  // size of an unpacked .gz; the rest is not read
  std::size_t max_text_bytes = std::size_t{1} << 30;       // total size of all lists; more is an InputError
  bool should_use_git = true;                              // read only the tracked files of folders, if there are any
  const PathFilter* exclude_paths = nullptr;               // paths of files that are not read
  std::optional<parser::DocumentFormat>
      input_format{};         // format of all lists; nullopt to detect it by name and content
  bool skip_missing = false;  // skip inputs that do not exist instead of throwing
  FetchLists fetch{};         // if empty, a URL is an InputError
  // Receives each list when it is read. SourceList::documents then stays empty, and only one text is in memory.
  std::function<void(InputDocument)> take{};
};

struct SourceList {
  std::vector<InputDocument> documents;  // in the order of the inputs, the files of a folder by name; each file once
  std::size_t lists = 0;                 // number of lists, also if SourceOptions::take receives them
  std::vector<std::string> skipped;      // skipped files, each with the reason; for stderr
  std::vector<std::string> warnings;     // lists that were read incompletely
  std::vector<std::string> unread;       // inputs that could not be read completely; part of the report
  std::vector<std::string> untracked;    // lists in folders that were not read because git does not track them
};

// Returns true if an input has the form of an http(s) URL. An existing file of that name is read instead.
bool is_web_address(const std::string& input);

// Reads all inputs. Throws InputError, also if standard input cannot be read. From folders only prose lists (Markdown,
// HTML, text, …) are read; see find_documents(). A file that is named is read whatever its extension.
SourceList read_sources(const std::vector<std::string>& inputs, const SourceOptions& options);

}  // namespace linkherd::crawler
