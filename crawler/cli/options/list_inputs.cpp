#include "crawler/cli/options/list_inputs.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <istream>
#include <limits>
#include <optional>
#include <ostream>
#include <span>
#include <sstream>
#include <system_error>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "crawler/cli/first_problems.h"
#include "crawler/cli/options/option.h"
#include "crawler/cli/options/store_location.h"
#include "crawler/sources/file_bytes.h"
#include "crawler/sources/folder_documents.h"
#include "crawler/sources/input_path.h"
#include "parser/ascii.h"
#include "parser/join.h"
#include "parser/utf8.h"
#include "reports/escape.h"
#include "reports/messages.h"

namespace linkherd::crawler {
namespace {

// Decodes a name that git quoted (C syntax) because of non-ASCII bytes, quotes or control characters.
std::optional<std::string> unquoted(std::string_view line) {
  static constexpr std::string_view letters = R"(abtnvfr"\)";
  static constexpr std::string_view meanings = "\a\b\t\n\v\f\r\"\\";
  if (line.size() < 2 || line.front() != '"' || line.back() != '"') return std::nullopt;
  line = line.substr(1, line.size() - 2);
  std::string name;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\') {
      name += line[i];
      continue;
    }
    if (++i == line.size()) return std::nullopt;
    if (const std::size_t letter = letters.find(line[i]); letter != std::string_view::npos) {
      name += meanings[letter];
      continue;
    }
    unsigned octet = 0;
    const char* const digits = line.data() + i;
    const auto [end, error] = std::from_chars(digits, digits + std::min<std::size_t>(3, line.size() - i), octet, 8);
    if (error != std::errc() || end != digits + 3 || octet > 0xFF) return std::nullopt;
    name += static_cast<char>(octet);
    i += 2;
  }
  return name;
}

// Returns the input on a line. A line that begins with "#" is a comment only if no file has that name.
std::string input_of(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(line, error))) return std::string(line);
  line = parser::trim_ascii(line);
  if (line.starts_with('#')) return {};
  return unquoted(line).value_or(std::string(line));
}

// Reads inputs that are separated by line breaks, or by NULs as in the output of `find -print0`. Skips empty lines and
// "#" comments.
std::vector<std::string> inputs_in(const std::string& file, std::istream& in) {
  constexpr std::size_t max_file_bytes = std::size_t{64} << 20;
  std::string text;
  std::error_code error;
  const auto type = std::filesystem::status(file, error).type();
  const bool is_pipe = type == std::filesystem::file_type::fifo || type == std::filesystem::file_type::character;
  if (file == "-" || is_pipe) {  // "<(git ls-files)" of a shell is /dev/fd/63
    const std::string name = file == "-" ? "standard input" : file;
    std::ifstream pipe;
    if (file != "-") pipe.open(file, std::ios::binary);
    std::istream& lines = file == "-" ? in : pipe;
    if (!lines) throw InputError(name + " cannot be opened: give a file with the names of inputs");
    std::string piece(std::size_t{64} << 10, '\0');
    do {
      lines.read(piece.data(), static_cast<std::streamsize>(piece.size()));
      text.append(piece, 0, static_cast<std::size_t>(lines.gcount()));
    } while (lines && text.size() <= max_file_bytes);
    if (lines.bad()) throw InputError(name + " cannot be read: give a file with the names of inputs");
    if (text.size() > max_file_bytes) throw InputError(name + " is larger than 64 MB: pass fewer inputs");
  } else {
    Result<std::string> bytes = read_file_bytes(file, max_file_bytes);
    if (bytes.has_error()) throw InputError(file + " " + bytes.error().message);
    text = std::move(bytes).value();
  }
  const bool nul_separated = text.find('\0') != std::string::npos;
  std::vector<std::string> inputs;
  std::istringstream lines(text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size()) : text);
  for (std::string line; std::getline(lines, line, nul_separated ? '\0' : '\n');) {
    std::string input = nul_separated ? line : input_of(line);
    if (!input.empty()) inputs.push_back(std::move(input));
  }
  return inputs;
}

// Names only the first files on stderr, because a folder may have hundreds that are not input documents. The log names
// all.
void report_skipped(const std::vector<std::string>& skipped, const Streams& streams) {
  constexpr std::size_t max_named = 3;
  for (const std::string& line : skipped) {
    if (skipped.size() > max_named) {
      spdlog::info("skipped " + line);
    } else {
      print_reason(streams, "skipped " + line);
    }
  }
  if (skipped.size() <= max_named) return;
  print_reason(streams,
               fmt::format("skipped {} inputs, such as {}; -v lists all of them", skipped.size(), skipped.front()));
}

