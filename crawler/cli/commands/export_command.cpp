// `linkherd export`: writes the catalogue of a run, or its snapshots as WARC, from the store and without the network.
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "crawler/cli/command.h"
#include "crawler/cli/options/option_table.h"
#include "crawler/cli/options/run_choice.h"
#include "crawler/cli/options/store_location.h"
#include "crawler/cli/process.h"
#include "crawler/cli/report_output.h"
#include "parser/ascii.h"
#include "reports/catalogue.h"
#include "storage/checked_links.h"
#include "storage/store.h"
#include "storage/warc/warc_export.h"

namespace linkherd::crawler {
namespace {

using ExportFormat = std::optional<reports::CatalogueFormat>;  // nullopt: WARC

// The formats of the catalogue, and WARC.
constexpr auto export_format_names = [] {
  std::array<EnumName<ExportFormat>, reports::catalogue_format_names.size() + 1> names{};
  for (std::size_t i = 0; i < reports::catalogue_format_names.size(); ++i) {
    names[i] = {reports::catalogue_format_names[i].value, reports::catalogue_format_names[i].name};
  }
  names.back() = {std::nullopt, "warc"};
  return names;
}();

struct ExportOptions : CheckOptions {
  ExportFormat format = reports::CatalogueFormat::json;
  bool has_format_option = false;  // the command line has --format
  std::string output;              // a file; empty: stdout
  bool history = false;
  storage::WarcVersion warc_version = storage::WarcVersion::v1_1;
  std::string index;  // a file; empty: none
};

// Returns the format for the extension of a file name, or `otherwise` if the extension is unknown.
ExportFormat format_of_ending(const std::string& path, ExportFormat otherwise) {
  using enum reports::CatalogueFormat;
  static constexpr std::array<EnumName<ExportFormat>, 6> endings{{{csv, ".csv"},
                                                                  {json, ".json"},
                                                                  {bibtex, ".bib"},
                                                                  {markdown, ".md"},
                                                                  {markdown, ".markdown"},
                                                                  {std::nullopt, ".warc"}}};
  const std::string name = parser::to_ascii_lower(path);
  if (name.ends_with(".warc.gz")) return std::nullopt;
  return enum_value(endings, std::filesystem::path(name).extension().string()).value_or(otherwise);
}

void check_export_options(const ExportOptions& options) {
  if (options.report.byte_order_mark && options.format != reports::CatalogueFormat::csv)
    throw CLI::ValidationError("--bom", "only CSV output can begin with a byte order mark");
  if (options.history && options.format)
    throw CLI::ValidationError("--history", "only WARC can contain more than one check of a link");
  if (options.index.empty()) return;
  if (options.format) throw CLI::ValidationError("--cdxj", "the index belongs to a WARC file: add --format warc");
  if (options.output.empty()) throw CLI::ValidationError("--cdxj", "the index names the WARC file: add --output FILE");
}

void export_warc(const ExportOptions& options, const storage::LinkHistory& history, const storage::CheckedLinks& links,
                 const storage::Run& run, const Streams& streams) {
  const std::filesystem::path file(options.output);
  storage::ExportedWarc exported;
  write_output(options.output, streams, [&](std::ostream& out) {
    exported = storage::write_warc(out, history, links, run,
                                   {.software = "linkherd/" LINKHERD_VERSION,
                                    .file_name = file.filename().string(),
                                    .gzip = file.extension() != ".warc",
                                    .should_export_all = options.history,
                                    .index = !options.index.empty(),
                                    .version = options.warc_version});
  });
  if (!options.index.empty()) write_output(options.index, streams, [&](std::ostream& out) { out << exported.index; });
  if (exported.without_body > 0 && !options.common.quiet) {
    print_reason(
        streams,
        fmt::format(
            "of {} responses, {} have no body, because it was not stored: --bodies decides which bodies are stored",
            exported.responses, exported.without_body));
  }
}

// Rejects "csv" or ".csv" as the name of an output file.
void refuse_catalogue_format_as_file(const std::string& file) {
  const std::string word = file.substr(file.starts_with('.') ? 1 : 0);
  const bool is_name = std::ranges::any_of(export_format_names, [&](const auto& each) { return each.name == word; });
  const bool is_ending = file.starts_with('.') && std::filesystem::path("catalogue" + file).extension() == file &&
                         (format_of_ending("catalogue" + file, std::nullopt) || word == "warc");
  if (!is_name && !is_ending) return;
  throw CLI::ValidationError(
      "--output",
      fmt::format("{} is a format, not a file: --format {} writes to stdout; for a file with that name, write ./{}",
                  file, is_name ? word : "NAME", file));
}

ExitCode run_export(ExportOptions options, const Streams& streams) {
  refuse_catalogue_format_as_file(options.output);
  if (!options.has_format_option) options.format = format_of_ending(options.output, options.format);
  refuse_unsafe_output(options.store, "--log-file", options.common.log_file);
  refuse_unsafe_output(options.store, "--output", options.output);
  refuse_unsafe_output(options.store, "--cdxj", options.index);
  check_export_options(options);
  refuse_same_output("--cdxj", options.index, options.output);
  start_log(options.common);
  require_writable(options.output);
  require_writable(options.index);
  const std::unique_ptr<storage::Store> store = open_store_for_reading(options.store);
  const std::vector<storage::Run> runs = store->runs();
  const std::string location = store_location(options.store).string();
  const storage::Run& run = chosen_run(runs, options.choice, location);
  const storage::StoredLinks all(*store, with_inferred_end(run, runs));
  const std::unique_ptr<const storage::CheckedLinks> chosen = chosen_links(all, run, options.choice, location);
  const storage::CheckedLinks& links = chosen == nullptr ? all : *chosen;
  if (!options.format) {
    export_warc(options, storage::LinkHistory(*store), links, run, streams);
    return ExitCode::ok;
  }
  write_output(options.output, streams, [&](std::ostream& out) {
    if (options.report.byte_order_mark) out << byte_order_mark;
    reports::write_catalogue(out, links, *options.format);
  });
  return ExitCode::ok;
}

}  // namespace

Command add_export_command(CLI::App& app) {
  return add_command<ExportOptions>(
      app, "export", "Export your links with the titles, authors and dates of their pages", commands::catalogue,
      run_export, [](ExportOptions& o) -> std::vector<Option> {
        return {{"-f,--format", read_choice(o.format, export_format_names),
                 "Format of the catalogue (default: from the file extension); warc exports the stored pages",
                 any_command, safe, marks_given(o.has_format_option)},
                {"-o,--output", read_text(o.output, "FILE"), "Write to FILE instead of stdout"},
                {"--history", read_flag(o.history),
                 "WARC: export all stored checks of these links, not only those of the run"},
                {"--warc-version", read_choice(o.warc_version, storage::warc_version_names),
                 "WARC version; some tools read only 1.0"},
                {"--cdxj", read_text(o.index, "FILE"), "WARC: also write a sorted CDXJ index to FILE"}};
      });
}

}  // namespace linkherd::crawler
