#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/json_output.h"
#include "reports/messages.h"
#include "reports/report_formats.h"
#include "reports/report_rows.h"

namespace linkherd::reports {
namespace {

using storage::Health;
using storage::JsonWriter;

// The kinds of lychee, in the order of its maps. Suspect, blocked and deferred links are `unknown` in lychee as well.
enum class LycheeKind : std::uint8_t { success, error, timeout, excluded, unsupported, unknown };
struct LycheeNames {
  LycheeKind kind;
  std::string_view count;
  std::string_view map;  // empty: lychee has no such map
};
constexpr std::array<LycheeNames, 6> lychee_names{{{LycheeKind::success, "successful", "success_map"},
                                                   {LycheeKind::error, "errors", "error_map"},
                                                   {LycheeKind::timeout, "timeouts", "timeout_map"},
                                                   {LycheeKind::excluded, "excludes", "excluded_map"},
                                                   {LycheeKind::unsupported, "unsupported", "unsupported_map"},
                                                   {LycheeKind::unknown, "unknown", ""}}};

// Returns the kind of a link by its section. For skipped and accepted links, the reason decides between `excluded` and
// `unsupported`.
LycheeKind lychee_kind(Section section, Level level) {
  if (level == Level::error) return LycheeKind::error;  // everything that fails the run or is broken
  switch (section) {
    case Section::dead:
    case Section::insecure: return LycheeKind::error;
    case Section::unreachable: return LycheeKind::timeout;
    case Section::skipped:
    case Section::accepted: return LycheeKind::excluded;
    case Section::moved:
    case Section::fine: return LycheeKind::success;
    default: return LycheeKind::unknown;
  }
}

LycheeKind lychee_kind(const ReportRow& row, const storage::CheckedLink& link) {
  const LycheeKind kind = lychee_kind(row.section, row.level);
  const bool is_unsupported = link.result.verdict.reason == storage::reason::unsupported_scheme;
  return kind == LycheeKind::excluded && is_unsupported ? LycheeKind::unsupported : kind;
}

// An occurrence for the maps, which are grouped by file. It contains everything that is written about it. A link may
// have as many occurrences as a site has pages, and is read only once.
struct LycheeOccurrence {
  std::uint32_t file = 0;
  std::uint32_t link = 0;
  std::uint32_t url = 0;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

std::string status_json(const storage::CheckedLink& link) {
  std::string text;
  JsonWriter json(text);
  const int status = link.state.snapshot.status;
  json.begin_object();
  json.member("text", describe_reason(link.result.verdict));
  if (status != 0) {
    json.member("code", status);
  } else {
    json.member("details", explained(link));
  }
  json.end_object();
  return text;
}

std::string hops_json(const storage::CheckedLink& link) {
  std::string text;
  JsonWriter json(text);
  json.begin_array();
  for (const storage::Redirect& hop : link.state.snapshot.redirects) {
    json.begin_object();
    json.member("url", hop.to);
    json.member("code", hop.status);
    json.end_object();
  }
  json.end_array();
  return text;
}

struct LycheeResponses {
  NameTable names;                                                         // files and URLs
  std::unordered_map<std::uint32_t, std::string> statuses, hops;           // JSON, by link
  std::array<std::vector<LycheeOccurrence>, lychee_names.size()> by_kind;  // without `success`
  std::array<std::size_t, lychee_names.size()> counts{};                   // numbers of occurrences
  std::vector<LycheeOccurrence> redirected;

  explicit LycheeResponses(const Report& report) {
    std::vector<ReportRow> listed = rows(report);
    std::erase_if(listed, [](const ReportRow& row) {
      return lychee_kind(row.section, row.level) == LycheeKind::success && row.health != Health::redirected;
    });
    for_each_row_unsorted(report, listed,
                          [this](const ReportRow& row, const storage::CheckedLink& link) { add(row, link); });
    for (const auto& [section, section_name] : section_names) {
      for (const auto& [health, health_name] : storage::health_names) {
        if (lychee_kind(section, level_of_link(report, section, health)) == LycheeKind::success)
          counts[static_cast<std::size_t>(LycheeKind::success)] += report.sections.count(section, health).occurrences;
      }
    }
    for (std::size_t kind = 0; kind < by_kind.size(); ++kind) counts[kind] += by_kind[kind].size();
    const auto order = [this](const LycheeOccurrence& occurrence) {
      return std::pair(names.text(occurrence.file), occurrence.link);
    };
    for (std::vector<LycheeOccurrence>& occurrences : by_kind) std::ranges::stable_sort(occurrences, {}, order);
    std::ranges::stable_sort(redirected, {}, order);
  }

