// `linkherd export`: the catalogue of a run, from the store, without the network.
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "crawler/commands/command.h"
#include "crawler/commands/option_types.h"
#include "crawler/commands/process.h"
#include "crawler/commands/report_output.h"
#include "crawler/commands/run_choice.h"
#include "crawler/commands/store_location.h"
#include "reports/catalogue.h"
#include "storage/checked_links.h"
#include "storage/store.h"

namespace linkherd::crawler {
namespace {

struct ExportOptions {
  CommonOptions common;
  RunChoice choice;
  reports::CatalogueFormat format = reports::CatalogueFormat::json;
  std::string store;
  std::string output;  // a file; empty: stdout
  bool byte_order_mark = false;
};

ExitCode run_export(const ExportOptions& options, const Streams& streams) {
  refuse_output_in_store(options.store, "--log-file", options.common.log_file);
  refuse_output_in_store(options.store, "--output", options.output);
  if (options.byte_order_mark && options.format != reports::CatalogueFormat::csv) {
    throw CLI::ValidationError("--bom", "only CSV begins with a byte order mark");
  }
  start_log(options.common);
  require_writable(options.output);
  const std::unique_ptr<storage::Store> store = open_store_for_reading(options.store);
  const std::vector<storage::Run> runs = store->runs();
  const storage::Run& run = chosen_run(runs, options.choice, store_location(options.store).string());
  const storage::StoredLinks links(*store, with_its_end(run, runs));
  write_output(options.output, streams, [&](std::ostream& out) {
    if (options.byte_order_mark) out << "\xEF\xBB\xBF";
    reports::write_catalogue(out, links, options.format);
  });
  return ExitCode::ok;
}

}  // namespace

Command add_export_command(CLI::App& app) {
  auto options = std::make_shared<ExportOptions>();  // shared with the CLI11 callbacks
  CLI::App* command = app.add_subcommand(
      "export", "Write the catalogue of a run, from the store: what is listed, and what its pages say of themselves");
  add_choice(*command, "-f,--format", options->format, reports::catalogue_format_names, "The format of the catalogue");
  command->add_option("-o,--output", options->output, "Write to this file instead of standard output")
      ->type_name("FILE");
  command->add_flag("--bom", options->byte_order_mark,
                    "Begin with a byte order mark, by which spreadsheet programs know UTF-8");
  add_run_choice(*command, options->choice);
  add_store_option(*command, options->store);
  add_common_options(*command, options->common);
  return {command, [options](const Streams& streams) { return run_export(*options, streams); }};
}

}  // namespace linkherd::crawler
