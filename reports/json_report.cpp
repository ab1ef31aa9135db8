#include <chrono>
#include <cstdint>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/escape.h"
#include "reports/json_output.h"
#include "reports/location_reader.h"
#include "reports/messages.h"
#include "reports/ordered_links.h"
#include "reports/report_formats.h"
#include "reports/report_rows.h"
#include "storage/record_json.h"

namespace linkherd::reports {

extern const char* const built_in_schema;  // made by CMake

namespace {

using storage::CheckedLink;
using storage::JsonWriter;

// A group of thousands must not be repeated in each of its thousands of links; `more` says how many entries were left
// out.
constexpr std::size_t max_others = 20;

// The groups of each link, so that a report is written in linear time.
class GroupsOfLinks {
 public:
  explicit GroupsOfLinks(const Report& report) : groups_(report.overview.summary.links) {
    for (const DuplicateGroup& group : report.duplicates) {
      for (const DuplicateEntry& entry : group.entries) {
        std::vector<const DuplicateGroup*>& known = groups_[entry.link];
        if (known.empty() || known.back() != &group) known.push_back(&group);
      }
    }
  }
  std::span<const DuplicateGroup* const> of(std::size_t link) const { return groups_[link]; }

 private:
  std::vector<std::vector<const DuplicateGroup*>> groups_;
};

void write_entry(JsonWriter& json, const EntryLocation& location) {
  json.begin_object();
  json.member("url", location.url);
  json.member("file", location.file);
  json.member("line", location.line);
  json.member("column", location.column);
  json.end_object();
}

void write_members(JsonWriter& json, const DuplicateGroup& group) {
  json.member("layer", enum_name(duplicate_layer_names, group.layer));
  json.member("certain", group.is_certain);
  json.member("what", group.shared);
  if (group.shared_links > 0) json.member("shared_links", group.shared_links);  // a note on parallel lists
}

// A group for one of its links: with all entries but the first one of that link.
void write_group_of_link(JsonWriter& json, LocationReader& locations, const DuplicateGroup& group, std::size_t link) {
  json.begin_object();
  write_members(json, group);
  json.key("with");
  json.begin_array();
  bool own_seen = false;
  std::size_t written = 0;
  for (const DuplicateEntry& entry : group.entries) {
    const bool is_own_first = entry.link == link && !own_seen;
    own_seen = own_seen || is_own_first;
    if (is_own_first) continue;
    if (written == max_others) break;
    write_entry(json, locations.location(entry));
    ++written;
  }
  json.end_array();
  const std::size_t left_out = group.entries.size() - 1 - written;
  if (left_out > 0) json.member("more", left_out);
  json.end_object();
}

void write_acceptance(JsonWriter& json, const Report& report, std::size_t index) {
  const auto found = report.accepted.find(index);
  json.key("accepted");
  if (found == report.accepted.end()) return json.word("null");
  json.begin_object();
  json.member("reason", found->second.reason);
  json.member("until", found->second.until);
  json.member("by", storage::or_null(found->second.by));
  json.end_object();
}

void write_link(JsonWriter& json, const Report& report, std::size_t index, const CheckedLink& link,
                std::span<const DuplicateGroup* const> groups, LocationReader& locations) {
  const storage::Snapshot& snapshot = link.record.snapshot;
  const bool was_fetched = snapshot.fetched_at != Timestamp{};
  json.begin_object();
  json.member("schema", json_schema);
  json.member("url", link_url(link));
  json.member("final_url", storage::or_null(snapshot.final_url));
  json.member("section",
              enum_name(section_names,
                        section_of(link.entry.verdict, report.accepted.count(static_cast<std::size_t>(index)) > 0)));
  write_members(json, link.entry.verdict);
  const LinkChange* const change = report.changes.of(index);
  const bool was_listed = change != nullptr && change->before;
  json.member("previous_health",
              was_listed ? std::optional(enum_name(storage::health_names, *change->before)) : std::nullopt);
  json.member("change", change != nullptr ? std::optional(enum_name(change_names, change->change)) : std::nullopt);
  write_acceptance(json, report, index);
  json.member("status", storage::or_null(snapshot.status));
  json.member("redirects", snapshot.redirects);
  json.member("attempts", snapshot.attempts);
  json.member("checked_at", was_fetched ? std::optional(snapshot.fetched_at) : std::nullopt);
  json.member("vantage", storage::or_null(snapshot.vantage));
  json.member("from_store", link.entry.is_from_store);
  json.member("strikes", link.record.strikes);
  json.member("first_failed", link.record.first_failed);
  json.member("occurrences", link.entry.occurrences);
  json.member("metadata", snapshot.metadata);
  json.member("facts", snapshot.facts);
  const storage::ArchivedCopy* const copy = suggested_copy(link);
  json.member("archived_copy", copy == nullptr ? std::nullopt : std::optional(*copy));
  json.key("duplicates");
  json.begin_array();
  for (const DuplicateGroup* group : groups) write_group_of_link(json, locations, *group, index);
  json.end_array();
  json.end_object();
}

// `before`: the first link, and the others.
void write_links(std::ostream& out, const Report& report, LocationReader& locations, std::string_view before_first,
                 std::string_view before, std::string_view behind) {
  const GroupsOfLinks groups(report);
  std::vector<std::uint32_t> included;
  for (std::uint32_t i = 0; i < report.overview.summary.links; ++i) {
    if (is_in_report(report, i)) included.push_back(i);
  }
  std::string text;
  const auto render = [&](std::size_t position, const CheckedLink& link, std::string& rendered) {
    text.clear();
    JsonWriter json(text);
    write_link(json, report, included[position], link, groups.of(included[position]), locations);
    append_escaped_json(rendered, text);
  };
  write_in_order(out, *report.links, included, render,
                 [&](std::size_t position, std::string_view link, std::string& to) {
                   to.append(position == 0 ? before_first : before).append(link).append(behind);
                 });
}

void write_summary(JsonWriter& json, const Report& report) {
  const Summary& summary = report.overview.summary;
  json.begin_object();
  json.member("occurrences", summary.occurrences);
  json.member("links", summary.links);
  json.member("hosts", summary.hosts);
  for (const auto& [health, name] : storage::health_names) json.member(name, summary.count(health));
  json.member("broken", summary.broken());
  json.member("accepted", summary.accepted_links());
  json.member("duplicate_groups", report.duplicates.size());
  json.member("repeated_mentions", report.repeated_mentions);
  json.key("sections");
  json.begin_object();
  for (const auto& [section, name] : section_names) json.member(name, size_of(report, section));
  json.end_object();
  json.end_object();
}

// Not "1E-1", which JSON allows and few people read. Null where it is not known.
void write_seconds(JsonWriter& json, std::string_view key, std::optional<Duration> duration) {
  json.key(key);
  json.word(duration ? fmt::format("{}", std::chrono::duration<double>(*duration).count()) : "null");
}

void write_run(JsonWriter& json, const Report& report) {
  json.begin_object();
  write_members(json, report.run);
  write_seconds(json, "seconds", elapsed_of(report));
  json.key("pace");
  json.begin_array();
  for (const storage::PaceBound& bound : report.pace) {
    json.begin_object();
    json.member("host", bound.host);
    json.member("links", bound.links);
    write_seconds(json, "interval_seconds", bound.interval);
    json.member("interval_from", bound.is_crawl_delay ? "robots" : "settings");
    write_seconds(json, "paused_seconds", bound.pauses ? bound.pauses->waited : Duration{});
    json.member("pause_from", !bound.pauses ? "none" : bound.pauses->is_host_time ? "host" : "linkherd");
    json.member("pause_status", bound.pauses ? bound.pauses->status : 0);
    write_seconds(json, "at_least_seconds", bound.min_duration());
    json.end_object();
  }
  json.end_array();
  json.member("store", storage::or_null(report.store));
  json.end_object();
}

void write_outcome(JsonWriter& json, const Outcome& outcome) {
  json.begin_object();
  json.member("exit_code", outcome.exit_code);
  json.member("why", outcome.why);
  json.end_object();
}

void write_changes(JsonWriter& json, const Changes& changes) {
  if (!changes.since) return json.word("null");
  json.begin_object();
  json.key("since");
  if (changes.since->number == 0) {
    json.word("null");
  } else {
    json.begin_object();
    json.member("number", changes.since->number);
    json.member("started_at", changes.since->started_at);
    json.member("finished_at", changes.since->finished_at);
    json.end_object();
  }
  for (const auto& [change, name] : change_names) json.member(name, changes.count(change));
  json.member("removed", changes.removed);
  json.member("repeated", changes.repeated);
  json.end_object();
}

void write_ending_certificates(JsonWriter& json, const Report& report) {
  json.begin_array();
  for (const EndingCertificate& one : report.overview.certificates) {
    json.begin_object();
    json.member("host", one.host);
    json.member("expires", one.expires);
    json.member("is_ending", one.is_ending);
    json.member("is_chain_incomplete", one.is_chain_incomplete);
    json.member("links", one.links);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::string json_schema_text(SchemaRoot root) {
  std::string text = built_in_schema;
  constexpr std::string_view first = R"("$ref": "#/$defs/report")";
  return text.replace(text.find(first), first.size(),
                      fmt::format(R"("$ref": "#/$defs/{}")", enum_name(schema_root_names, root)));
}

void write_jsonl(std::ostream& out, const Report& report) {
  LocationReader locations(*report.links);
  write_links(out, report, locations, {}, {}, "\n");
}

void write_json(std::ostream& out, const Report& report) {
  LocationReader locations(*report.links);
  JsonOutput output(out);
  out << "{\"schema\":" << json_schema;
  write_run(output.value(), report);
  output.flush(",\n\"run\":", {});
  write_summary(output.value(), report);
  output.flush(",\n\"summary\":", {});
  write_outcome(output.value(), report.outcome);
  output.flush(",\n\"outcome\":", {});
  write_changes(output.value(), report.changes);
  output.flush(",\n\"changes\":", ",\n\"links\":[");
  write_links(out, report, locations, "\n", ",\n", {});
  out << "],\n\"duplicates\":[";
  const char* separator = "\n";
  for (const DuplicateGroup& group : report.duplicates) {
    JsonWriter& json = output.value();
    json.begin_object();
    write_members(json, group);
    json.key("entries");
    json.begin_array();
    for (const DuplicateEntry& entry : group.entries) write_entry(json, locations.location(entry));
    json.end_array();
    json.end_object();
    output.flush(std::exchange(separator, ",\n"), {});
  }
  out << "]";
  write_ending_certificates(output.value(), report);
  output.flush(",\n\"certificates\":", "}\n");
}

}  // namespace linkherd::reports