 private:
  void add(const ReportRow& row, const storage::CheckedLink& link) {
    const storage::Verdict& verdict = link.result.verdict;
    const LycheeKind kind = lychee_kind(row, link);
    const bool is_listed = kind != LycheeKind::success;
    const bool is_redirected = verdict.health == Health::redirected;
    if (is_listed) statuses.try_emplace(row.link, status_json(link));
    if (is_redirected) hops.try_emplace(row.link, hops_json(link));
    for (const parser::LinkOccurrence& found : link.result.occurrences) {
      const LycheeOccurrence occurrence{.file = names.intern(found.file),
                                        .link = row.link,
                                        .url = names.intern(found.href.empty() ? found.url : found.href),
                                        .line = found.line,
                                        .column = found.column};
      if (is_listed) by_kind[static_cast<std::size_t>(kind)].push_back(occurrence);
      if (is_redirected) redirected.push_back(occurrence);
    }
  }
};

void write_span(JsonWriter& json, std::uint32_t line, std::uint32_t column) {
  json.key("span");
  json.begin_object();
  json.member("line", line);
  json.member("column", column);
  json.end_object();
}

template <class Write>
void write_map(std::ostream& out, const NameTable& names, std::string_view name,
               const std::vector<LycheeOccurrence>& occurrences, const Write& write) {
  JsonOutput output(out);
  output.value().text(name);
  output.flush(",\n", ":{");
  for (std::size_t i = 0; i < occurrences.size(); ++i) {
    const bool opens = i == 0 || occurrences[i - 1].file != occurrences[i].file;
    if (opens) {
      output.value().text(names.text(occurrences[i].file));
      output.flush(i == 0 ? "\n" : "],\n", ":[\n");
    }
    JsonWriter& json = output.value();
    json.begin_object();
    write(json, occurrences[i]);
    json.end_object();
    output.flush(opens ? "" : ",\n", {});
  }
  out << (occurrences.empty() ? "}" : "]}");
}

void write_responses(std::ostream& out, const LycheeResponses& responses, const LycheeNames& names) {
  const bool is_listed = names.kind != LycheeKind::success;  // lychee lists successes only with --verbose
  write_map(out, responses.names, names.map,
            is_listed ? responses.by_kind[static_cast<std::size_t>(names.kind)] : std::vector<LycheeOccurrence>(),
            [&responses](JsonWriter& json, const LycheeOccurrence& occurrence) {
              json.member("url", responses.names.text(occurrence.url));
              json.key("status");
              json.word(responses.statuses.at(occurrence.link));
              write_span(json, occurrence.line, occurrence.column);
            });
}

void write_redirects(std::ostream& out, const LycheeResponses& responses) {
  write_map(out, responses.names, "redirect_map", responses.redirected,
            [&responses](JsonWriter& json, const LycheeOccurrence& occurrence) {
              json.member("origin", responses.names.text(occurrence.url));
              json.key("redirects");
              json.word(responses.hops.at(occurrence.link));
            });
}

// Writes the duplicates, without the first entry of each group. lychee has no such key, and consumers ignore unknown
// keys.
void write_duplicate_map(std::ostream& out, const Report& report) {
  std::map<std::string, std::vector<Notice>> by_file;
  for_each_notice(report, [&by_file](const Notice& notice) {
    if (notice.section == Section::duplicates) by_file[notice.location.file].push_back(notice);
  });
  JsonOutput output(out);
  out << ",\n\"repeated_map\":{";
  bool is_first = true;
  for (const auto& [file, notices] : by_file) {
    output.value().text(file);
    output.flush(std::exchange(is_first, false) ? "\n" : ",\n", ":[");
    for (std::size_t i = 0; i < notices.size(); ++i) {
      JsonWriter& json = output.value();
      json.begin_object();
      json.member("url", notices[i].subject);
      json.key("status");
      json.begin_object();
      json.member("text", notices[i].words);
      json.end_object();
      write_span(json, notices[i].location.line, notices[i].location.column);
      json.end_object();
      output.flush(i == 0 ? "\n" : ",\n", {});
    }
    out << ']';
  }
  out << '}';
}

}  // namespace

void write_lychee_json(std::ostream& out, const Report& report) {
  const LycheeResponses responses(report);
  const Summary& summary = report.summary;
  out << fmt::format(R"({{"total":{},"unique":{},"redirects":{},"remaps":0,"cached":0)", summary.occurrences,
                     summary.links, responses.redirected.size());
  for (const LycheeNames& names : lychee_names)
    out << fmt::format(",\"{}\":{}", names.count, responses.counts[static_cast<std::size_t>(names.kind)]);
  for (const LycheeNames& names : lychee_names) {
    if (!names.map.empty()) write_responses(out, responses, names);
  }
  write_redirects(out, responses);
  write_duplicate_map(out, report);
  const auto elapsed = std::chrono::nanoseconds(report.elapsed.value_or(Duration::zero())).count();
  out << fmt::format(
      ",\n\"suggestion_map\":{{}},\"duration\":{{\"secs\":{},\"nanos\":{}}},\"detailed_stats\":false,"
      "\"host_stats\":null}}\n",
      elapsed / 1'000'000'000, elapsed % 1'000'000'000);
}

}  // namespace linkherd::reports
