// Where lists come from: the inputs of a command line to the texts of list files. Reads files, folders, globs and
// stdin.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <vector>

#include "parser/lists/extract_links.h"

namespace linkherd::crawler {

// A list file, read and decoded.
struct Seed {
  std::string file;  // as reports name it: relative to the current folder where it is below it; "-" for stdin
  std::string text;  // UTF-8
  parser::ListFormat format = parser::ListFormat::plain_text;
};

// An input that cannot be used: missing, a folder without lists, no text at all, unreadable. One line that names it and
// says what to do.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct SourceOptions {
  std::istream* stdin_stream = nullptr;                 // what "-" reads
  std::size_t max_file_bytes = std::size_t{256} << 20;  // a larger file is an InputError
};

struct SourceList {
  std::vector<Seed> seeds;               // in the order of the inputs; a folder's files by name; each file once
  std::vector<std::string> passed_over;  // files of folders that are no text, each with the reason: for stderr
};

// Throws InputError. Folders: the files that git tracks, in a repository; else a walk that honours .gitignore. Only
// prose lists (Markdown, HTML, text) are taken from folders; a file that is named is always read.
SourceList read_sources(const std::vector<std::string>& inputs, const SourceOptions& options);

}  // namespace linkherd::crawler
