// The writing half of record_json.h.
#include <algorithm>
#include <cmath>

#include "parser/utf8.h"
#include "storage/record_json.h"

namespace linkherd::storage {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

// Headers, file names and certificates may hold any byte, JSON text may not: ill-formed sequences become U+FFFD.
value json(std::string_view text) {
  if (is_valid_utf8(text)) return boost::json::string(text);
  return boost::json::string(to_valid_utf8(text));
}

value json_or_null(std::string_view text) { return text.empty() ? value(nullptr) : json(text); }

// A validator that was altered validates nothing, so one that JSON cannot hold is dropped: the next request is
// unconditional.
value json_validator(std::string_view text) {
  return text.empty() || !is_valid_utf8(text) ? value(nullptr) : value(text);
}

// RFC 3339 ends with the year 9999, certificates do not. Whatever a server sends, the record must stay readable.
value json(Timestamp time) {
  static constexpr Timestamp first{};
  static constexpr Timestamp last{Timestamp(std::chrono::sys_days(std::chrono::year(9999) / 12 / 31)) +
                                  std::chrono::days(1) - Duration(1)};
  return boost::json::string(format_timestamp(std::clamp(time, first, last)));
}

value json(const std::optional<Timestamp>& time) { return time ? json(*time) : value(nullptr); }

// Six decimals: more than any confidence means, and what reads back as exactly the same number. JSON has no infinities.
value json(double number) { return std::isfinite(number) ? value(std::round(number * 1e6) / 1e6) : value(0.0); }

value json_status(int status) { return status == 0 ? value(nullptr) : value(status); }

array json(const std::vector<std::string>& texts) {
  array list;
  list.reserve(texts.size());
  for (const std::string& text : texts) list.push_back(json(text));
  return list;
}

template <class T>
array nouns(const std::vector<T>& items) {
  array list;
  list.reserve(items.size());
  for (const T& item : items) list.push_back(to_json(item));
  return list;
}

value json(const std::optional<Certificate>& certificate) {
  if (!certificate) return nullptr;
  return object{{"subject", json(certificate->subject)},
                {"issuer", json(certificate->issuer)},
                {"expires", json(certificate->expires)}};
}

// The contract's form of one field: its value in the object itself, where it came from under the same key in the two
// others.
template <class T>
void add_field(object& metadata, object& sources, object& confidence, std::string_view key,
               const std::optional<parser::Field<T>>& field, value absent) {
  if (!field) {
    metadata[key] = std::move(absent);
    return;
  }
  metadata[key] = json(field->value);
  sources[key] = json(field->source);
  confidence[key] = json(field->confidence);
}

}  // namespace

object to_json(const parser::LinkOccurrence& occurrence) {
  array notes;
  for (const parser::LinkNote note : occurrence.notes) notes.emplace_back(enum_name(parser::link_note_names, note));
  return {{"file", json(occurrence.file)},
          {"line", occurrence.line},
          {"column", occurrence.column},
          {"offset", occurrence.offset},
          {"length", occurrence.length},
          {"url", json(occurrence.url)},
          {"href", json_or_null(occurrence.href)},
          {"text", json(occurrence.text)},
          {"element", enum_name(parser::link_element_names, occurrence.element)},
          {"heading", json(occurrence.heading)},
          {"rel", json(occurrence.rel)},
          {"ignored_by", json_or_null(occurrence.ignored_by)},
          {"notes", std::move(notes)}};
}

object to_json(const parser::Metadata& metadata) {
  object flat;
  object sources;
  object confidence;
  const auto add = [&](std::string_view key, const auto& field, value absent) {
    add_field(flat, sources, confidence, key, field, std::move(absent));
  };
  add("title", metadata.title, nullptr);
  add("authors", metadata.authors, array());
  add("published", metadata.published, nullptr);
  add("modified", metadata.modified, nullptr);
  add("language", metadata.language, nullptr);
  add("site_name", metadata.site_name, nullptr);
  add("description", metadata.description, nullptr);
  add("canonical", metadata.canonical, nullptr);
  flat["sources"] = std::move(sources);
  flat["confidence"] = std::move(confidence);
  return flat;
}

object to_json(const Verdict& verdict) {
  return {{"health", enum_name(health_names, verdict.health)},
          {"reason", json(verdict.reason)},
          {"rule", json(verdict.rule)},
          {"evidence", json(verdict.evidence)},
          {"confidence", json(verdict.confidence)}};
}

object to_json(const Redirect& redirect) {
  return {{"from", json(redirect.from)}, {"status", json_status(redirect.status)}, {"to", json(redirect.to)}};
}

object to_json(const Attempt& attempt) {
  return {{"at", json(attempt.at)},
          {"url", json(attempt.url)},
          {"status", json_status(attempt.status)},
          {"failure", json_or_null(attempt.failure)},
          {"milliseconds", attempt.milliseconds}};
}

object to_json(const Snapshot& snapshot) {
  return {{"fetched_at", json(snapshot.fetched_at)},
          {"verdict", to_json(snapshot.verdict)},
          {"status", json_status(snapshot.status)},
          {"final_url", json_or_null(snapshot.final_url)},
          {"redirects", nouns(snapshot.redirects)},
          {"attempts", nouns(snapshot.attempts)},
          {"content_type", json_or_null(snapshot.content_type)},
          {"charset", json_or_null(snapshot.charset)},
          {"etag", json_validator(snapshot.etag)},
          {"last_modified", json_validator(snapshot.last_modified)},
          {"body_digest", json_or_null(snapshot.body_digest)},
          {"body_bytes", snapshot.body_bytes},
          {"body_complete", snapshot.body_complete},
          {"remote_address", json_or_null(snapshot.remote_address)},
          {"certificate", json(snapshot.certificate)},
          {"metadata", to_json(snapshot.metadata)}};
}

object to_json(const LinkRecord& record) {
  return {{"id", record.id.to_hex()},
          {"url", json(record.url)},
          {"first_seen", json(record.first_seen)},
          {"last_alive", json(record.last_alive)},
          {"first_failed", json(record.first_failed)},
          {"strikes", record.strikes},
          {"last_strike", json(record.last_strike)},
          {"snapshot", to_json(record.snapshot)}};
}

object to_json(const HostState& host) {
  value silence = nullptr;
  if (host.silence) {
    silence = object{{"since", json(host.silence->since)},
                     {"last", json(host.silence->last)},
                     {"strikes", host.silence->strikes},
                     {"last_strike", json(host.silence->last_strike)}};
  }
  return {{"origin", json(host.origin)}, {"not_before", json(host.not_before)}, {"concurrency", json(host.concurrency)},
          {"robots", json(host.robots)}, {"robots_at", json(host.robots_at)},   {"silence", std::move(silence)}};
}

object to_json(const Run& run) {
  return {{"number", run.number},
          {"identity", json(run.identity)},
          {"inputs", json(run.inputs)},
          {"started_at", json(run.started_at)},
          {"finished_at", json(run.finished_at)},
          {"state", enum_name(run_state_names, run.state)},
          {"strikes", run.strikes}};
}

object to_json(const RunEntry& entry) {
  return {{"id", entry.id.to_hex()},
          {"occurrences", nouns(entry.occurrences)},
          {"finished", entry.finished},
          {"from_store", entry.from_store},
          {"verdict", to_json(entry.verdict)}};
}

}  // namespace linkherd::storage
