// `linkherd schema`: prints the JSON Schema for the output of `check`, `report` and `links`.
#include <memory>
#include <ostream>

#include "crawler/cli/command.h"
#include "crawler/cli/options/option_types.h"
#include "reports/report_formats.h"

namespace linkherd::crawler {
namespace {

struct SchemaOptions {
  CommonOptions common;
  reports::SchemaRoot root = reports::SchemaRoot::report;
};

}  // namespace

Command add_schema_command(CLI::App& app) {
  auto options = std::make_shared<SchemaOptions>();  // shared with the CLI11 callbacks
  CLI::App* command = app.add_subcommand("schema", "Print the JSON Schema (draft 2020-12) of the JSON output");
  add_choice(*command, "NAME", options->root, reports::schema_root_names,
             "report: the json output of check and report; link: one line of their jsonl output; occurrence: one line "
             "of the jsonl output of links");
  add_common_options(*command, options->common);
  return {command, [options](const Streams& streams) {
            streams.out << reports::json_schema_text(options->root);
            return ExitCode::ok;
          }};
}

}  // namespace linkherd::crawler
