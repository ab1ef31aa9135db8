// The formats of reports for other programs, one file each. All tell the same links in the same sections, level and
// words (report_rows.h); text of pages and lists is escaped for each. Always well-formed UTF-8, written link by link.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string>

#include "parser/enum_names.h"
#include "reports/report.h"

namespace linkherd::reports {

// Names are options: DO NOT CHANGE them.
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
inline constexpr std::array<EnumName<ReportFormat>, 13> report_format_names{{{ReportFormat::text, "text"},
                                                                             {ReportFormat::json, "json"},
                                                                             {ReportFormat::jsonl, "jsonl"},
                                                                             {ReportFormat::csv, "csv"},
                                                                             {ReportFormat::markdown, "markdown"},
                                                                             {ReportFormat::issue, "issue"},
                                                                             {ReportFormat::github, "github"},
                                                                             {ReportFormat::junit, "junit"},
                                                                             {ReportFormat::sarif, "sarif"},
                                                                             {ReportFormat::rdjson, "rdjson"},
                                                                             {ReportFormat::gitlab, "gitlab"},
                                                                             {ReportFormat::lychee_json, "lychee-json"},
                                                                             {ReportFormat::html, "html"}}};

// The language of the html report. Names are options: DO NOT CHANGE them.
enum class PageLanguage : std::uint8_t { automatic, english, chinese };  // automatic: the browser's
inline constexpr std::array<EnumName<PageLanguage>, 3> page_language_names{
    {{PageLanguage::automatic, "auto"}, {PageLanguage::english, "en"}, {PageLanguage::chinese, "zh"}}};

inline constexpr int json_schema = 2;

// What the JSON Schema can describe first: its other definitions are in it all the same. Names are options: DO NOT
// CHANGE them.
enum class SchemaRoot : std::uint8_t { report, link, occurrence };
inline constexpr std::array<EnumName<SchemaRoot>, 3> schema_root_names{
    {{SchemaRoot::report, "report"}, {SchemaRoot::link, "link"}, {SchemaRoot::occurrence, "occurrence"}}};

// schema.json: the JSON Schema of this output, with descriptions of all keys.
std::string json_schema_text(SchemaRoot root);

// A link is an object with the keys url, final_url, section, health, reason, … Keys are stable; `schema` is incremented
// when a key changes its meaning. The verdict is that of this run. The page (status, metadata, …) is from the
// latest fetch, at `checked_at`: an earlier one if this run deferred or skipped the link, null if there was none.
// `duplicates` lists, for each group of the link, the other entries; of very large groups only the first, and `more`
// is the number of the rest.
void write_jsonl(std::ostream& out, const Report& report);  // one link per line
void write_json(std::ostream& out, const Report& report);   // one object: schema, run, summary, links, duplicates

// RFC 4180 with a header: a row a link, sorted by section. A cell that a spreadsheet would take for a formula begins
// with an apostrophe.
void write_csv(std::ostream& out, const Report& report);

// For the summary of a job or the body of an issue, whose limit it keeps: a table of the sections and a task list.
void write_markdown(std::ostream& out, const Report& report);

// For the body of one issue that is rewritten after each run, in Markdown: what fails the run and since when, and
// whether the issue can be closed. Not of changes alone.
void write_issue(std::ostream& out, const Report& report);

// Workflow commands of GitHub Actions: annotations, of which it shows ten of a level (the totals are one of the
// notices), and a group of the log for each section.
void write_github(std::ostream& out, const Report& report);

// A suite a file and a case a link. Failures are what fails the run; what could not be judged is skipped. Where the run
// ended otherwise than by its links, a suite "linkherd" has the reason as an error.
void write_junit(std::ostream& out, const Report& report);

// SARIF 2.1.0: rules are reasons; a result a link, with all places. 25,000 results at most, errors first.
void write_sarif(std::ostream& out, const Report& report);

// The Reviewdog Diagnostic Format, and the code quality report of GitLab: a diagnostic a place.
void write_rdjson(std::ostream& out, const Report& report);
void write_gitlab(std::ostream& out, const Report& report);

// The shape of lychee's own JSON, counted by places as lychee does.
void write_lychee_json(std::ostream& out, const Report& report);

// One page that needs nothing else: its data as JSON in blocks that no browser runs, and the scripts of html/, which a
// policy in its head names by their hash; nothing else may run, and nothing is requested.
void write_html(std::ostream& out, const Report& report, PageLanguage language = PageLanguage::automatic);

}  // namespace linkherd::reports
