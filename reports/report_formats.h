// The formats of reports: a table, and one file per format. All formats list the same links in the same sections, with
// the same level and texts (report_rows.h). Text of pages and lists is escaped for each format. Output
// is always well-formed UTF-8 and is written link by link.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "parser/enum_names.h"
#include "reports/link_groups.h"
#include "reports/report.h"
#include "reports/text_writer.h"

namespace linkherd::reports {

enum class ReportFormat : std::uint8_t {
  text,
  json,
  jsonl,
  csv,
  markdown,
  issue,
  github,
  junit,
  sarif,
  rdjson,
  gitlab,
  lychee_json,
  html,
};
// The language of the html report. Names are options: DO NOT CHANGE them.
enum class PageLanguage : std::uint8_t { automatic, english, chinese };  // automatic: the language of the browser
inline constexpr std::array<EnumName<PageLanguage>, 3> page_language_names{
    {{PageLanguage::automatic, "auto"}, {PageLanguage::english, "en"}, {PageLanguage::chinese, "zh"}}};

inline constexpr int json_schema = 2;

// The object that the JSON Schema describes at its root. Its other definitions are included in any case. Names are
// options: DO NOT CHANGE them.
enum class SchemaRoot : std::uint8_t { report, link, occurrence };
inline constexpr std::array<EnumName<SchemaRoot>, 3> schema_root_names{
    {{SchemaRoot::report, "report"}, {SchemaRoot::link, "link"}, {SchemaRoot::occurrence, "occurrence"}}};

// Returns schema.json: the JSON Schema of this output, with descriptions of all keys.
std::string json_schema_text(SchemaRoot root);

// A link is an object with the keys url, final_url, section, health, reason and so on. Keys are stable; `schema` is
// incremented when a key changes its meaning.
//
// The verdict is that of this run. The page (status, metadata, …) is from the latest fetch, at `checked_at`. That fetch
// is an earlier one if this run deferred or skipped the link, and `checked_at` is null if there was none. `duplicates`
// lists, for each group of the link, the other entries. Very large groups list only the first entries, and `more` is
// the number of the rest.
void write_jsonl(std::ostream& out, const Report& report);  // one link per line
void write_json(std::ostream& out, const Report& report);   // one object: schema, run, summary, links, duplicates

// RFC 4180 with a header: one row per link, sorted by section. A cell that a spreadsheet would take for a formula
// begins with an apostrophe.
void write_csv(std::ostream& out, const Report& report);

// Markdown for the summary of a job or the body of an issue: a table of the sections and a task list. Its size stays
// below the limit of an issue.
void write_markdown(std::ostream& out, const Report& report);

// Markdown for the body of one issue that is rewritten after each run: what fails the run and since when, and whether
// the issue can be closed. Do not use it for a report of changes only.
void write_issue(std::ostream& out, const Report& report);

// Workflow commands of GitHub Actions: annotations, and a group of the log for each section. GitHub shows ten
// annotations per level; one of the notices contains the totals.
void write_github(std::ostream& out, const Report& report);

// JUnit XML with one suite per file and one case per link. A link that fails the run is a failure; a link without a
// conclusive verdict is skipped. If something other than the links decides how the run ends, a suite "linkherd" has the
// reason as an error.
void write_junit(std::ostream& out, const Report& report);

// SARIF 2.1.0: a rule per reason, and a result per link with all its occurrences. At most 25,000 results, errors first.
void write_sarif(std::ostream& out, const Report& report);

// The Reviewdog Diagnostic Format, and the code quality report of GitLab: one diagnostic per occurrence.
void write_rdjson(std::ostream& out, const Report& report);
void write_gitlab(std::ostream& out, const Report& report);

// The structure of lychee's own JSON. Like lychee, it counts occurrences, not links.
void write_lychee_json(std::ostream& out, const Report& report);

// A self-contained HTML page. It contains its data as JSON, in blocks that browsers do not execute, and the scripts of
// html/. A content security policy in its head allows these scripts by their hashes. Nothing else may run, and the page
// makes no requests.
void write_html(std::ostream& out, const Report& report, PageLanguage language = PageLanguage::automatic);

// Settings of the formats that have some: `language` of the html report, the others of the text report.
struct FormatOptions {
  TextStyle style = {};
  bool all = false;                    // every section, and everything known about each link
  std::vector<Section> sections = {};  // only these sections, with all links; empty: the summary view
  GroupBy group_by = GroupBy::cause;
  bool changes = false;  // the changes since the earlier run, instead of the summary view
  PageLanguage language = PageLanguage::automatic;
};

// The human-readable report: a summary view that says what to do, or sections with all their links.
void write_text(std::ostream& out, const Report& report, const FormatOptions& options);

struct FormatDescription {
  ReportFormat format;
  std::string_view name;                    // an option: DO NOT CHANGE it
  std::array<std::string_view, 2> endings;  // of files that get this format; may be empty
  bool shows_metadata;                      // always; the text report shows metadata only with --all
  void (*write)(std::ostream& out, const Report& report, const FormatOptions& options);
};

// Ignores the options.
template <void (*write)(std::ostream&, const Report&)>
void write_plain(std::ostream& out, const Report& report, const FormatOptions& /*options*/) {
  write(out, report);
}

inline constexpr std::array<FormatDescription, 13> report_formats{{
    {ReportFormat::text, "text", {".txt"}, false, write_text},
    {ReportFormat::json, "json", {".json"}, true, write_plain<write_json>},
    {ReportFormat::jsonl, "jsonl", {".jsonl", ".ndjson"}, true, write_plain<write_jsonl>},
    {ReportFormat::csv, "csv", {".csv"}, true, write_plain<write_csv>},
    {ReportFormat::markdown, "markdown", {".md", ".markdown"}, false, write_plain<write_markdown>},
    {ReportFormat::issue, "issue", {}, false, write_plain<write_issue>},
    {ReportFormat::github, "github", {}, false, write_plain<write_github>},
    {ReportFormat::junit, "junit", {".xml"}, false, write_plain<write_junit>},
    {ReportFormat::sarif, "sarif", {".sarif", ".sarif.json"}, false, write_plain<write_sarif>},
    {ReportFormat::rdjson, "rdjson", {}, false, write_plain<write_rdjson>},
    {ReportFormat::gitlab, "gitlab", {}, false, write_plain<write_gitlab>},
    {ReportFormat::lychee_json, "lychee-json", {}, false, write_plain<write_lychee_json>},
    {ReportFormat::html,
     "html",
     {".html", ".htm"},
     true,
     [](std::ostream& out, const Report& report, const FormatOptions& options) {
       write_html(out, report, options.language);
     }},
}};

inline constexpr std::array<EnumName<ReportFormat>, report_formats.size()> report_format_names = [] {
  std::array<EnumName<ReportFormat>, report_formats.size()> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = {report_formats[i].format, report_formats[i].name};
  return names;
}();

inline const FormatDescription& description_of(ReportFormat format) {
  return *std::ranges::find(report_formats, format, &FormatDescription::format);
}

}  // namespace linkherd::reports
