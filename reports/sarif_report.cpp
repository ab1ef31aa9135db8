#include <algorithm>
#include <map>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "parser/ascii.h"
#include "parser/url/percent_encoding.h"
#include "parser/utf8.h"
#include "reports/json_output.h"
#include "reports/messages.h"
#include "reports/report_formats.h"
#include "reports/report_rows.h"
#include "storage/link_id.h"

namespace linkherd::reports {
namespace {

using storage::JsonWriter;

constexpr std::string_view duplicates_rule = "repeated";
constexpr std::string_view certificate_rule = "certificate_ends";
constexpr std::string_view chain_rule = "certificate_chain_incomplete";
constexpr std::size_t max_results = 25'000;  // GitHub code scanning rejects runs with more results
constexpr std::size_t max_locations = 100;   // per result; a badge may be in thousands of files

struct SarifRule {
  std::size_t index = 0;
  std::string text;
  std::string help;
};
using SarifRules = std::map<std::string, SarifRule, std::less<>>;

const SarifRule& rule_for(SarifRules& rules, std::string_view id, std::string text, std::string help) {
  const auto known = rules.find(id);
  if (known != rules.end()) return known->second;
  const std::size_t index = rules.size();
  return rules.emplace(std::string(id), SarifRule{index, std::move(text), std::move(help)}).first->second;
}

// Returns a relative reference, because tools look for files below the root of the repository. URLs stay unchanged.
std::string artifact_uri(std::string_view file) {
  if (file.find("://") != std::string_view::npos) return std::string(file);
  std::string uri(file.starts_with('/') ? "file://" : "");
  parser::append_percent_encoded(uri, file, parser::path_encode_set.with("%:[]|\\"));
  return uri;
}

void write_artifact(JsonWriter& json, const Report& report, const std::string& file) {
  json.key("artifactLocation");
  json.begin_object();
  json.member("uri", artifact_uri(repository_path(report, file)));
  json.end_object();
}

void write_location(JsonWriter& json, const Report& report, const std::string& file, std::uint32_t line,
                    std::uint32_t column) {
  json.begin_object();
  json.key("physicalLocation");
  json.begin_object();
  write_artifact(json, report, file);
  json.key("region");
  json.begin_object();
  json.member("startLine", std::max(line, 1U));
  json.member("startColumn", std::max(column, 1U));
  json.end_object();
  json.end_object();
  json.end_object();
}

// Returns the text that replaces the URL of a link to a page that moved for sure. Returns an empty text unless the URL
// is written in one line and without escapes, and the new one needs none in any format.
std::string replacement_for(const parser::LinkOccurrence& occurrence, const storage::Relocation& relocation) {
  const bool is_absolute = parser::starts_ignoring_case(occurrence.url, "http://") ||
                           parser::starts_ignoring_case(occurrence.url, "https://");
  const bool is_plain = occurrence.length == occurrence.url.size() && !occurrence.has(parser::LinkNote::wrapped_line) &&
                        occurrence.file.find("://") == std::string::npos;
  const bool may_change =
      occurrence.ignored_by.empty() &&
      (occurrence.element == parser::LinkElement::link || occurrence.element == parser::LinkElement::autolink ||
       occurrence.element == parser::LinkElement::definition || occurrence.element == parser::LinkElement::image);
  if (!is_absolute || !is_plain || !may_change) return {};
  std::string url = clickable_url(relocation.url);
  const std::size_t fragment = occurrence.href.find('#');
  if (!url.empty() && fragment != std::string::npos && url.find('#') == std::string::npos)
    url += occurrence.href.substr(fragment);
  constexpr std::string_view safe = "-._~:/?=+@%#";
  const bool needs_no_escape = std::ranges::all_of(
      url, [safe](char c) { return parser::is_ascii_alphanumeric(c) || safe.find(c) != std::string_view::npos; });
  return needs_no_escape ? url : std::string();
}

void write_message(JsonWriter& json, std::string_view key, std::string_view text) {
  json.key(key);
  json.begin_object();
  json.member("text", text);
  json.end_object();
}

void write_replacement(JsonWriter& json, const parser::LinkOccurrence& occurrence, std::string_view url) {
  json.begin_object();
  json.key("deletedRegion");
  json.begin_object();
  json.member("startLine", occurrence.line);
  json.member("startColumn", occurrence.column);
  json.member("endColumn", occurrence.column + count_code_points(occurrence.url));
  json.end_object();
  write_message(json, "insertedContent", url);
  json.end_object();
}

// Writes the new address of a page that moved for sure as a fix, with one change for each document.
void write_fixes(JsonWriter& json, const Report& report, const std::vector<parser::LinkOccurrence>& occurrences,
                 const storage::Relocation& relocation) {
  std::map<std::string, std::vector<std::pair<const parser::LinkOccurrence*, std::string>>> changes;
  for (std::size_t i = 0; i < std::min(occurrences.size(), max_locations); ++i) {
    std::string url = replacement_for(occurrences[i], relocation);
    if (!url.empty()) changes[occurrences[i].file].emplace_back(&occurrences[i], std::move(url));
  }
  if (changes.empty()) return;
  json.key("fixes");
  json.begin_array();
  json.begin_object();
  write_message(json, "description", brief(describe_relocation(relocation)));
  json.key("artifactChanges");
  json.begin_array();
  for (const auto& [file, replacements] : changes) {
    json.begin_object();
    write_artifact(json, report, file);
    json.key("replacements");
    json.begin_array();
    for (const auto& [occurrence, url] : replacements) write_replacement(json, *occurrence, url);
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.end_object();
  json.end_array();
}

// The fingerprint excludes lines and columns, so that a finding stays the same when the list is edited.
void write_fingerprint(JsonWriter& json, std::string_view file, std::string_view url, std::string_view rule) {
  json.key("partialFingerprints");
  json.begin_object();
  json.member("linkherd/v1", storage::content_digest(fmt::format("{}\n{}\n{}", rule, url, file)));
  json.end_object();
}

// Returns the kind of a result. An inconclusive result is not a failure with a level, unless it fails the run.
std::string_view kind_of(const ReportRow& row) {
  if (row.level == Level::error) return "fail";
  switch (row.section) {
    case Section::skipped: return "notApplicable";
    case Section::blocked:
    case Section::unreachable:
    case Section::deferred: return "open";
    default: return "fail";
  }
}

void write_result(JsonWriter& json, const Report& report, const ReportRow& row, const storage::CheckedLink& link,
                  const SarifRule& rule) {
  const storage::Verdict& verdict = link.result.verdict;
  const std::vector<parser::LinkOccurrence>& occurrences = link.result.occurrences;
  const std::string_view kind = kind_of(row);
  json.begin_object();
  json.member("ruleId", verdict.reason);
  json.member("ruleIndex", rule.index);
  json.member("kind", kind);
  json.member("level", kind == "fail" ? enum_name(level_names, row.level) : std::string_view("none"));
  write_message(json, "message", describe_row(row, link));
  json.key("locations");
  json.begin_array();
  for (std::size_t i = 0; i < std::min(occurrences.size(), max_locations); ++i)
    write_location(json, report, occurrences[i].file, occurrences[i].line, occurrences[i].column);
  json.end_array();
  write_fingerprint(json, occurrences.empty() ? std::string() : repository_path(report, occurrences.front().file),
                    link_url(link), verdict.reason);
  const storage::Relocation* const relocation = suggested_relocation(link);
  if (relocation != nullptr && relocation->level == storage::RelocationLevel::sure)
    write_fixes(json, report, occurrences, *relocation);
  if (row.section == Section::accepted) {
    json.key("suppressions");
    json.begin_array();
    json.begin_object();
    json.member("kind", "external");
    json.member("justification", report.accepted.at(row.link).reason);
    json.end_object();
    json.end_array();
  }
  json.key("properties");
  json.begin_object();
  json.member("section", enum_name(section_names, row.section));
  json.member("health", enum_name(storage::health_names, verdict.health));
  json.member("url", link_url(link));
  if (row.change) json.member("change", enum_name(change_names, row.change->change));
  if (row.change && row.change->before)
    json.member("previous_health", enum_name(storage::health_names, *row.change->before));
  json.end_object();
  json.end_object();
}

// A result that is not a verdict on a link.
struct SarifNote {
  std::string_view id;
  const SarifRule& rule;
  Section section;
  std::string message;
  std::vector<EntryLocation> locations;
  std::string file, subject;  // identify the result
};

void write_note_result(JsonWriter& json, const Report& report, const SarifNote& note) {
  json.begin_object();
  json.member("ruleId", note.id);
  json.member("ruleIndex", note.rule.index);
  json.member("kind", "fail");
  json.member("level", "note");
  write_message(json, "message", note.message);
  json.key("locations");
  json.begin_array();
  for (const EntryLocation& location : note.locations)
    write_location(json, report, location.file, location.line, location.column);
  json.end_array();
  write_fingerprint(json, repository_path(report, note.file), note.subject, note.id);
  json.key("properties");
  json.begin_object();
  json.member("section", enum_name(section_names, note.section));
  json.end_object();
  json.end_object();
}

SarifNote duplicates_note(const DuplicateGroup& group, const SarifRule& rule) {
  const EntryLocation& first = group.entries.front();
  SarifNote note{duplicates_rule, rule, Section::duplicates, describe_duplicates(group), {}, first.file, first.url};
  // Skips the first entry, which may stay in the list.
  for (std::size_t i = 1; i < std::min(group.entries.size(), max_locations); ++i)
    note.locations.push_back(group.entries[i]);
  return note;
}

SarifNote certificate_note(const Report& report, const EndingCertificate& one, const SarifRule& rule) {
  const EntryLocation location = certificate_location(report, one);
  return {one.is_ending ? certificate_rule : chain_rule,
          rule,
          Section::certificates,
          describe_ending_certificate(report, one),
          {location},
          location.file,
          one.host};
}

void write_tool(JsonWriter& json, const SarifRules& rules) {
  std::vector<const SarifRules::value_type*> in_order(rules.size());
  for (const SarifRules::value_type& rule : rules) in_order[rule.second.index] = &rule;
  json.begin_object();
  json.key("driver");
  json.begin_object();
  json.member("name", "linkherd");
  json.key("rules");
  json.begin_array();
  for (const SarifRules::value_type* rule : in_order) {
    json.begin_object();
    json.member("id", rule->first);
    const SarifRule& words = rule->second;
    write_message(json, "shortDescription", words.text);
    write_message(json, "fullDescription",
                  words.help.empty() ? words.text : fmt::format("{}: {}", words.text, words.help));
    write_message(json, "help", words.help.empty() ? words.text : words.help);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  json.end_object();
}

void write_invocations(JsonWriter& json, const Report& report, std::size_t left_out) {
  json.begin_array();
  json.begin_object();
  json.member("executionSuccessful", report.outcome.exit_code == 0 || report.outcome.exit_code == 2);
  json.member("exitCode", report.outcome.exit_code);
  json.member("exitCodeDescription", report.outcome.why);
  if (left_out > 0) {
    json.key("toolExecutionNotifications");
    json.begin_array();
    json.begin_object();
    json.member("level", "warning");
    write_message(
        json, "message",
        fmt::format("{} omitted: a run can hold at most {}, errors first", counted(left_out, "result"), max_results));
    json.end_object();
    json.end_array();
  }
  json.end_object();
  json.end_array();
}

// Returns the sections by level: those that fail the run first, notes last.
std::vector<Section> sections_by_level(const Report& report) {
  std::vector<Section> sections;
  sections.reserve(section_names.size());
  for (const auto& [section, name] : section_names) sections.push_back(section);
  std::ranges::stable_sort(sections, {}, [&report](Section section) { return level_of(report, section); });
  return sections;
}

}  // namespace

void write_sarif(std::ostream& out, const Report& report) {
  out << R"({"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{)"
      << R"("columnKind":"unicodeCodePoints","results":[)";
  SarifRules rules;
  JsonOutput results(out);
  std::size_t written = 0;
  const std::vector<EndingCertificate>& certificates = report.certificates;
  std::size_t all = report.duplicates.size() + certificates.size();
  for (const Section section : sections_by_level(report)) {
    if (report.sections.of(section).empty() || count_rows(report, section) == 0) continue;
    all += count_rows(report, section);
    for (const ReportRow& row : rows(report, section)) {
      if (row.level == Level::none || written == max_results) continue;
      const storage::CheckedLink link = report.links->at(row.link);
      const storage::Verdict& verdict = link.result.verdict;
      const SarifRule& rule = rule_for(rules, verdict.reason, describe_reason(verdict), row.cause->advice);
      write_result(results.value(), report, row, link, rule);
      results.flush_row();
      ++written;
    }
  }
  const std::size_t groups = std::min(report.duplicates.size(), max_results - written);
  for (const DuplicateGroup& group : std::span(report.duplicates).first(groups)) {
    const SarifRule& rule =
        rule_for(rules, duplicates_rule, "the same page is listed more than once", "keep one of the entries");
    write_note_result(results.value(), report, duplicates_note(group, rule));
    results.flush_row();
  }
  const std::size_t ending = std::min(certificates.size(), max_results - written - groups);
  for (const EndingCertificate& one : std::span(certificates).first(ending)) {
    const SarifRule& rule = one.is_ending
                                ? rule_for(rules, certificate_rule, "the certificate of the host expires soon",
                                           "ask the site's owner to renew it")
                                : rule_for(rules, chain_rule, "the host does not send its intermediate certificate",
                                           "ask the site's owner to send the complete certificate chain");
    write_note_result(results.value(), report, certificate_note(report, one, rule));
    results.flush_row();
  }
  JsonOutput output(out);
  write_tool(output.value(), rules);
  output.flush("],\n\"tool\":", {});
  write_invocations(output.value(), report, all - written - groups - ending);
  output.flush(",\n\"invocations\":", "}]}\n");
}

}  // namespace linkherd::reports
