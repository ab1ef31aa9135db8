// `linkherd accept`: writes [[accepted]] tables to linkherd.toml, so that known failures do not fail a check until a
// date.
#include <filesystem>
#include <ostream>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "crawler/cli/command.h"
#include "crawler/cli/options/acceptances.h"
#include "crawler/cli/options/configuration.h"
#include "crawler/cli/options/option_table.h"
#include "crawler/cli/options/toml_text.h"
#include "crawler/cli/process.h"
#include "crawler/cli/report_output.h"
#include "crawler/clock/clock.h"
#include "crawler/sources/file_bytes.h"
#include "crawler/sources/repository_bounds.h"
#include "parser/url/credentials.h"
#include "parser/url/url.h"
#include "parser/utf8.h"
#include "reports/escape.h"
#include "reports/messages.h"

namespace linkherd::crawler {
namespace {

struct AcceptOptions : CheckOptions {
  std::vector<std::string> urls;
  std::string reason;
  std::string until;
  std::string by;
};

// Masks a password in the URL, which must not be written to the file. Links are compared in masked form as well.
toml::table table_of(const AcceptOptions& options, const std::string& url) {
  toml::table table{
      {"url", parser::mask_password(url)}, {"reason", to_valid_utf8(options.reason)}, {"until", options.until}};
  if (!options.by.empty()) table.insert("by", to_valid_utf8(options.by));
  return table;
}

std::string refuse_unfetchable(const std::string& text) {
  const auto url = parser::Url::parse(text);
  const bool is_usable = is_valid_utf8(text) && url.has_value() && url->is_http();
  return is_usable ? std::string() : text + " is not an http or https URL";
}

// Throws std::runtime_error unless `text` is valid and has exactly the content of `before` and `added`.
void verify(const std::string& file, std::string_view before, const toml::array& added, std::string_view text) {
  const auto refuse = [&file](std::string_view why) {
    throw std::runtime_error(fmt::format("cannot add to {}: {}", file, why));
  };
  const Result<Acceptances> all = Acceptances::read(text);
  if (all.has_error()) refuse(all.error().message);
  toml::table wanted = toml::parse(before);
  if (!wanted.contains(accepted_section)) wanted.insert(accepted_section, toml::array());
  toml::array& tables = *wanted[accepted_section].as_array();
  tables.insert(tables.cend(), added.begin(), added.end());
  if (toml::parse(text) != wanted) refuse("its other settings would change");
}

// Returns the text of the file followed by the tables, with the line endings of the file.
std::string with_tables(std::string text, const toml::array& added) {
  const std::size_t first_line = text.find('\n');
  const bool is_crlf = first_line != std::string::npos && first_line > 0 && text[first_line - 1] == '\r';
  std::string lines = text.empty() || text.ends_with('\n') ? "" : "\n";
  for (const toml::node& table : added) {
    lines.append("\n").append(toml_text(accepted_section, *table.as_table())).append("\n");
  }
  for (const char c : lines) text.append(is_crlf && c == '\n' ? "\r" : "").append(1, c);
  return text;
}

ExitCode run_accept(const AcceptOptions& options, const Streams& streams) {
  start_log(options.common);
  toml::array added;
  for (const std::string& url : options.urls) {
    toml::table table = table_of(options, url);
    const Result<Acceptances> read = Acceptances::read(toml_text(accepted_section, table));
    if (read.has_error()) throw CLI::ValidationError("accept", read.error().message);
    if (!read->expired(Clock(options.common.now).now()).empty())
      throw CLI::ValidationError("--until", options.until + " is over");
    added.push_back(std::move(table));
  }
  const bool is_named = !options.common.config_files.empty();
  const std::string file = is_named ? options.common.config_files.back() : discovered_configuration();
  std::string before;
  if (std::filesystem::exists(file)) {
    Result<std::string> read =
        read_file_bytes(file, max_configuration_bytes, is_named ? std::filesystem::path() : own_repository());
    if (read.has_error()) throw std::runtime_error(fmt::format("{} {}", file, read.error().message));
    before = std::move(*read);
  }
  const std::string text = with_tables(before, added);
  if (text.size() > max_configuration_bytes) throw std::runtime_error(file + " would be too large");
  verify(file, before, added, text);
  write_file(file, [&text](std::ostream& out) { out << text; });
  if (!options.common.quiet) {
    streams.out << fmt::format("{}: {} accepted until {}\n", reports::escape_for_terminal(file),
                               reports::counted(options.urls.size(), "link"), options.until);
  }
  return ExitCode::ok;
}

}  // namespace

Command add_accept_command(CLI::App& app) {
  return add_command<AcceptOptions>(
      app, "accept", "Accept known failures until a date; writes linkherd.toml", commands::other, run_accept,
      [](AcceptOptions& o) -> std::vector<Option> {
        return {{"URL", read_text(o.urls, "TEXT", refuse_unfetchable), "Links as written in your documents",
                 any_command, required},
                {"--reason", read_text(o.reason), "Reason for accepting the failure", any_command, required},
                {"--until", read_text(o.until, "YYYY-MM-DD"), "Last day on which the failure is accepted", any_command,
                 required},
                {"--by", read_text(o.by, "NAME"), "Name of the person who accepts it"}};
      });
}

}  // namespace linkherd::crawler
