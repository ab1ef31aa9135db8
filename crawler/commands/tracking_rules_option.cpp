#include "crawler/commands/tracking_rules_option.h"

#include <ostream>

#include <fmt/format.h>

#include "crawler/sources/file_bytes.h"
#include "reports/escape.h"

namespace linkherd::crawler {
namespace {

constexpr std::size_t largest_file = std::size_t{16} << 20;

}  // namespace

CLI::Option* add_tracking_rules_option(CLI::App& app, std::string& file) {
  return app
      .add_option("--tracking-rules", file, "More tracking parameters and redirectors, in the format of ClearURLs")
      ->type_name("FILE");
}

std::optional<parser::TrackingRules> read_tracking_rules(const std::string& file, const Streams& streams, bool quiet) {
  if (file.empty()) return std::nullopt;
  const Result<std::string> json = read_file_bytes(file, largest_file);
  if (json.has_error()) throw CLI::ValidationError("--tracking-rules", file + " " + json.error().message);
  std::vector<std::string> warnings;
  Result<parser::TrackingRules> rules = parser::TrackingRules::read_clear_urls(*json, warnings);
  if (rules.has_error()) throw CLI::ValidationError("--tracking-rules", file + " " + rules.error().message);
  if (!quiet) {
    for (const std::string& warning : warnings) {
      streams.err << "linkherd: " << reports::escape_message(fmt::format("{}: {}", file, warning)) << '\n';
    }
  }
  return std::move(rules).value();
}

}  // namespace linkherd::crawler
