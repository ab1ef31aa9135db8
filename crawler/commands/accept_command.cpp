// `linkherd accept`: writes [[accepted]] tables to linkherd.toml, so that known failures do not fail a check for a
// while.
#include <filesystem>
#include <memory>
#include <ostream>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <toml++/toml.h>

#include "crawler/clock/clock.h"
#include "crawler/commands/acceptances.h"
#include "crawler/commands/command.h"
#include "crawler/commands/configuration.h"
#include "crawler/commands/option_types.h"
#include "crawler/commands/process.h"
#include "crawler/commands/report_output.h"
#include "crawler/sources/file_bytes.h"
#include "parser/url/credentials.h"
#include "reports/escape.h"
#include "reports/wording.h"

namespace linkherd::crawler {
namespace {

struct AcceptOptions {
  CommonOptions common;
  std::vector<std::string> urls;
  std::string reason;
  std::string until;
  std::string by;
};

// A password in the URL is not written into the file: it is masked where links are compared as well.
std::string table_of(const AcceptOptions& options, const std::string& url) {
  toml::table table{{"url", parser::mask_password(url)}, {"reason", options.reason}, {"until", options.until}};
  if (!options.by.empty()) table.insert("by", options.by);
  std::ostringstream text;
  text << toml::table{{accepted_section, toml::array{std::move(table)}}};
  return std::move(text).str();
}

ExitCode run_accept(const AcceptOptions& options, const Streams& streams) {
  start_log(options.common);
  std::string added;
  for (const std::string& url : options.urls) {
    const std::string table = table_of(options, url);
    const Result<Acceptances> read = Acceptances::read(table);
    if (read.has_error()) throw CLI::ValidationError("accept", read.error().message);
    if (!read->expired(Clock(options.common.now).now()).empty())
      throw CLI::ValidationError("--until", options.until + " is over");
    added.append("\n").append(table).append("\n");
  }
  const std::string file =
      options.common.config_file.empty() ? std::string(configuration_file_name) : options.common.config_file;
  std::string text;
  if (std::filesystem::exists(file)) {
    Result<std::string> before = read_file_bytes(file, most_configuration_bytes);
    if (before.has_error()) throw std::runtime_error(fmt::format("{} {}", file, before.error().message));
    text = std::move(*before);
    if (!text.empty() && !text.ends_with('\n')) text += '\n';
  }
  text += added;
  if (text.size() > most_configuration_bytes) throw std::runtime_error(file + " would be too large");
  const Result<Acceptances> all = Acceptances::read(text);
  if (all.has_error()) throw std::runtime_error(fmt::format("{} cannot be added to: {}", file, all.error().message));
  write_file(file, [&text](std::ostream& out) { out << text; });
  if (!options.common.quiet) {
    fmt::print(streams.out, "{}: {} accepted until {}\n", reports::escape_for_terminal(file),
               reports::counted(options.urls.size(), "link"), options.until);
  }
  return ExitCode::ok;
}

}  // namespace

Command add_accept_command(CLI::App& app) {
  auto options = std::make_shared<AcceptOptions>();  // shared with the CLI11 callbacks
  CLI::App* command = app.add_subcommand("accept", "Note in linkherd.toml that links may fail until a day, and why");
  command->add_option("URL", options->urls, "The links, as they are written in a list")->required();
  command->add_option("--reason", options->reason, "Why")->type_name("TEXT")->required();
  command->add_option("--until", options->until, "The last day")->type_name("YYYY-MM-DD")->required();
  command->add_option("--by", options->by, "Who says so")->type_name("NAME");
  add_common_options(*command, options->common);
  return {command, [options](const Streams& streams) { return run_accept(*options, streams); }};
}

}  // namespace linkherd::crawler
