#include "storage/record_json.h"

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "parser/utf8.h"
#include "storage/json_fields.h"

namespace linkherd::storage {
namespace {

using boost::json::value;

// Drops a validator that JSON cannot represent, because a modified validator is useless. The next request is then
// unconditional.
std::optional<std::string_view> validator(std::string_view text) {
  return is_valid_utf8(text) ? or_null(text) : std::nullopt;
}

template <class Visit>
void for_each_field(const parser::Metadata& metadata, const Visit& visit) {
  visit("title", metadata.title);
  visit("authors", metadata.authors);
  visit("published", metadata.published);
  visit("modified", metadata.modified);
  visit("language", metadata.language);
  visit("site_name", metadata.site_name);
  visit("description", metadata.description);
  visit("canonical", metadata.canonical);
  visit("doi", metadata.doi);
  visit("arxiv", metadata.arxiv);
  visit("isbn", metadata.isbn);
}

template <class Noun>
void write_object(JsonWriter& json, const Noun& noun) {
  json.begin_object();
  write_members(json, noun);
  json.end_object();
}

// Reads a metadata field with its source and confidence.
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
    return {std::move(value), sources_.text(key), six_decimals(confidence_.real(key))};
  }

  JsonFields values_;
  JsonFields sources_;
  JsonFields confidence_;
};

}  // namespace

double six_decimals(double number) { return std::isfinite(number) ? std::round(number * 1e6) / 1e6 : 0.0; }

void write_json(JsonWriter& json, const parser::LinkOccurrence& occurrence) {
  json.begin_object();
  json.member("file", occurrence.file);
  json.member("line", occurrence.line);
  json.member("column", occurrence.column);
  json.member("offset", occurrence.offset);
  json.member("length", occurrence.length);
  json.member("url", occurrence.url);
  json.member("href", or_null(occurrence.href));
  json.member("text", occurrence.text);
  if (!occurrence.description.empty()) json.member("description", occurrence.description);
  json.member("element", enum_name(parser::link_element_names, occurrence.element));
  json.member("entry", occurrence.entry > 0 ? std::optional(occurrence.entry) : std::nullopt);
  json.member("role", enum_name(parser::link_role_names, occurrence.role));
  json.member("heading", occurrence.heading());
  json.member("headings", occurrence.headings);
  json.member("rel", occurrence.rel);
  json.member("ignored_by", or_null(occurrence.ignored_by));
  json.key("notes");
  json.begin_array();
  for (const parser::LinkNote note : occurrence.notes) json.text(enum_name(parser::link_note_names, note));
  json.end_array();
  if (!occurrence.tags.empty()) json.member("tags", occurrence.tags);
  if (occurrence.added) json.member("added", *occurrence.added);
  json.end_object();
}

void write_members(JsonWriter& json, const parser::Metadata& metadata) {
  for_each_field(metadata, [&json](std::string_view key, const auto& field) {
    json.key(key);
    if (field) {
      write_json(json, field->value);
    } else if (key == "authors") {
      write_json(json, std::vector<std::string>());
    } else {
      write_json(json, nullptr);
    }
  });
  json.key("sources");
  json.begin_object();
  for_each_field(metadata, [&json](std::string_view key, const auto& field) {
    if (field) json.member(key, field->source);
  });
  json.end_object();
  json.key("confidence");
  json.begin_object();
  for_each_field(metadata, [&json](std::string_view key, const auto& field) {
    if (field) json.member(key, six_decimals(field->confidence));
  });
  json.end_object();
}

void write_json(JsonWriter& json, const parser::Metadata& metadata) { write_object(json, metadata); }

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
  metadata.doi = fields.text("doi");
  metadata.arxiv = fields.text("arxiv");
  metadata.isbn = fields.text("isbn");
  return fields.finish(std::move(metadata));
}

void write_members(JsonWriter& json, const Verdict& verdict) {
  json.member("health", enum_name(health_names, verdict.health));
  json.member("reason", verdict.reason);
  json.member("rule", verdict.rule);
  json.member("evidence", verdict.evidence);
  json.member("confidence", six_decimals(verdict.confidence));
}

void write_json(JsonWriter& json, const Verdict& verdict) { write_object(json, verdict); }

void write_json(JsonWriter& json, const Redirect& redirect) {
  json.begin_object();
  json.member("from", redirect.from);
  json.member("status", or_null(redirect.status));
  json.member("to", redirect.to);
  json.member("kind", enum_name(parser::redirect_kind_names, redirect.kind));
  json.end_object();
}

