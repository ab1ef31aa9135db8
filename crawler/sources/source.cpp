#include "crawler/sources/source.h"

#include <algorithm>
#include <array>
#include <istream>
#include <map>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>

#include <fmt/core.h>

#include "crawler/sources/file_bytes.h"
#include "crawler/sources/folder_documents.h"
#include "crawler/sources/input_path.h"
#include "crawler/sources/repository_bounds.h"
#include "parser/ascii.h"
#include "parser/html/charset.h"
#include "parser/inflate.h"
#include "parser/url/credentials.h"
#include "parser/utf8.h"

namespace linkherd::crawler {
namespace {

namespace fs = std::filesystem;

// Returns the name of a URL in reports, without credentials.
std::string name_of(const parser::Url& url) { return parser::without_credentials(url).take_href(); }

// Returns true if the folder has an index page and is not a source folder of a generator. In such a folder, some files
// of the site are not at their final paths. An index page that begins with front matter is also a source (Jekyll).
bool is_built_site(const fs::path& folder) {
  constexpr std::string_view settings = "---";
  std::error_code error;
  if (fs::exists(folder / ".git", error) || fs::exists(folder / "package.json", error)) return false;
  const Result<std::string> start = read_file_start(folder / "index.html", settings.size(), repository_around(folder));
  return start.has_value() && *start != settings;
}

class SourceReader {
 public:
  SourceReader(const std::vector<std::string>& inputs, const SourceOptions& options)
      : options_(options), is_only_input_(inputs.size() == 1) {
    fetch_all(inputs);
  }

  void read(const std::string& input) {
    if (input == "-") return read_stdin();
    if (input.empty()) throw InputError("an input is an empty string: pass a file or folder, or leave the input out");
    std::error_code error;
    const fs::file_status status = fs::status(input, error);
    if (fs::is_directory(status)) return read_folder(input_path(input));
    if (fs::exists(status)) return read_named(input_path(input));
    if (is_web_address(input)) return read_fetched(input);
    if (is_glob(input)) return read_glob(input_path(input));
    if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory) {
      return note_unread(fmt::format("{} cannot be read: {}", to_valid_utf8(input), error.message()));
    }
    if (options_.skip_missing) return note_skipped(to_valid_utf8(input) + ": does not exist");
    throw InputError(fmt::format("{} does not exist: pass an existing file or folder, or a glob that matches one",
                                 to_valid_utf8(input)));
  }

  SourceList finish() {
    // Files that another input names have been read.
    for (const auto& [path, name] : untracked_) {
      if (!seen_.contains(path)) list_.untracked.push_back(name);
    }
    return std::move(list_);
  }

 private:
  void read_stdin() {
    if (!seen_.insert("-").second) return;
    if (options_.stdin_stream == nullptr) throw InputError("- : there is no standard input to read");
    std::string bytes;
    std::array<char, 65536> buffer;
    std::istream& in = *options_.stdin_stream;
    while (in.read(buffer.data(), buffer.size()) || in.gcount() > 0) {
      bytes.append(buffer.data(), static_cast<std::size_t>(in.gcount()));
      if (bytes.size() > options_.max_file_bytes) {
        throw InputError(fmt::format("standard input is larger than {} MB: split it", options_.max_file_bytes >> 20U));
      }
    }
    if (in.bad()) throw InputError("standard input cannot be read: pipe in text that contains links, or pass a file");
    bytes = unpacked("-", std::move(bytes));
    if (parser::is_binary(bytes)) throw InputError("standard input is not text: pass text that contains links");
    add("-", {}, std::move(bytes));
  }

  void read_named(const fs::path& path) {
    const std::string name = reported_name(path);
    if (!is_new(path) || is_excluded(name)) return;
    Result<std::string> read = read_file_bytes(path, options_.max_file_bytes);
    if (read.has_error()) return note_unread(fmt::format("{} {}", name, read.error().message));
    std::string bytes = unpacked(name, std::move(read).value());
    if (parser::is_binary(bytes)) {
      return note_unread(fmt::format("{} is not a text file: pass a document in Markdown, HTML or plain text", name));
    }
    add(name, path, std::move(bytes));
  }

