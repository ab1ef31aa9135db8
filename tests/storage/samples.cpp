#include "tests/storage/samples.h"

#include <array>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "parser/utf8.h"

namespace linkherd::storage {

Timestamp sample_time(std::int64_t seconds) {
  return Timestamp(std::chrono::sys_days(std::chrono::year(2026) / 3 / 1)) + std::chrono::seconds(seconds);
}

std::string sample_body(std::uint64_t number) {
  // Larger than the limit for blob files, and without repetitions.
  std::string body;
  while (body.size() < 6000) body += fmt::format("<p>paragraph {} of page {}</p>\n", body.size(), number);
  return body;
}

CheckedLink sample_link(std::uint64_t number) {
  CheckedLink link;
  const std::string url = fmt::format("https://example.org/{}", number);
  link.result.id = LinkId::of_text(url);
  parser::LinkOccurrence occurrence;
  occurrence.file = "list.md";
  occurrence.line = static_cast<std::uint32_t>(number + 1);
  occurrence.url = url;
  occurrence.href = url + "#part";
  link.result.finished = true;
  link.result.verdict = {Health::alive, std::string(reason::ok), "status", "HTTP 200", 1.0};
  link.state.id = link.result.id;
  link.state.url = url;
  link.state.first_seen = sample_time(0);
  link.state.last_alive = sample_time(60);
  link.state.snapshot.fetched_at = sample_time(60);
  link.state.snapshot.verdict = link.result.verdict;
  link.state.snapshot.status = 200;
  link.state.snapshot.final_url = url;
  link.state.snapshot.body_digest = content_digest(sample_body(number));
  link.state.snapshot.body_bytes = sample_body(number).size();
  complete(link, {occurrence});
  return link;
}

std::string RandomSamples::text() {
  static constexpr std::array<char32_t, 14> awkward = {U'\0',     U'"',  U'\\',         U'\n',        U'\x1b',
                                                       U'\x7f',   U'/',  U'é',          U'\u2028',    U'\uFEFF',
                                                       U'\uFFFD', U'知', U'\U0001F600', U'\U0010FFFF'};
  std::string result;
  for (std::uint64_t i = below(12); i > 0; --i) {
    append_utf8(result, coin() ? awkward[below(awkward.size())] : static_cast<char32_t>('a' + below(26)));
  }
  return result;
}

std::string RandomSamples::some_text() { return "x" + text(); }

std::vector<std::string> RandomSamples::texts() {
  std::vector<std::string> result;
  for (std::uint64_t i = below(4); i > 0; --i) result.push_back(text());
  return result;
}

Timestamp RandomSamples::time() {
  static constexpr Timestamp last{std::chrono::sys_days(std::chrono::year(9999) / 12 / 31)};
  return Timestamp(
      Duration(static_cast<std::int64_t>(below(static_cast<std::uint64_t>(last.time_since_epoch().count())))));
}

std::optional<Timestamp> RandomSamples::maybe_time() {
  if (coin()) return std::nullopt;
  return time();
}

LinkId RandomSamples::id() { return LinkId::of_text(text()); }

std::optional<parser::Field<std::string>> RandomSamples::field() {
  if (below(3) == 0) return std::nullopt;
  return parser::Field<std::string>{text(), text(), fraction()};
}

parser::LinkOccurrence RandomSamples::occurrence() {
  parser::LinkOccurrence occurrence;
  occurrence.file = text();
  while (occurrence.file.ends_with('/')) occurrence.file.pop_back();  // folders have no links
  occurrence.line = static_cast<std::uint32_t>(below(std::numeric_limits<std::uint32_t>::max())) + 1;
  occurrence.column = static_cast<std::uint32_t>(below(1000)) + 1;
  occurrence.offset = coin() ? std::numeric_limits<std::uint64_t>::max() : below(1000);
  occurrence.length = below(100);
  occurrence.url = text();
  occurrence.href = text();
  occurrence.element = parser::link_element_names[below(parser::link_element_names.size())].value;
  occurrence.text = text();
  if (coin()) occurrence.description = text();
  if (coin()) occurrence.headings = {text(), text()};
  occurrence.entry = static_cast<std::uint32_t>(below(std::numeric_limits<std::uint32_t>::max()));
  occurrence.role = parser::link_role_names[below(parser::link_role_names.size())].value;
  occurrence.rel = text();
  occurrence.ignored_by = text();
  for (const auto& note : parser::link_note_names) {
    if (coin()) occurrence.notes.push_back(note.value);
  }
  if (coin()) occurrence.tags = {text(), text()};
  if (coin()) occurrence.added = time();
  return occurrence;
}

parser::Metadata RandomSamples::metadata() {
  parser::Metadata metadata;
  metadata.title = field();
  if (coin()) metadata.authors = {{some_text(), text()}, text(), fraction()};
  metadata.published = field();
  metadata.modified = field();
  metadata.language = field();
  metadata.site_name = field();
  metadata.description = field();
  metadata.canonical = field();
  metadata.doi = field();
  metadata.arxiv = field();
  metadata.isbn = field();
  return metadata;
}

Verdict RandomSamples::verdict() {
  return {health_names[below(health_names.size())].value, text(), text(), text(), fraction()};
}

Snapshot RandomSamples::snapshot() {
  Snapshot snapshot;
  snapshot.fetched_at = time();
  snapshot.verdict = verdict();
  snapshot.status = static_cast<int>(below(1000));
  snapshot.final_url = text();
  for (std::uint64_t i = below(4); i > 0; --i)
    snapshot.redirects.push_back({text(), static_cast<int>(300 + below(9)), text()});
  for (std::uint64_t i = below(4); i > 0; --i) {
    snapshot.attempts.push_back(
        {time(), text(), static_cast<int>(below(600)), text(), static_cast<std::uint32_t>(below(100'000))});
  }
  snapshot.content_type = text();
  snapshot.charset = text();
  snapshot.etag = text();
  snapshot.last_modified = text();
  snapshot.body_digest = coin() ? content_digest(text()) : "";
  snapshot.body_bytes = below(std::uint64_t{1} << 40);
  snapshot.is_body_complete = coin();
  snapshot.remote_address = text();
  if (coin()) snapshot.certificate = Certificate{text(), text(), maybe_time()};
  snapshot.metadata = metadata();
  for (std::uint64_t i = below(3); i > 0; --i) snapshot.facts.push_back({text(), text()});
  if (coin()) snapshot.plain = storage::PlainAnswer{static_cast<int>(below(1000)), verdict()};
  return snapshot;
}

LinkState RandomSamples::state() {
  LinkState state;
  state.id = id();
  state.url = text();
  state.first_seen = time();
  state.last_alive = maybe_time();
  state.first_failed = maybe_time();
  state.strikes = static_cast<int>(below(1000));
  state.last_strike = maybe_time();
  state.snapshot = snapshot();
  return state;
}

Relocation RandomSamples::relocation() {
  Relocation relocation;
  relocation.url = text();
  relocation.level = relocation_level_names[below(relocation_level_names.size())].value;
  relocation.source = relocation_source_names[below(relocation_source_names.size())].value;
  if (coin()) relocation.similarity = fraction();
  relocation.evidence = text();
  relocation.searched_at = time();
  return relocation;
}

HostState RandomSamples::host() {
  HostState host{some_text(), maybe_time(), fraction() * 512, some_text(), maybe_time()};
  if (const std::optional<Timestamp> since = maybe_time()) {
    host.unresponsive = {
        .since = *since, .last = *since, .strikes = static_cast<int>(below(1000)), .last_strike = maybe_time()};
  }
  if (const std::optional<Timestamp> at = maybe_time()) {
    host.probe = {.at = *at,
                  .status = static_cast<int>(below(1000)),
                  .final_url = some_text(),
                  .page = {.title = some_text(), .text_hash = below(1'000'000'007), .text_length = below(1000)}};
  }
  return host;
}

Run RandomSamples::run() {
  Run run;
  run.number = coin() ? std::numeric_limits<std::uint64_t>::max() : below(1000);
  run.identity = text();
  run.inputs = texts();
  run.started_at = time();
  run.finished_at = maybe_time();
  run.state = run_state_names[below(run_state_names.size())].value;
  run.strikes = static_cast<int>(below(100));
  return run;
}

LinkResult RandomSamples::result() {
  LinkResult result;
  result.id = id();
  for (std::uint64_t i = 1 + below(3); i > 0; --i) result.occurrences.push_back(occurrence());
  result.finished = coin();
  result.is_from_store = coin();
  result.verdict = verdict();
  return result;
}

}  // namespace linkherd::storage
