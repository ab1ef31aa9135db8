// `linkherd show URL`: one snapshot of a link: what a look found, with its response headers or its body.
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "crawler/commands/command.h"
#include "crawler/commands/option_types.h"
#include "crawler/commands/process.h"
#include "crawler/commands/store_location.h"
#include "reports/escape.h"
#include "reports/report_formats.h"
#include "reports/wording.h"
#include "storage/record_json.h"
#include "storage/store.h"

namespace linkherd::crawler {
namespace {

struct ShowOptions {
  CommonOptions common;
  OutputFormat format = OutputFormat::text;
  std::string store;
  std::string url;
  bool body = false;
  bool headers = false;
  std::optional<Timestamp> at;  // nullopt: the last look
};

// The page as it was stored; escaped a line at a time where a terminal shows it.
void write_body(std::ostream& out, const std::string& body, bool is_terminal) {
  if (!is_terminal) {
    out.write(body.data(), static_cast<std::streamsize>(body.size()));
    return;
  }
  for (std::size_t start = 0; start < body.size();) {
    const std::size_t end = std::min(body.find('\n', start), body.size());
    out << reports::escape_for_terminal(std::string_view(body).substr(start, end - start)) << '\n';
    start = end + 1;
  }
}

void write_headers(std::ostream& out, const storage::Snapshot& snapshot) {
  for (const storage::ResponseHeader& header : snapshot.headers) {
    out << fmt::format("{}: {}\n", reports::escape_for_terminal(header.name),
                       reports::escape_for_terminal(header.value));
  }
}

void write_field(std::ostream& out, std::string_view name, std::string_view value) {
  if (!value.empty()) out << fmt::format("  {:<11}  {}\n", name, reports::escape_for_terminal(value));
}

std::string body_in_words(const storage::Snapshot& snapshot, bool is_stored) {
  if (snapshot.body_digest.empty()) return "none";
  return fmt::format("{}, {}{}", reports::size_in_words(snapshot.body_bytes),
                     snapshot.body_complete ? "" : "cut short, ",
                     is_stored ? "stored: --body prints it" : "not stored");
}

void write_text(std::ostream& out, const storage::LinkRecord& record, const storage::Snapshot& snapshot,
                bool is_body_stored) {
  out << fmt::format("{}\n", reports::escape_for_terminal(record.url));
  write_field(out, "looked at", format_timestamp(snapshot.fetched_at));
  write_field(out, "from", snapshot.vantage);
  write_field(out, "health",
              fmt::format("{}: {}", enum_name(storage::health_names, snapshot.verdict.health),
                          reports::reason_in_words(snapshot.verdict)));
  write_field(out, "evidence", snapshot.verdict.evidence);
  write_field(out, "status", snapshot.status == 0 ? std::string() : std::to_string(snapshot.status));
  for (const storage::Redirect& hop : snapshot.redirects) {
    write_field(out, "redirect", fmt::format("{} -> {}", hop.label(), hop.to));
  }
  const parser::Metadata& metadata = snapshot.metadata;
  if (metadata.title) write_field(out, "title", metadata.title->value);
  if (metadata.authors) write_field(out, "authors", fmt::format("{}", fmt::join(metadata.authors->value, ", ")));
  if (metadata.published) write_field(out, "published", metadata.published->value);
  write_field(out, "type", snapshot.content_type);
  write_field(
      out, "headers",
      snapshot.headers.empty() ? "not stored" : fmt::format("{}: --headers prints them", snapshot.headers.size()));
  write_field(out, "body", body_in_words(snapshot, is_body_stored));
}

std::string json_of(const storage::LinkRecord& record, const storage::Snapshot& snapshot, bool is_body_stored) {
  std::string text;
  storage::JsonWriter json(text);
  json.begin_object();
  json.member("schema", reports::json_schema);
  json.member("url", record.url);
  write_members(json, snapshot);
  json.key("headers");
  json.begin_array();
  for (const storage::ResponseHeader& header : snapshot.headers) {
    json.begin_object();
    json.member("name", header.name);
    json.member("value", header.value);
    json.end_object();
  }
  json.end_array();
  json.member("body_stored", is_body_stored);
  json.end_object();
  return text;
}

// Returns the last look, or the last one by `at`; nullopt where there is none.
std::optional<storage::Snapshot> snapshot_at(const storage::Store& store, const storage::LinkRecord& record,
                                             std::optional<Timestamp> at) {
  if (!at) {
    if (record.snapshot.fetched_at == Timestamp{}) return std::nullopt;
    return record.snapshot;
  }
  const std::vector<storage::Snapshot> looks = store.history(record.id, SIZE_MAX);
  const auto look = std::ranges::find_if(looks, [at](const storage::Snapshot& one) { return one.fetched_at <= *at; });
  return look == looks.end() ? std::nullopt : std::optional(*look);
}

ExitCode run_show(const ShowOptions& options, const Streams& streams) {
  refuse_unsafe_output(options.store, "--log-file", options.common.log_file);
  start_log(options.common);
  const storage::LinkId id = stored_link_id(options.url);
  const std::unique_ptr<storage::Store> store = open_store_for_reading(options.store);
  const auto fail = [&](const std::string& what) {
    print_reason(streams, fmt::format("the store {} has no {}", store_location(options.store).string(), what));
    return ExitCode::could_not_run;
  };
  const std::optional<storage::LinkRecord> record = store->link(id);
  if (!record) return fail("record of " + options.url);
  const std::optional<storage::Snapshot> snapshot = snapshot_at(*store, *record, options.at);
  if (!snapshot) return fail(fmt::format("look at {}{}", options.url, options.at ? " so early" : ""));
  const std::optional<std::string> body = store->body(snapshot->body_digest);
  if (options.body) {
    if (!body) return fail("body of that look: --bodies says which are kept");
    write_body(streams.out, *body, streams.out_is_terminal);
  } else if (options.headers) {
    if (snapshot->headers.empty()) return fail("headers of that look");
    write_headers(streams.out, *snapshot);
  } else if (options.format == OutputFormat::text) {
    write_text(streams.out, *record, *snapshot, body.has_value());
  } else {
    streams.out << reports::escape_json(json_of(*record, *snapshot, body.has_value())) << '\n';
  }
  return ExitCode::ok;
}

}  // namespace

Command add_show_command(CLI::App& app) {
  auto options = std::make_shared<ShowOptions>();  // shared with the CLI11 callbacks
  CLI::App* command = app.add_subcommand("show", "What a look at a link found, from the store");
  command->add_option("URL", options->url, "The link, as it is written in a list")->required();
  CLI::Option* const body = command->add_flag("--body", options->body, "Print the page as it was stored");
  command->add_flag("--headers", options->headers, "Print the headers of the response")->excludes(body);
  add_moment(*command, "--at", options->at, "The last look until then (default: the last one)");
  add_store_option(*command, options->store);
  add_format(*command, options->format);
  add_common_options(*command, options->common);
  return {command, [options](const Streams& streams) { return run_show(*options, streams); }};
}

}  // namespace linkherd::crawler