  void read_folder(const fs::path& folder) {
    if (is_built_site(folder)) site_ = folder;
    FolderDocuments found = find_documents(folder, options_.should_use_git);
    for (const std::string& file : found.untracked) note_untracked(file);
    const std::size_t lists = read_all(std::move(found));
    site_.clear();
    if (lists > 0) return;
    note_unread(fmt::format(
        "{} contains no readable document (.md, .html, .txt): pass a file by name; it is read whatever its extension",
        reported_name(folder)));
  }

  void note_untracked(const fs::path& file) {
    std::string name = reported_name(file);
    if (options_.exclude_paths != nullptr && options_.exclude_paths->excludes(name)) return;
    std::error_code error;
    const fs::path real = fs::canonical(file, error);
    untracked_.emplace(error ? file.string() : real.string(), std::move(name));
  }

  void read_glob(const std::string& pattern) {
    if (read_all(expand_glob(pattern)) > 0) return;
    if (options_.skip_missing) return note_skipped(to_valid_utf8(pattern) + ": matches no document");
    note_unread(
        fmt::format("{} matches no document: check the pattern, and quote it so that the shell does not expand it",
                    to_valid_utf8(pattern)));
  }

  // Returns the number of lists among the files, including those that another input named before.
  std::size_t read_all(FolderDocuments found) {
    for (const std::string& folder : found.skipped) note_skipped(to_valid_utf8(folder));
    const fs::path here = current_folder();
    std::size_t lists = 0;
    for (std::string& path : found.files) {
      const fs::path file = std::exchange(path, {});  // frees the path: those of a large folder take megabytes
      const std::string name = reported_name(file, here);
      if (!is_new(file, found.are_regular) || is_excluded(name)) {
        ++lists;
        continue;
      }
      Result<std::string> read = read_file_bytes(file, options_.max_file_bytes, found.repository);
      if (read.has_error()) {
        // Git may still track a deleted file.
        std::error_code error;
        const std::string line = fmt::format("{}: {}", name, read.error().message);
        fs::exists(file, error) && !read.error().message.starts_with(leads_out_message) ? note_unread(line)
                                                                                        : note_skipped(line);
        continue;
      }
      std::string bytes = unpacked(name, std::move(read).value());
      if (parser::is_binary(bytes)) {
        note_skipped(fmt::format("{}: not a text file", name));
      } else {
        add(name, file, std::move(bytes));
        ++lists;
      }
    }
    return lists;
  }

  void note_skipped(std::string line) { list_.skipped.push_back(std::move(line)); }

  // Returns true if no input has named this file yet, under any path. `is_regular`: see FolderDocuments.
  bool is_new(const fs::path& path, bool is_regular = false) {
    if (is_only_input_ && is_regular) return true;  // a folder has each file once
    std::error_code error;
    const fs::path real = real_path(path, is_regular, error);
    return seen_.insert(error ? path.string() : real.string()).second;
  }

  // All files of a folder share its real path.
  fs::path real_path(const fs::path& path, bool is_regular, std::error_code& error) {
    if (!is_regular && fs::symlink_status(path, error).type() != fs::file_type::regular)
      return fs::canonical(path, error);
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    if (folder != folder_) {
      real_folder_ = fs::canonical(folder, error);
      folder_ = error ? fs::path() : folder;
    }
    return real_folder_ / path.filename();
  }

  bool is_excluded(const std::string& name) {
    if (options_.exclude_paths == nullptr) return false;
    const std::optional<std::string> pattern = options_.exclude_paths->excludes(name);
    if (pattern) note_skipped(fmt::format("{}: excluded by --exclude-path {}", name, *pattern));
    return pattern.has_value();
  }

  void add(const std::string& name, const fs::path& path, std::string bytes) {
    InputDocument document;
    document.file = name;
    document.text = parser::decode_text_in_place(std::move(bytes)).text;
    std::string().swap(bytes);  // `bytes` is no longer needed
    document.format = parser::detect_document_format(document.file, document.text);
    document.path = path;
    const bool is_of_site =
        document.format == parser::DocumentFormat::html || document.format == parser::DocumentFormat::css;
    if (is_of_site) document.site = site_;
    take(std::move(document));
  }

