#include "crawler/sources/source.h"

#include <algorithm>
#include <array>
#include <istream>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "crawler/sources/file_bytes.h"
#include "crawler/sources/folder_lists.h"
#include "parser/html/charset.h"
#include "parser/utf8.h"

namespace linkherd::crawler {
namespace {

namespace fs = std::filesystem;

// As reports name a file: relative where it is below the current folder, else as it was given; always UTF-8.
std::string reported_name(const fs::path& path) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  const fs::path absolute = (here / path).lexically_normal();
  const fs::path relative = absolute.lexically_relative(here);
  const bool below = !error && !relative.empty() && *relative.begin() != "..";
  return to_valid_utf8((below ? relative : path.lexically_normal()).string());
}

bool is_web_address(const std::string& input) { return input.starts_with("http://") || input.starts_with("https://"); }

class SourceReader {
 public:
  explicit SourceReader(const SourceOptions& options) : options_(options) {}

  void read(const std::string& input) {
    if (input == "-") return read_stdin();
    if (input.empty()) throw InputError("an input has an empty name: name a file or a folder, or leave it out");
    std::error_code error;
    const fs::file_status status = fs::status(input, error);
    if (fs::is_directory(status)) return read_folder(input);
    if (fs::exists(status)) return read_named(input);
    if (is_glob(input)) return read_glob(input);
    if (is_web_address(input)) {
      throw InputError(
          fmt::format("{} is a web address, and lists are read from files: save it and name the file", input));
    }
    if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory) {
      throw InputError(fmt::format("{} cannot be read: {}", to_valid_utf8(input), error.message()));
    }
    throw InputError(fmt::format("{} does not exist: name a file, a folder or a glob that does", to_valid_utf8(input)));
  }

  SourceList finish() { return std::move(list_); }

 private:
  void read_stdin() {
    if (!seen_.insert("-").second) return;
    if (options_.stdin_stream == nullptr) throw InputError("- : there is no standard input to read");
    std::string bytes;
    std::array<char, 65536> buffer;
    while (options_.stdin_stream->read(buffer.data(), buffer.size()) || options_.stdin_stream->gcount() > 0) {
      bytes.append(buffer.data(), static_cast<std::size_t>(options_.stdin_stream->gcount()));
      if (bytes.size() > options_.max_file_bytes) {
        throw InputError(fmt::format("standard input has more than {} MB: split it", options_.max_file_bytes >> 20U));
      }
    }
    if (parser::is_binary(bytes)) throw InputError("standard input is no text: pass a list of links");
    add("-", bytes);
  }

  void read_named(const fs::path& path) {
    if (!is_new(path)) return;
    const Result<std::string> bytes = read_file_bytes(path, options_.max_file_bytes);
    const std::string name = reported_name(path);
    if (bytes.has_error()) throw InputError(fmt::format("{} {}", name, bytes.error().message));
    if (parser::is_binary(*bytes)) {
      throw InputError(fmt::format("{} is no text: name a list in Markdown, HTML or plain text", name));
    }
    add(name, *bytes);
  }

  void read_folder(const fs::path& folder) {
    if (read_all(lists_in_folder(folder)) > 0) return;
    throw InputError(
        fmt::format("{} has no list in it (.md, .html, .txt): name a file, which is read whatever its ending",
                    reported_name(folder)));
  }

  void read_glob(const std::string& pattern) {
    if (read_all(files_of_glob(pattern)) > 0) return;
    throw InputError(
        fmt::format("{} matches no list: check the pattern, and quote it from the shell", to_valid_utf8(pattern)));
  }

  // How many of the files are lists, whether they are new or another input named them before.
  std::size_t read_all(const FolderLists& found) {
    for (const std::string& folder : found.passed_over) pass_over(to_valid_utf8(folder));
    std::size_t lists = 0;
    for (const fs::path& file : found.files) {
      if (!is_new(file)) {
        ++lists;
        continue;
      }
      const Result<std::string> bytes = read_file_bytes(file, options_.max_file_bytes);
      const std::string name = reported_name(file);
      if (bytes.has_error()) {
        pass_over(fmt::format("{}: {}", name, bytes.error().message));
      } else if (parser::is_binary(*bytes)) {
        pass_over(fmt::format("{}: is no text", name));
      } else {
        add(name, *bytes);
        ++lists;
      }
    }
    return lists;
  }

  void pass_over(std::string line) { list_.passed_over.push_back(std::move(line)); }

  // Whether no input has named this file yet, under any name.
  bool is_new(const fs::path& path) {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    return seen_.insert(error ? path.string() : real.string()).second;
  }

  void add(const std::string& name, std::string_view bytes) {
    Seed seed;
    seed.file = name;
    seed.text = parser::decode_text(bytes).text;
    seed.format = parser::detect_list_format(seed.file, seed.text);
    list_.seeds.push_back(std::move(seed));
  }

  const SourceOptions& options_;
  SourceList list_;
  std::set<std::string> seen_;
};

}  // namespace

SourceList read_sources(const std::vector<std::string>& inputs, const SourceOptions& options) {
  SourceReader reader(options);
  for (const std::string& input : inputs) reader.read(input);
  return reader.finish();
}

}  // namespace linkherd::crawler
