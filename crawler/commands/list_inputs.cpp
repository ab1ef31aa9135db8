#include "crawler/commands/list_inputs.h"

#include <ostream>

#include "crawler/commands/option_types.h"
#include "crawler/commands/store_location.h"
#include "reports/escape.h"

namespace linkherd::crawler {
namespace {

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

}  // namespace

void add_list_inputs(CLI::App& app, ListInputs& inputs) {
  app.add_option("INPUT", inputs.inputs, "Files, folders, globs, or - for stdin (default: this repository's lists)");
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

std::vector<Seed> read_lists(const ListInputs& inputs, const Streams& streams, bool quiet) {
  std::vector<std::string> names = inputs.inputs;
  if (names.empty()) names.push_back(repository_root().value_or(".").string());
  SourceOptions options;
  options.stdin_stream = &streams.in;
  SourceList list = read_sources(names, options);
  if (inputs.input_format) {
    for (Seed& seed : list.seeds) seed.format = *inputs.input_format;
  }
  if (!quiet) {
    for (const std::string& line : list.passed_over) {
      streams.err << "linkherd: passed over " << reports::escape_for_terminal(line) << '\n';
    }
  }
  return std::move(list.seeds);
}

parser::ExtractOptions extract_options(const ListInputs& inputs) {
  parser::ExtractOptions options;
  options.include_verbatim = inputs.include_verbatim;
  options.include_wikilinks = inputs.include_wikilinks;
  if (!inputs.base_url.empty()) options.base_url = parser::Url::parse(inputs.base_url).value();
  return options;
}

}  // namespace linkherd::crawler