  void take(InputDocument document) {
    text_bytes_ += document.text.size();
    if (text_bytes_ > options_.max_text_bytes) {
      throw InputError(fmt::format("the documents up to {} have more than {} MB in total: check them in parts",
                                   document.file, options_.max_text_bytes >> 20U));
    }
    if (options_.input_format) document.format = *options_.input_format;
    ++list_.lists;
    if (options_.take) return options_.take(std::move(document));
    list_.documents.push_back(std::move(document));
  }

  // Decompresses a .gz as far as possible. Returns other bytes unchanged.
  std::string unpacked(const std::string& name, std::string bytes) {
    if (!parser::is_gzip(bytes)) return bytes;
    parser::GzipResult gunzipped = parser::gunzip(bytes, options_.max_unpacked_bytes);
    switch (gunzipped.problem) {
      case parser::GzipProblem::none: break;
      case parser::GzipProblem::truncated: warn(name, "ends in the middle of its compressed data"); break;
      case parser::GzipProblem::corrupt: warn(name, "has broken compressed data"); break;
      case parser::GzipProblem::too_large:
        warn(name, fmt::format("is larger than {} MB when unpacked", options_.max_unpacked_bytes >> 20U));
        break;
    }
    return std::move(gunzipped.text);
  }

  // An error in one list does not prevent checking the others.
  void note_unread(std::string line) { list_.unread.push_back(std::move(line)); }

  void warn(std::string_view name, std::string_view problem) {
    list_.warnings.push_back(fmt::format("{} {}: only the links up to that point are read", name, problem));
  }

  // Fetches all lists on the web at once, before the first input is read.
  void fetch_all(const std::vector<std::string>& inputs) {
    std::vector<parser::Url> urls;
    for (const std::string& input : inputs) {
      if (!is_web_address(input) || fetched_.contains(input)) continue;
      const Result<parser::Url> url = parser::Url::parse(input);
      if (url.has_error()) {
        throw InputError(fmt::format("{} is not a valid URL: {}", to_valid_utf8(input), url.error().message));
      }
      if (!options_.fetch) {
        throw InputError(fmt::format("{} is on the web: only `linkherd check` without --offline reads such documents",
                                     name_of(*url)));
      }
      fetched_.emplace(input, urls.size());
      urls.push_back(*url);
    }
    if (!urls.empty()) lists_on_web_ = options_.fetch(urls);
  }

  void read_fetched(const std::string& input) {
    Result<FetchedList>& list = lists_on_web_.at(fetched_.at(input));
    const std::string name = name_of(parser::Url::parse(input).value());
    if (list.has_error()) return note_unread(fmt::format("{} cannot be read: {}", name, list.error().message));
    if (!seen_.insert(std::string(list->url.href())).second) return;
    if (!list->complete)
      note_unread(fmt::format("{} was received incompletely: only the links up to that point are read", name));
    std::string bytes = unpacked(name, std::move(list->bytes));  // each list is read only once
    if (parser::is_binary(bytes))
      return note_unread(fmt::format("{} is not a text file: pass a file that contains links", name));
    InputDocument document;
    document.file = name;
    document.base_url = list->url;
    document.text =
        (list->is_html ? parser::decode_html(bytes, list->charset) : parser::decode_text(bytes, list->charset)).text;
    std::string().swap(bytes);
    document.format =
        list->is_html ? parser::DocumentFormat::html : parser::detect_document_format(list->url.path(), document.text);
    take(std::move(document));
  }

  const SourceOptions& options_;
  SourceList list_;
  fs::path site_;  // the folder that is being read; empty if it is not a built site
  std::size_t text_bytes_ = 0;
  bool is_only_input_;
  std::map<std::string, std::string> untracked_;  // names by real paths
  std::unordered_set<std::string> seen_;
  fs::path folder_, real_folder_;               // the folder of the previous file, and its real path
  std::map<std::string, std::size_t> fetched_;  // URLs, with their indexes in `lists_on_web_`
  std::vector<Result<FetchedList>> lists_on_web_;
};

}  // namespace

bool is_web_address(const std::string& input) {
  return parser::starts_ignoring_case(input, "http://") || parser::starts_ignoring_case(input, "https://");
}

SourceList read_sources(const std::vector<std::string>& inputs, const SourceOptions& options) {
  SourceReader reader(inputs, options);
  for (const std::string& input : inputs) reader.read(input);
  return reader.finish();
}

}  // namespace linkherd::crawler
