#include "crawler/commands/list_inputs.h"

#include <ostream>

#include "crawler/commands/store_location.h"
#include "reports/escape.h"

namespace linkherd::crawler {

void add_list_inputs(CLI::App& app, ListInputs& inputs) {
  app.add_option("INPUT", inputs.inputs, "Files, folders, globs, or - for stdin (default: this repository's lists)");
  app.add_flag("--include-verbatim", inputs.include_verbatim, "Also links in code blocks and code spans");
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
  if (!inputs.base_url.empty()) options.base_url = parser::Url::parse(inputs.base_url).value();
  return options;
}

}  // namespace linkherd::crawler
