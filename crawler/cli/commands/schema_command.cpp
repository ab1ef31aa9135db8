// `linkherd schema`: prints the JSON Schema for the output of `check`, `report` and `links`.
#include <ostream>

#include "crawler/cli/command.h"
#include "crawler/cli/options/option_table.h"
#include "reports/report_formats.h"

namespace linkherd::crawler {
namespace {

struct SchemaOptions : CheckOptions {
  reports::SchemaRoot root = reports::SchemaRoot::report;
};

}  // namespace

Command add_schema_command(CLI::App& app) {
  const auto run = [](const SchemaOptions& o, const Streams& streams) {
    streams.out << reports::json_schema_text(o.root);
    return ExitCode::ok;
  };
  return add_command<SchemaOptions>(
      app, "schema", "Print the JSON Schema (draft 2020-12) of the JSON output", commands::other, run,
      [](SchemaOptions& o) -> std::vector<Option> {
        return {{"NAME", read_choice(o.root, reports::schema_root_names),
                 "report: the json output of check and report; link: one line of their jsonl output; occurrence: one "
                 "line of the jsonl output of links"}};
      });
}

}  // namespace linkherd::crawler
