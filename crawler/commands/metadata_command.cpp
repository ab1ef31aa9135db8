#include "crawler/commands/metadata_command.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <ostream>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "crawler/clock.h"
#include "crawler/commands/option_types.h"
#include "crawler/commands/process.h"
#include "crawler/sources/file_bytes.h"
#include "crawler/sources/source.h"
#include "parser/html/charset.h"
#include "parser/html/html_document.h"
#include "parser/metadata/extract_metadata.h"
#include "parser/utf8.h"
#include "storage/record_json.h"

namespace linkherd::crawler {
namespace {

struct MetadataOptions {
  CommonOptions common;
  std::vector<std::string> files;
  std::string url;
  std::string files_from;
};

struct SavedPage {
  std::string file;
  std::string url;  // empty: unknown
};

// Far above any page; what is parsed of it is cut long before.
constexpr std::size_t max_page_bytes = std::size_t{64} << 20;

// Lines FILE<TAB>URL; the URL may be missing. FILE is relative to the current folder.
std::vector<SavedPage> read_page_list(const std::string& name, std::istream& standard_input) {
  std::ifstream file;
  if (name != "-") file.open(name);
  std::istream& list = name == "-" ? standard_input : file;
  if (!list) throw InputError("cannot read " + name + ": " + std::strerror(errno));
  std::vector<SavedPage> pages;
  std::string line;
  while (std::getline(list, line)) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    const auto tab = line.find('\t');
    pages.push_back({line.substr(0, tab), tab == std::string::npos ? std::string() : line.substr(tab + 1)});
  }
  return pages;
}

std::vector<SavedPage> pages_of(const MetadataOptions& options, const Streams& streams) {
  std::vector<SavedPage> pages;
  for (const std::string& file : options.files) pages.push_back({file, options.url});
  if (!options.files_from.empty()) {
    for (SavedPage& page : read_page_list(options.files_from, streams.in)) pages.push_back(std::move(page));
  }
  if (pages.empty()) throw InputError("there is no page to read: name files, or a list of them with --files-from");
  return pages;
}

boost::json::object describe(const SavedPage& page, const std::string& bytes, Timestamp now) {
  const parser::DecodedText decoded = parser::decode_html(bytes, {});
  const parser::HtmlDocument document = parser::HtmlDocument::parse(decoded.text);
  std::optional<parser::Url> url;
  if (const auto parsed = parser::Url::parse(page.url); parsed.has_value()) url = *parsed;
  const parser::Metadata metadata = parser::extract_metadata(document, url ? &*url : nullptr, now);

  boost::json::object line{{"file", to_valid_utf8(page.file)}, {"url", nullptr}};
  if (!page.url.empty()) line["url"] = to_valid_utf8(page.url);
  for (auto& [key, value] : storage::to_json(metadata)) line[key] = std::move(value);
  return line;
}

ExitCode run_metadata(const MetadataOptions& options, const Streams& streams) {
  start_log(options.common);
  const Timestamp now = Clock(options.common.now).now();
  std::size_t unreadable = 0;
  std::string first_unreadable;
  for (const SavedPage& page : pages_of(options, streams)) {
    const Result<std::string> bytes = read_file_bytes(page.file, max_page_bytes);
    if (bytes.has_error()) {
      if (unreadable++ == 0) first_unreadable = fmt::format("{} {}", to_valid_utf8(page.file), bytes.error().message);
      continue;
    }
    streams.out << boost::json::serialize(describe(page, *bytes, now)) << '\n';
  }
  if (unreadable == 0) return ExitCode::ok;
  say_why(streams, first_unreadable + (unreadable > 1 ? fmt::format(" (and {} more files)", unreadable - 1) : ""));
  return ExitCode::could_not_run;
}

}  // namespace

Command add_metadata_command(CLI::App& app) {
  auto options = std::make_shared<MetadataOptions>();  // shared with the CLI11 callbacks
  CLI::App* command = app.add_subcommand("metadata", "Title, authors and dates of saved pages; one JSON object a line");
  command->add_option("FILE", options->files, "Saved HTML pages");
  CLI::Option* url = command->add_option("--url", options->url, "Where the page is from")->type_name("URL");
  command->add_option("--files-from", options->files_from, "A list with lines FILE<TAB>URL; - for stdin")
      ->type_name("LIST")
      ->excludes(url);
  add_common_options(*command, options->common);
  return {command, [options](const Streams& streams) { return run_metadata(*options, streams); }};
}

}  // namespace linkherd::crawler
