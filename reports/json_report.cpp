#include "reports/json_report.h"

#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "parser/utf8.h"
#include "reports/escape.h"
#include "reports/place_reader.h"
#include "reports/wording.h"
#include "storage/record_json.h"

namespace linkherd::reports {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;
using storage::CheckedLink;

// A group of thousands must not be repeated in each of its thousands of links; `more` says how many entries were left
// out.
constexpr std::size_t most_others = 20;

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

boost::json::string text(std::string_view foreign) {
  boost::json::string text(to_valid_utf8(foreign));
  return text;
}

object entry_json(const EntryPlace& place) {
  return {{"url", text(place.url)}, {"file", text(place.file)}, {"line", place.line}, {"column", place.column}};
}

object group_json(const DuplicateGroup& group) {
  object json{
      {"layer", enum_name(duplicate_layer_names, group.layer)}, {"certain", group.certain}, {"what", text(group.what)}};
  if (group.shared_links > 0) json["shared_links"] = group.shared_links;  // a note on parallel lists
  return json;
}

// A group for one of its links: with all entries but the first one of that link.
object group_of_link_json(PlaceReader& places, const DuplicateGroup& group, std::size_t link) {
  object json = group_json(group);
  array with;
  bool own_seen = false;
  for (const DuplicateEntry& entry : group.entries) {
    const bool is_own_first = entry.link == link && !own_seen;
    own_seen = own_seen || is_own_first;
    if (is_own_first) continue;
    if (with.size() == most_others) break;
    with.push_back(entry_json(places.place(entry)));
  }
  const std::size_t left_out = group.entries.size() - 1 - with.size();
  json["with"] = std::move(with);
  if (left_out > 0) json["more"] = left_out;
  return json;
}

object link_json(const Report& report, std::size_t index, std::span<const DuplicateGroup* const> groups,
                 PlaceReader& places) {
  const CheckedLink link = report.links->at(index);
  object verdict = storage::to_json(link.entry.verdict);
  object record = storage::to_json(link.record);
  object& snapshot = record["snapshot"].as_object();
  const bool was_fetched = link.record.snapshot.fetched_at != Timestamp{};

  array occurrences;
  for (const parser::LinkOccurrence& occurrence : link.entry.occurrences) {
    occurrences.push_back(storage::to_json(occurrence));
  }
  array duplicates;
  for (const DuplicateGroup* group : groups) duplicates.push_back(group_of_link_json(places, *group, index));
  return {{"schema", json_schema},
          {"url", text(link_url(link))},
          {"final_url", std::move(snapshot["final_url"])},
          {"health", std::move(verdict["health"])},
          {"reason", std::move(verdict["reason"])},
          {"rule", std::move(verdict["rule"])},
          {"evidence", std::move(verdict["evidence"])},
          {"confidence", std::move(verdict["confidence"])},
          {"status", std::move(snapshot["status"])},
          {"redirects", std::move(snapshot["redirects"])},
          {"attempts", std::move(snapshot["attempts"])},
          {"checked_at", was_fetched ? std::move(snapshot["fetched_at"]) : value(nullptr)},
          {"from_store", link.entry.from_store},
          {"strikes", std::move(record["strikes"])},
          {"first_failed", std::move(record["first_failed"])},
          {"occurrences", std::move(occurrences)},
          {"metadata", std::move(snapshot["metadata"])},
          {"duplicates", std::move(duplicates)}};
}

object summary_json(const Report& report) {
  const Summary& summary = report.overview.summary;
  object json{{"occurrences", summary.occurrences}, {"links", summary.links}, {"hosts", summary.hosts}};
  for (const auto& [health, name] : storage::health_names) json[name] = summary.count(health);
  json["duplicate_groups"] = report.duplicates.size();
  return json;
}

object run_json(const Report& report) {
  object json = storage::to_json(report.run);
  json["seconds"] = report.elapsed ? value(std::chrono::duration<double>(*report.elapsed).count()) : value(nullptr);
  array pace;
  for (const storage::PaceBound& bound : report.pace) {
    pace.push_back(object{{"host", text(bound.host)},
                          {"links", bound.links},
                          {"interval_seconds", std::chrono::duration<double>(bound.interval).count()},
                          {"at_least_seconds", std::chrono::duration<double>(bound.at_least()).count()}});
  }
  json["pace"] = std::move(pace);
  json["store"] = report.store.empty() ? value(nullptr) : value(text(report.store));
  return json;
}

void write(std::ostream& out, const value& json) { out << escape_json(boost::json::serialize(json)); }

}  // namespace

void write_jsonl(std::ostream& out, const Report& report) {
  const GroupsOfLinks groups(report);
  PlaceReader places(*report.links);
  for (std::size_t i = 0; i < report.overview.summary.links; ++i) {
    write(out, link_json(report, i, groups.of(i), places));
    out << '\n';
  }
}

void write_json(std::ostream& out, const Report& report) {
  const GroupsOfLinks groups(report);
  PlaceReader places(*report.links);
  out << "{\"schema\":" << json_schema << ",\n\"run\":";
  write(out, run_json(report));
  out << ",\n\"summary\":";
  write(out, summary_json(report));
  out << ",\n\"links\":[";
  for (std::size_t i = 0; i < report.overview.summary.links; ++i) {
    out << (i == 0 ? "\n" : ",\n");
    write(out, link_json(report, i, groups.of(i), places));
  }
  out << "],\n\"duplicates\":[";
  const char* separator = "\n";
  for (const DuplicateGroup& group : report.duplicates) {
    object json = group_json(group);
    array entries;
    for (const DuplicateEntry& entry : group.entries) entries.push_back(entry_json(places.place(entry)));
    json["entries"] = std::move(entries);
    out << std::exchange(separator, ",\n");
    write(out, json);
  }
  out << "]}\n";
}

}  // namespace linkherd::reports