void write_json(JsonWriter& json, const Attempt& attempt) {
  json.begin_object();
  json.member("at", attempt.at);
  json.member("url", attempt.url);
  json.member("status", or_null(attempt.status));
  json.member("failure", or_null(attempt.failure));
  json.member("milliseconds", attempt.milliseconds);
  json.end_object();
}

void write_json(JsonWriter& json, const Certificate& certificate) {
  json.begin_object();
  json.member("subject", certificate.subject);
  json.member("issuer", certificate.issuer);
  json.member("expires", certificate.expires);
  json.member("chain_incomplete", certificate.is_chain_incomplete);
  json.end_object();
}

void write_json(JsonWriter& json, const ArchivedCopy& copy) {
  json.begin_object();
  json.member("url", copy.url);
  json.member("date", copy.date);
  json.end_object();
}

void write_json(JsonWriter& json, const Relocation& relocation) {
  json.begin_object();
  json.member("url", relocation.url);
  json.member("level", enum_name(relocation_level_names, relocation.level));
  json.member("similarity", relocation.similarity ? std::optional(six_decimals(*relocation.similarity)) : std::nullopt);
  json.member("source", enum_name(relocation_source_names, relocation.source));
  json.member("evidence", relocation.evidence);
  json.end_object();
}

void write_json(JsonWriter& json, const Fact& fact) {
  json.begin_object();
  json.member("kind", fact.kind);
  json.member("text", fact.text);
  json.end_object();
}

void write_json(JsonWriter& json, const PlainAnswer& answer) {
  json.begin_object();
  json.member("status", or_null(answer.status));
  write_members(json, answer.verdict);
  json.end_object();
}

namespace {

// The MinHash is used only for comparisons, so it is not written.
void write_json(JsonWriter& json, const parser::TextSignature& text) {
  json.begin_object();
  json.member("digest", fmt::format("{:016x}", text.digest));
  json.member("simhash", fmt::format("{:016x}", text.simhash));
  json.member("length", text.length);
  json.end_object();
}

}  // namespace

void write_members(JsonWriter& json, const Snapshot& snapshot) {
  json.member("fetched_at", snapshot.fetched_at);
  json.member("verdict", snapshot.verdict);
  json.member("status", or_null(snapshot.status));
  json.member("final_url", or_null(snapshot.final_url));
  json.member("redirects", snapshot.redirects);
  json.member("attempts", snapshot.attempts);
  json.member("content_type", or_null(snapshot.content_type));
  json.member("charset", or_null(snapshot.charset));
  json.member("etag", validator(snapshot.etag));
  json.member("last_modified", validator(snapshot.last_modified));
  json.member("body_digest", or_null(snapshot.body_digest));
  json.member("body_bytes", snapshot.body_bytes);
  json.member("body_complete", snapshot.is_body_complete);
  json.member("remote_address", or_null(snapshot.remote_address));
  json.member("certificate", snapshot.certificate);
  json.member("metadata", snapshot.metadata);
  json.key("main_text");
  if (snapshot.main_text.was_read()) {
    write_json(json, snapshot.main_text);
  } else {
    write_json(json, nullptr);
  }
  json.member("facts", snapshot.facts);
  json.member("vantage", or_null(snapshot.vantage));
  json.member("plain", snapshot.plain);
}

void write_json(JsonWriter& json, const Snapshot& snapshot) { write_object(json, snapshot); }

void write_members(JsonWriter& json, const Run& run) {
  json.member("number", run.number);
  json.member("identity", run.identity);
  json.member("inputs", run.inputs);
  json.member("started_at", run.started_at);
  json.member("finished_at", run.finished_at);
  json.member("state", enum_name(run_state_names, run.state));
  json.member("strikes", run.strikes);
  json.member("partial", run.is_partial);
  json.member("vantage", or_null(run.vantage));
  json.member("shard", run.shard ? std::optional(describe(*run.shard)) : std::nullopt);
}

void write_json(JsonWriter& json, const Run& run) { write_object(json, run); }

Result<Run> run_from_json(const value& json) {
  JsonFields fields(json, "run");
  Run run;
  run.number = fields.whole<std::uint64_t>("number");
  run.identity = fields.text("identity");
  run.inputs = fields.texts("inputs");
  run.started_at = fields.required_time("started_at");
  run.finished_at = fields.time("finished_at");
  run.state = fields.required_word("state", run_state_names);
  run.strikes = fields.whole<int>("strikes");
  run.is_partial = fields.flag("partial");
  return fields.finish(std::move(run));
}

}  // namespace linkherd::storage
