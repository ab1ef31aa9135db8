// `linkherd history URL`: shows the stored checks of a link, newest first, with the page and headers of one of them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "crawler/cli/command.h"
#include "crawler/cli/options/option_table.h"
#include "crawler/cli/options/store_location.h"
#include "crawler/cli/process.h"
#include "parser/join.h"
#include "reports/escape.h"
#include "reports/messages.h"
#include "reports/report_formats.h"
#include "storage/link_history.h"
#include "storage/record_json.h"
#include "storage/store.h"

namespace linkherd::crawler {
namespace {

struct HistoryOptions : CheckOptions {
  std::string url;
  std::size_t limit = 100;
  std::optional<Timestamp> at;  // show only the last check until then
  bool body = false;
  bool headers = false;
};

// A check as `history` prints it.
struct PrintedCheck {
  storage::Snapshot snapshot;
  bool is_body_stored = false;
};

// Writes the page exactly as stored. On a terminal every line is escaped.
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

void write_check(storage::JsonWriter& json, const storage::LinkState& state, const PrintedCheck& check) {
  json.begin_object();
  json.member("schema", reports::json_schema);
  json.member("url", state.url);
  write_members(json, check.snapshot);
  json.key("headers");
  json.begin_array();
  for (const storage::ResponseHeader& header : check.snapshot.headers) {
    json.begin_object();
    json.member("name", header.name);
    json.member("value", header.value);
    json.end_object();
  }
  json.end_array();
  json.member("body_stored", check.is_body_stored);
  json.end_object();
}

void write_json(std::ostream& out, const storage::LinkState& state, const std::vector<PrintedCheck>& checks) {
  std::string text;
  storage::JsonWriter json(text);
  json.begin_array();
  for (const PrintedCheck& check : checks) write_check(json, state, check);
  json.end_array();
  out << reports::escape_json(text) << '\n';
}

void write_jsonl(std::ostream& out, const storage::LinkState& state, const std::vector<PrintedCheck>& checks) {
  for (const PrintedCheck& check : checks) {
    std::string text;
    storage::JsonWriter json(text);
    write_check(json, state, check);
    out << reports::escape_json(text) << '\n';
  }
}

bool has_failed(const PrintedCheck& check) {
  switch (check.snapshot.verdict.health) {
    case storage::Health::dead:
    case storage::Health::insecure:
    case storage::Health::suspect:
    case storage::Health::unreachable: return true;
    default: return false;
  }
}

// Returns "4 of the last 10 checks failed" if a link alternates between success and failure. `checks`: newest first.
std::optional<std::string> describe_flapping(const std::vector<PrintedCheck>& checks) {
  constexpr std::size_t max_checks = 10;
  constexpr int min_changes = 3;
  const std::size_t count = std::min(checks.size(), max_checks);
  int changes = 0;
  for (std::size_t i = 1; i < count; ++i) changes += has_failed(checks[i]) != has_failed(checks[i - 1]) ? 1 : 0;
  if (changes < min_changes) return std::nullopt;
  const auto end = checks.begin() + static_cast<std::ptrdiff_t>(count);
  return fmt::format("{} of the last {} checks failed", std::count_if(checks.begin(), end, has_failed), count);
}

// Formats a time as "2026-03-05 10:20:00", because microseconds are of no interest.
std::string second(Timestamp time) { return fmt::format("{:%F %T}", std::chrono::floor<std::chrono::seconds>(time)); }

void write_link(std::ostream& out, const storage::LinkState& state, const std::vector<PrintedCheck>& checks) {
  out << fmt::format("{}\n  first seen {}", reports::escape_for_terminal(state.url), second(state.first_seen));
  if (state.last_alive) out << fmt::format(", last alive {}", second(*state.last_alive));
  if (state.first_failed) out << fmt::format(", failing since {}", second(*state.first_failed));
  if (state.strikes > 0)
    out << fmt::format(", {}", reports::counted(static_cast<std::size_t>(state.strikes), "consecutive failed check"));
  if (const auto flapping = describe_flapping(checks)) out << fmt::format(", unstable: {}", *flapping);
  out << " (times are UTC)\n";
  const bool is_dead = state.snapshot.verdict.health == storage::Health::dead;
  if (is_dead && state.relocation && !state.relocation->url.empty())
    out << fmt::format("  {}\n", reports::escape_for_terminal(reports::describe_relocation(*state.relocation)));
  out << '\n';
}

void write_line(std::ostream& out, const storage::Snapshot& snapshot) {
  out << fmt::format("  {}  {:<11}  {}{}\n", second(snapshot.fetched_at),
                     enum_name(storage::health_names, snapshot.verdict.health),
                     reports::escape_for_terminal(reports::describe_reason(snapshot.verdict)),
                     snapshot.vantage.empty() ? "" : ", from " + reports::escape_for_terminal(snapshot.vantage));
  for (const storage::Redirect& hop : snapshot.redirects) {
    out << fmt::format("    {} -> {}\n", hop.label(), reports::escape_for_terminal(hop.to));
  }
}

void write_field(std::ostream& out, std::string_view name, std::string_view value) {
  if (!value.empty()) out << fmt::format("    {:<9}  {}\n", name, reports::escape_for_terminal(value));
}

std::string describe_body(const PrintedCheck& check) {
  const storage::Snapshot& snapshot = check.snapshot;
  if (snapshot.body_digest.empty()) return "none";
  return fmt::format("{}, {}{}", reports::format_size(snapshot.body_bytes),
                     snapshot.is_body_complete ? "" : "truncated, ",
                     check.is_body_stored ? "stored (--body prints it)" : "not stored");
}

void write_details(std::ostream& out, const PrintedCheck& check) {
  const storage::Snapshot& snapshot = check.snapshot;
  write_field(out, "evidence", snapshot.verdict.evidence);
  write_field(out, "status", snapshot.status == 0 ? std::string() : std::to_string(snapshot.status));
  const parser::Metadata& metadata = snapshot.metadata;
  if (metadata.title) write_field(out, "title", metadata.title->value);
  if (metadata.authors) write_field(out, "authors", join(metadata.authors->value, ", "));
  if (metadata.published) write_field(out, "published", metadata.published->value);
  write_field(out, "type", snapshot.content_type);
  write_field(
      out, "headers",
      snapshot.headers.empty() ? "not stored" : fmt::format("{} (--headers prints them)", snapshot.headers.size()));
  write_field(out, "body", describe_body(check));
}

// Writes the newest check in detail, and the others as one line each.
void write_text(std::ostream& out, const storage::LinkState& state, const std::vector<PrintedCheck>& checks) {
  write_link(out, state, checks);
  for (const PrintedCheck& check : checks) {
    write_line(out, check.snapshot);
    if (&check == &checks.front()) write_details(out, check);
  }
}

// Returns the checks that the options select, newest first.
std::vector<PrintedCheck> choose_checks(const storage::Store& store, const storage::LinkState& state,
                                        const HistoryOptions& options) {
  std::vector<storage::Snapshot> all =
      storage::LinkHistory(store).snapshots(state.id, options.at ? SIZE_MAX : options.limit);
  if (options.at) {
    const auto is_later = [&options](const storage::Snapshot& one) { return one.fetched_at > *options.at; };
    all.erase(all.begin(), std::ranges::find_if_not(all, is_later));
    if (!all.empty()) all.erase(all.begin() + 1, all.end());
  }
  std::vector<PrintedCheck> checks;
  checks.reserve(all.size());
  std::map<std::string, bool> stored;  // by digest: an unchanged page has only one body
  for (storage::Snapshot& snapshot : all) {
    const auto [found, is_new] = stored.try_emplace(snapshot.body_digest);
    if (is_new) found->second = storage::LinkHistory(store).body(snapshot.body_digest).has_value();
    checks.push_back({std::move(snapshot), found->second});
  }
  return checks;
}

ExitCode run_history(const HistoryOptions& options, const Streams& streams) {
  refuse_unsafe_output(options.store, "--log-file", options.common.log_file);
  start_log(options.common);
  const storage::LinkId id = stored_link_id(options.url);
  const std::unique_ptr<storage::Store> store = open_store_for_reading(options.store);
  const auto fail = [&](const std::string& problem) {
    print_reason(streams, fmt::format("the store {} has no {}", store_location(options.store).string(), problem));
    return ExitCode::could_not_run;
  };
  const std::optional<storage::LinkState> state = storage::LinkHistory(*store).state(id);
  if (!state) {
    const bool is_masked = options.url.find("***@") != std::string::npos;
    return fail(fmt::format("record of {}{}", options.url,
                            is_masked ? ": write the password as it appears in your document" : ""));
  }
  const std::vector<PrintedCheck> checks = choose_checks(*store, *state, options);
  if ((options.at || options.body || options.headers) && checks.empty())
    return fail(fmt::format("check of {}{}", options.url, options.at ? " before that time" : ""));
  if (options.body) {
    const std::optional<std::string> body = storage::LinkHistory(*store).body(checks.front().snapshot.body_digest);
    if (!body) return fail("page of this check; the option --bodies decides which pages are kept");
    write_body(streams.out, *body, streams.is_out_terminal);
    return ExitCode::ok;
  }
  if (options.headers) {
    if (checks.front().snapshot.headers.empty()) return fail("headers of this check");
    write_headers(streams.out, checks.front().snapshot);
    return ExitCode::ok;
  }
  switch (options.format) {
    case OutputFormat::text: write_text(streams.out, *state, checks); break;
    case OutputFormat::json: write_json(streams.out, *state, checks); break;
    case OutputFormat::jsonl: write_jsonl(streams.out, *state, checks); break;
  }
  return ExitCode::ok;
}

}  // namespace

Command add_history_command(CLI::App& app) {
  return add_command<HistoryOptions>(
      app, "history", "Show the stored checks of one link", commands::history, run_history,
      [](HistoryOptions& o) -> std::vector<Option> {
        return {{"URL", read_text(o.url), "Link as written in your document", any_command, required},
                {"--limit", read_number(o.limit, 1, 1'000'000), "Print at most N checks, newest first"},
                {"--at", read_moment(o.at), "Print only the last check at or before this time", any_command, no_traits,
                 excludes("--limit")},
                {"--body", read_flag(o.body), "Print the stored page of the newest check"},
                {"--headers", read_flag(o.headers), "Print the response headers of the newest check", any_command,
                 no_traits, excludes("--body")}};
      });
}

}  // namespace linkherd::crawler
