// The reading half of record_json.h.
#include <cmath>

#include "parser/url/credentials.h"
#include "storage/json_fields.h"
#include "storage/record_json.h"

namespace linkherd::storage {
namespace {

using boost::json::value;

// Undoes the last bit that Boost.JSON's number parser may lose; see the writing half.
double six_decimals(double number) { return std::round(number * 1e6) / 1e6; }

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

// The three places of one metadata field, read together.
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

Result<Verdict> verdict_from_json(const value& json) {
  JsonFields fields(json, "verdict");
  Verdict verdict;
  verdict.health = fields.required_word("health", health_names);
  verdict.reason = fields.text("reason");
  verdict.rule = fields.text("rule");
  verdict.evidence = parser::mask_passwords_in(fields.text("evidence"));
  verdict.confidence = six_decimals(fields.real("confidence", 1.0));
  return fields.finish(std::move(verdict));
}

Result<Snapshot> snapshot_from_json(const value& json) {
  JsonFields fields(json, "snapshot");
  Snapshot snapshot;
  snapshot.fetched_at = fields.required_time("fetched_at");
  snapshot.verdict = fields.noun("verdict", verdict_from_json).value_or(Verdict{});
  snapshot.status = fields.whole<int>("status");
  snapshot.final_url = fields.url("final_url");
  snapshot.redirects = fields.nouns("redirects", redirect_from_json);
  snapshot.attempts = fields.nouns("attempts", attempt_from_json);
  snapshot.content_type = fields.text("content_type");
  snapshot.charset = fields.text("charset");
  snapshot.etag = fields.text("etag");
  snapshot.last_modified = fields.text("last_modified");
  snapshot.body_digest = fields.text("body_digest");
  snapshot.body_bytes = fields.whole<std::uint64_t>("body_bytes");
  snapshot.body_complete = fields.flag("body_complete", true);
  snapshot.remote_address = fields.text("remote_address");
  snapshot.certificate = fields.noun("certificate", certificate_from_json);
  snapshot.metadata = fields.noun("metadata", metadata_from_json).value_or(parser::Metadata{});
  return fields.finish(std::move(snapshot));
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
  record.snapshot = fields.noun("snapshot", snapshot_from_json).value_or(Snapshot{});
  return fields.finish(std::move(record));
}

Result<HostState> host_state_from_json(const value& json) {
  JsonFields fields(json, "host");
  HostState host;
  host.origin = fields.required_text("origin");
  host.not_before = fields.time("not_before");
  host.concurrency = six_decimals(fields.real("concurrency", 1.0));
  host.robots = fields.text("robots");
  host.robots_at = fields.time("robots_at");
  host.silence = fields.noun("silence", host_silence_from_json);
  return fields.finish(std::move(host));
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

Result<RunEntry> run_entry_from_json(const value& json) {
  JsonFields fields(json, "run entry");
  RunEntry entry;
  entry.id = read_id(fields);
  entry.occurrences = fields.nouns("occurrences", link_occurrence_from_json);
  entry.finished = fields.flag("finished", false);
  entry.from_store = fields.flag("from_store", false);
  entry.verdict = fields.noun("verdict", verdict_from_json).value_or(Verdict{});
  return fields.finish(std::move(entry));
}

}  // namespace linkherd::storage
