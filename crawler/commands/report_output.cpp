#include "crawler/commands/report_output.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <stdexcept>
#include <system_error>

#include <unistd.h>

#include "parser/utf8.h"
#include "reports/json_report.h"
#include "reports/text_report.h"

namespace linkherd::crawler {
namespace {

// The NO_COLOR convention (https://no-color.org): any value that is not empty.
bool no_color_wanted() {
  const char* value = std::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe): nothing here sets the environment
  return value != nullptr && *value != '\0';
}

bool use_color(const ReportOptions& options, const Streams& streams) {
  if (options.color == ColorMode::always) return true;
  return options.color == ColorMode::automatic && options.output.empty() && streams.out_is_terminal &&
         !no_color_wanted();
}

[[noreturn]] void refuse_output(const std::string& file) {
  throw std::runtime_error("cannot write the report to " + to_valid_utf8(file) + ": choose another file with --output");
}

void write_to(std::ostream& out, const reports::Report& report, const ReportOptions& options, bool verbose,
              bool color) {
  switch (options.format) {
    case OutputFormat::json: reports::write_json(out, report); break;
    case OutputFormat::jsonl: reports::write_jsonl(out, report); break;
    case OutputFormat::text: reports::write_text(out, report, {color, verbose}); break;
  }
  out.flush();
}

}  // namespace

void require_writable(const ReportOptions& options) {
  if (options.output.empty()) return;
  const std::filesystem::path path(options.output);
  std::error_code error;
  const bool exists = std::filesystem::exists(path, error);
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  if (std::filesystem::is_directory(path, error) || access((exists ? path : folder).c_str(), W_OK) != 0) {
    refuse_output(options.output);
  }
}

void write_report(const reports::Report& report, const ReportOptions& options, bool verbose, const Streams& streams) {
  const bool color = use_color(options, streams);
  if (options.output.empty()) {
    write_to(streams.out, report, options, verbose, color);
    if (!streams.out) throw std::runtime_error("cannot write the report to standard output");
    return;
  }
  std::ofstream file(options.output, std::ios::binary | std::ios::trunc);
  if (file) write_to(file, report, options, verbose, color);
  if (!file) refuse_output(options.output);
}

}  // namespace linkherd::crawler
