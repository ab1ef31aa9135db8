#include "crawler/commands/list_inputs.h"

#include <istream>
#include <ostream>
#include <sstream>

#include "crawler/commands/option_types.h"
#include "crawler/commands/store_location.h"
#include "crawler/sources/file_bytes.h"
#include "parser/ascii.h"
#include "reports/escape.h"

namespace linkherd::crawler {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";  // as Windows' editors put before UTF-8

void add_format_choice(CLI::App& app, std::optional<parser::ListFormat>& format) {
  std::string names;
  for (const auto& entry : parser::list_format_names) names += (names.empty() ? "" : ", ") + std::string(entry.name);
  const auto set = [&format, names](const std::string& text) {
    format = enum_value(parser::list_format_names, text);
    if (!format) throw CLI::ValidationError("--input-format", text + " is none of " + names);
  };
  app.add_option_function<std::string>("--input-format", set, "Read every input as " + names)
      ->type_name("FORMAT")
      ->group(rare_options);
}

// One input a line, or between NULs as `find -print0` writes them; empty lines and those that begin with "#" aside.
std::vector<std::string> inputs_in(const std::string& file, std::istream& in) {
  constexpr std::size_t largest_file = std::size_t{64} << 20;
  std::string text;
  if (file == "-") {
    for (std::string line; text.size() <= largest_file && std::getline(in, line);) text += line + '\n';
  } else {
    Result<std::string> bytes = read_file_bytes(file, largest_file);
    if (bytes.has_error()) throw InputError(file + " " + bytes.error().message);
    text = std::move(bytes).value();
  }
  const bool nul_separated = text.find('\0') != std::string::npos;
  std::vector<std::string> inputs;
  std::istringstream lines(text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size()) : text);
  for (std::string line; std::getline(lines, line, nul_separated ? '\0' : '\n');) {
    const std::string_view input = nul_separated ? std::string_view(line) : parser::trim_ascii(line);
    if (!input.empty() && (nul_separated || !input.starts_with('#'))) inputs.emplace_back(input);
  }
  return inputs;
}

}  // namespace

void add_list_inputs(CLI::App& app, ListInputs& inputs, const std::string& kinds) {
  app.add_option("INPUT", inputs.inputs, kinds + ", - for stdin (default: this repository's lists)");
  app.add_option("--files-from", inputs.files_from, "Also the inputs in this file, one a line; - for stdin")
      ->type_name("FILE");
  app.add_option("--exclude-path", inputs.exclude_paths, "Leave out files in whose path this is found")
      ->type_name("REGEX");
  app.add_flag("--no-git", inputs.no_git, "Read folders as they are, not as git tracks them")->group(rare_options);
  app.add_flag("--include-verbatim", inputs.include_verbatim, "Also links in code blocks and code spans");
  app.add_flag("--include-wikilinks", inputs.include_wikilinks, "Also Markdown's [[page]] links")->group(rare_options);
  add_format_choice(app, inputs.input_format);
  const auto check_url = [](const std::string& text) {
    const auto url = parser::Url::parse(text);
    return url.has_error() ? text + " is no absolute URL: " + url.error().message : std::string();
  };
  app.add_option("-b,--base-url", inputs.base_url, "What relative links are resolved against")
      ->type_name("URL")
      ->check(check_url);
}

SourceList read_lists(const ListInputs& inputs, const Streams& streams, bool quiet, const FetchLists& fetch) {
  std::vector<std::string> names = inputs.inputs;
  if (!inputs.files_from.empty()) {
    const std::vector<std::string> more = inputs_in(inputs.files_from, streams.in);
    if (more.empty()) throw InputError(inputs.files_from + " names no input: write one a line");
    names.insert(names.end(), more.begin(), more.end());
  }
  if (names.empty()) names.push_back(repository_root().value_or(".").string());
  const Result<PathFilter> excluded = PathFilter::make(inputs.exclude_paths);
  if (excluded.has_error()) throw CLI::ConfigError(excluded.error().message);
  SourceOptions options;
  options.stdin_stream = &streams.in;
  options.use_git = !inputs.no_git;
  options.exclude_paths = &*excluded;
  options.fetch = fetch;
  SourceList list = read_sources(names, options);
  if (inputs.input_format) {
    for (Seed& seed : list.seeds) seed.format = *inputs.input_format;
  }
  const auto say = [&](std::string_view before, const std::vector<std::string>& lines) {
    if (quiet) return;
    for (const std::string& line : lines) streams.err << before << reports::escape_for_terminal(line) << '\n';
  };
  say("linkherd: passed over ", list.passed_over);
  say("linkherd: ", list.warnings);
  if (list.seeds.empty() && !list.missed.empty()) throw InputError(list.missed.front());
  say("linkherd: ", list.missed);
  return list;
}

parser::ExtractOptions extract_options(const ListInputs& inputs) {
  parser::ExtractOptions options;
  options.include_verbatim = inputs.include_verbatim;
  options.include_wikilinks = inputs.include_wikilinks;
  if (!inputs.base_url.empty()) options.base_url = parser::Url::parse(inputs.base_url).value();
  return options;
}

}  // namespace linkherd::crawler