// Prints a line such as "2 untracked files skipped: a.md, b.md; --no-git reads them".
void report_untracked(const std::vector<std::string>& files, const Streams& streams) {
  constexpr std::size_t max_named = 3;
  if (files.empty()) return;
  const std::span<const std::string> named(files.data(), std::min(max_named, files.size()));
  std::string names = join(named, ", ");
  if (files.size() > max_named) names += fmt::format(" and {} more", files.size() - max_named);
  print_reason(streams,
               fmt::format("{} skipped: {}; --no-git reads {}", reports::counted(files.size(), "untracked file"), names,
                           files.size() == 1 ? "it" : "them"));
  for (const std::string& file : files) spdlog::info("untracked, not read: " + file);
}

}  // namespace

SourceList read_lists(const ListInputs& inputs, const Streams& streams, bool quiet, const FetchLists& fetch,
                      const std::function<void(InputDocument)>& take) {
  std::vector<std::string> names = inputs.inputs;
  if (!inputs.files_from.empty()) {
    const std::vector<std::string> more = inputs_in(inputs.files_from, streams.in);
    names.insert(names.end(), more.begin(), more.end());
  } else if (names.empty()) {
    names.push_back(repository_root().value_or(".").string());
  }
  const Result<PathFilter> excluded = PathFilter::make(inputs.exclude_paths);
  if (excluded.has_error()) throw CLI::ConfigError(excluded.error().message);
  SourceOptions options;
  options.stdin_stream = &streams.in;
  options.should_use_git = !inputs.no_git;
  options.exclude_paths = &*excluded;
  options.skip_missing = inputs.skip_missing;
  if (inputs.any_size) options.max_text_bytes = std::numeric_limits<std::size_t>::max();
  options.fetch = fetch;
  options.input_format = inputs.input_format;
  options.take = take;
  SourceList list = read_sources(names, options);
  if (!quiet) {
    report_skipped(list.skipped, streams);
    if (inputs.should_report_untracked) report_untracked(list.untracked, streams);
    for (const std::string& line : list.warnings) print_reason(streams, line);
  }
  const bool are_all_unread = list.lists == 0 && !list.unread.empty();
  for (std::size_t i = are_all_unread ? 1 : 0; i < list.unread.size(); ++i) print_reason(streams, list.unread[i]);
  if (are_all_unread) throw InputError(list.unread.front());
  return list;
}

std::string input_name(const std::string& input) {
  std::error_code error;
  if (!is_web_address(input) || std::filesystem::exists(input, error)) return input_path(input);
  const Result<parser::Url> url = parser::Url::parse(input);
  return url.has_value() ? std::string(url->href_without_fragment()) : input;
}

std::vector<std::string> input_names(const ListInputs& inputs) {
  std::vector<std::string> names;
  for (const std::string& input : inputs.inputs) {
    std::string name = input_name(input);
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  if (names.empty() && inputs.files_from.empty()) names.push_back(repository_root().value_or(".").string());
  return names;
}

bool can_be_input(const std::string& word) {
  std::error_code error;
  return word == "-" || std::filesystem::exists(word, error) || is_web_address(word) || is_glob(word);
}

std::optional<GitChanges> read_changes(const ListInputs& inputs) {
  if (inputs.changed_since.empty()) return std::nullopt;
  Result<GitChanges> changes = GitChanges::since(".", inputs.changed_since);
  if (changes.has_error()) throw CLI::ValidationError("--changed-since", changes.error().message);
  return std::move(changes).value();
}

void print_outside(const std::vector<std::string>& lists, const Streams& streams, bool quiet) {
  if (quiet) return;
  std::vector<std::string> lines;
  lines.reserve(lists.size());
  for (const std::string& list : lists) lines.push_back("skipped " + list + ": it has no earlier version in git");
  print_first(lines, lines.size(), "inputs are skipped", streams);
}

reports::Outcome outcome_without_links(const ListInputs& inputs, const std::vector<std::string>& unread) {
  constexpr int failed = static_cast<int>(ExitCode::could_not_run);
  if (!unread.empty()) return {failed, unread.front()};
  if (!inputs.changed_since.empty()) {  // a change without links is not a mistake
    return {0, "nothing to check: no link was added, moved or broken since " + to_valid_utf8(inputs.changed_since)};
  }
  if (inputs.fail_if_empty) return {failed, "there is no link in the input, and --fail-if-empty makes that an error"};
  return {0, "nothing to check: there is no link in the input"};
}

parser::ExtractOptions extract_options(const ListInputs& inputs) {
  parser::ExtractOptions options;
  options.include_verbatim = inputs.include_verbatim;
  options.include_wikilinks = inputs.include_wikilinks;
  if (!inputs.base_url.empty()) options.base_url = parser::Url::parse(inputs.base_url).value();
  return options;
}

}  // namespace linkherd::crawler
