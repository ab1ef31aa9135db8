#include "storage/record_json.h"

#include <algorithm>
#include <cmath>

#include "parser/url/credentials.h"
#include "parser/utf8.h"
#include "storage/json_fields.h"

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

// An altered validator is useless, so one that JSON cannot hold is dropped: the next request is unconditional.
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

// Rounded when written and when read: Boost.JSON's parser may lose the last bit, and the number must read back as the
// same. Six decimals are more than any confidence needs.
double six_decimals(double number) { return std::round(number * 1e6) / 1e6; }

value json(double number) { return std::isfinite(number) ? value(six_decimals(number)) : value(0.0); }  // no infinities

value json_status(int status) { return status == 0 ? value(nullptr) : value(status); }

array json(const std::vector<std::string>& texts) {
  array list;
  list.reserve(texts.size());
  for (const std::string& text : texts) list.push_back(json(text));
  return list;
}

template <class T>
array json_list(const std::vector<T>& items) {
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

// One field: its value in `metadata`, its source and its confidence under the same key in the two other objects.
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

LinkId read_id(JsonFields& fields) {
  const std::optional<LinkId> id = LinkId::from_hex(fields.required_text("id"));
  if (!id) fields.fail("id", "is not 32 hexadecimal digits");
  return id.value_or(LinkId{});
}

Result<Redirect> redirect_from_json(const value& json) {
  JsonFields fields(json, "redirect");
  Redirect redirect;
  redirect.from = fields.url("from");
  redirect.status = fields.whole<int>("status");
  redirect.to = fields.url("to");
  return fields.finish(std::move(redirect));
}

Result<Attempt> attempt_from_json(const value& json) {
  JsonFields fields(json, "attempt");
  Attempt attempt;
  attempt.at = fields.required_time("at");
  attempt.url = fields.url("url");
  attempt.status = fields.whole<int>("status");
  attempt.failure = fields.text("failure");
  attempt.milliseconds = fields.whole<std::uint32_t>("milliseconds");
  return fields.finish(std::move(attempt));
}

Result<Certificate> certificate_from_json(const value& json) {
  JsonFields fields(json, "certificate");
  Certificate certificate;
  certificate.subject = fields.text("subject");
  certificate.issuer = fields.text("issuer");
  certificate.expires = fields.time("expires");
  return fields.finish(std::move(certificate));
}

// Reads a metadata field together with its source and its confidence.
class MetadataFields {
 public:
  explicit MetadataFields(const value& json)
      : values_(json, "metadata"),
        sources_(part("sources"), "sources"),
        confidence_(part("confidence"), "confidence") {}

  std::optional<parser::Field<std::string>> text(std::string_view key) {
    if (values_.find(key) == nullptr) return std::nullopt;
    return field(key, values_.text(key));
  }

  std::optional<parser::Field<std::vector<std::string>>> texts(std::string_view key) {
    std::vector<std::string> values = values_.texts(key);
    if (values.empty()) return std::nullopt;
    return field(key, std::move(values));
  }

  Result<parser::Metadata> finish(parser::Metadata metadata) {
    for (JsonFields* part : {&sources_, &confidence_}) {
      if (const Result<bool> read = part->finish(true); read.has_error())
        return Error{"metadata: " + read.error().message};
    }
    return values_.finish(std::move(metadata));
  }

 private:
  const value& part(std::string_view key) const {
    static const value none = boost::json::object();
    const value* found = values_.find(key);
    return found == nullptr ? none : *found;
  }

  template <class T>
  parser::Field<T> field(std::string_view key, T value) {
    return {std::move(value), sources_.text(key), six_decimals(confidence_.real(key, 0.0))};
  }

  JsonFields values_;
  JsonFields sources_;
  JsonFields confidence_;
};

Result<HostSilence> host_silence_from_json(const value& json) {
  JsonFields fields(json, "silence");
  HostSilence silence;
  silence.since = fields.required_time("since");
  silence.last = fields.required_time("last");
  silence.strikes = fields.whole<int>("strikes");
  silence.last_strike = fields.time("last_strike");
  return fields.finish(silence);
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

Result<parser::LinkOccurrence> link_occurrence_from_json(const value& json) {
  JsonFields fields(json, "occurrence");
  parser::LinkOccurrence occurrence;
  occurrence.file = fields.text("file");
  occurrence.line = fields.whole<std::uint32_t>("line", 1);
  occurrence.column = fields.whole<std::uint32_t>("column", 1);
  occurrence.offset = fields.whole<std::uint64_t>("offset");
  occurrence.length = fields.whole<std::uint64_t>("length");
  occurrence.url = fields.url("url");
  occurrence.href = fields.url("href");
  occurrence.element = fields.required_word("element", parser::link_element_names);
  occurrence.text = parser::mask_passwords_in(fields.text("text"));
  occurrence.heading = parser::mask_passwords_in(fields.text("heading"));
  occurrence.rel = fields.text("rel");
  occurrence.ignored_by = fields.text("ignored_by");
  for (const std::string& word : fields.texts("notes")) {
    const std::optional<parser::LinkNote> note = enum_value(parser::link_note_names, word);
    if (!note) {
      fields.fail("notes", "holds a word that this version does not know");
      break;
    }
    occurrence.notes.push_back(*note);
  }
  return fields.finish(std::move(occurrence));
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

Result<parser::Metadata> metadata_from_json(const value& json) {
  MetadataFields fields(json);
  parser::Metadata metadata;
  metadata.title = fields.text("title");
  metadata.authors = fields.texts("authors");
  metadata.published = fields.text("published");
  metadata.modified = fields.text("modified");
  metadata.language = fields.text("language");
  metadata.site_name = fields.text("site_name");
  metadata.description = fields.text("description");
  metadata.canonical = fields.text("canonical");
  return fields.finish(std::move(metadata));
}

object to_json(const Verdict& verdict) {
  return {{"health", enum_name(health_names, verdict.health)},
          {"reason", json(verdict.reason)},
          {"rule", json(verdict.rule)},
          {"evidence", json(verdict.evidence)},
          {"confidence", json(verdict.confidence)}};
}

Result<Verdict> verdict_from_json(const value& json) {
  JsonFields fields(json, "verdict");
  Verdict verdict;
  verdict.health = fields.required_word("health", health_names);
  verdict.reason = fields.text("reason");
  verdict.rule = fields.text("rule");
  verdict.evidence = parser::mask_passwords_in(fields.text("evidence"));
  verdict.confidence = six_decimals(fields.real("confidence", 1.0));
  // Older versions called `dead` what they were not sure of either.
  const bool by_content = verdict.reason == reason::soft_404 || verdict.reason == reason::parked;
  if (verdict.health == Health::dead && by_content && verdict.confidence < sure_of_death)
    verdict.health = Health::suspect;
  return fields.finish(std::move(verdict));
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
          {"redirects", json_list(snapshot.redirects)},
          {"attempts", json_list(snapshot.attempts)},
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

Result<Snapshot> snapshot_from_json(const value& json) {
  JsonFields fields(json, "snapshot");
  Snapshot snapshot;
  snapshot.fetched_at = fields.required_time("fetched_at");
  snapshot.verdict = fields.nested("verdict", verdict_from_json).value_or(Verdict{});
  snapshot.status = fields.whole<int>("status");
  snapshot.final_url = fields.url("final_url");
  snapshot.redirects = fields.list("redirects", redirect_from_json);
  snapshot.attempts = fields.list("attempts", attempt_from_json);
  snapshot.content_type = fields.text("content_type");
  snapshot.charset = fields.text("charset");
  snapshot.etag = fields.text("etag");
  snapshot.last_modified = fields.text("last_modified");
  snapshot.body_digest = fields.text("body_digest");
  snapshot.body_bytes = fields.whole<std::uint64_t>("body_bytes");
  snapshot.body_complete = fields.flag("body_complete", true);
  snapshot.remote_address = fields.text("remote_address");
  snapshot.certificate = fields.nested("certificate", certificate_from_json);
  snapshot.metadata = fields.nested("metadata", metadata_from_json).value_or(parser::Metadata{});
  return fields.finish(std::move(snapshot));
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

Result<LinkRecord> link_record_from_json(const value& json) {
  JsonFields fields(json, "link");
  LinkRecord record;
  record.id = read_id(fields);
  record.url = fields.url("url");
  record.first_seen = fields.required_time("first_seen");
  record.last_alive = fields.time("last_alive");
  record.first_failed = fields.time("first_failed");
  record.strikes = fields.whole<int>("strikes");
  record.last_strike = fields.time("last_strike");
  record.snapshot = fields.nested("snapshot", snapshot_from_json).value_or(Snapshot{});
  return fields.finish(std::move(record));
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

Result<HostState> host_state_from_json(const value& json) {
  JsonFields fields(json, "host");
  HostState host;
  host.origin = fields.required_text("origin");
  host.not_before = fields.time("not_before");
  host.concurrency = six_decimals(fields.real("concurrency", 1.0));
  host.robots = fields.text("robots");
  host.robots_at = fields.time("robots_at");
  host.silence = fields.nested("silence", host_silence_from_json);
  return fields.finish(std::move(host));
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

Result<Run> run_from_json(const value& json) {
  JsonFields fields(json, "run");
  Run run;
  run.number = fields.whole<std::uint64_t>("number");
  run.identity = fields.text("identity");
  run.inputs = fields.texts("inputs");
  for (std::string& input : run.inputs) input = parser::mask_password(input);
  run.started_at = fields.required_time("started_at");
  run.finished_at = fields.time("finished_at");
  run.state = fields.required_word("state", run_state_names);
  run.strikes = fields.whole<int>("strikes");
  return fields.finish(std::move(run));
}

object to_json(const RunEntry& entry) {
  return {{"id", entry.id.to_hex()},
          {"occurrences", json_list(entry.occurrences)},
          {"finished", entry.finished},
          {"from_store", entry.from_store},
          {"verdict", to_json(entry.verdict)}};
}

Result<RunEntry> run_entry_from_json(const value& json) {
  JsonFields fields(json, "run entry");
  RunEntry entry;
  entry.id = read_id(fields);
  entry.occurrences = fields.list("occurrences", link_occurrence_from_json);
  entry.finished = fields.flag("finished", false);
  entry.from_store = fields.flag("from_store", false);
  entry.verdict = fields.nested("verdict", verdict_from_json).value_or(Verdict{});
  return fields.finish(std::move(entry));
}

}  // namespace linkherd::storage
