// The rows of a report: its links section by section, with their levels and texts. All formats write these rows, so
// that they agree with each other.
//
// Each link belongs to one section, which follows from its verdict. The section and `--fail-on` determine the level. A
// link with facts has a second row in `noted`.
//
// Example: https://a.example/x returned 404 and is listed in list.md; --fail-on is the default (dead, insecure).
//   section   dead
//   level     error, because `dead` is in --fail-on; otherwise warning
//   cause     "404 or 410" with the advice "find the new address, or remove the entry"
//   change    Change::broken if the previous run found the link alive
//   text      "https://a.example/x (The guide) — 404 Not Found: find the new address, or remove the entry"
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/report.h"

namespace linkherd::reports {

// Returns the rows of a section, in list order. The rows of `changes` are the links with news since the earlier run,
// change by change; each has its own section. `duplicates` and `certificates` have no rows; see for_each_notice().
std::vector<ReportRow> rows(const Report& report, Section section);

// Returns one row for each link, section by section. Leaves out `noted`, whose links are in other sections as well.
std::vector<ReportRow> rows(const Report& report);

using VisitRow = std::function<void(const ReportRow& row, const storage::CheckedLink& link)>;
// Visits the rows of all sections with their links, except those with Level::none. One link is in memory at a time.
void for_each_row(const Report& report, const VisitRow& visit);

// Visits these rows in the fastest reading order. Each link must occur only once.
void for_each_row_unsorted(const Report& report, std::span<const ReportRow> rows, const VisitRow& visit);

// Appends the text of a row. Called once for each row, in any order.
using RenderRow = std::function<void(const ReportRow& row, const storage::CheckedLink& link, std::string& text)>;
// Appends that text to `out`, with everything before and after it. Called in the order of the rows.
using AppendRow = std::function<void(std::size_t position, std::string_view text, std::string& out)>;
// Writes these rows in this order, but reads their links in the order of the store. Reading a link alone takes several
// times as long as reading it after its neighbour. Each link must occur only once. Texts wait in memory, or in a
// temporary file if they are many.
void write_rows(std::ostream& out, const Report& report, std::span<const ReportRow> rows, const RenderRow& render,
                const AppendRow& append);

// Returns the index of the occurrence that reports show: the main link of an entry with text, else an occurrence with
// text, else the first one.
std::size_t find_shown_occurrence(const std::vector<parser::LinkOccurrence>& occurrences);

// Describes a row for people in one line: "https://a.example/x (The guide) — 404 Not Found: find the new address, or
// remove the entry". The text is cut to a readable length and contains nothing that a terminal interprets. It is not
// escaped for a format.
std::string describe_row(const ReportRow& row, const storage::CheckedLink& link);

// Describes only the reason, without the link. Examples: "404 Not Found: find the new address, or remove the entry";
// "404 Not Found; moved to https://a.herd/new (same title; found in the site's sitemap)".
std::string row_reason(const ReportRow& row, const storage::CheckedLink& link);

// The parts of row_reason(), for formats with clickable URLs.
struct ReasonParts {
  std::string lead;    // Example: "301 Moved Permanently to "
  std::string target;  // the new address of a moved page; empty for other links
  std::string rest;    // Example: ": write the new address"
};
ReasonParts reason_parts(const ReportRow& row, const storage::CheckedLink& link);

// Returns the serialised URL if it can be clicked: http or https, and not too long. Otherwise returns an empty text.
std::string clickable_url(std::string_view url);

// Returns one line that contains nothing that a terminal interprets, cut to a readable length.
std::string brief(std::string_view text);

// Describes a group of duplicates by its first entry: "the same page is listed at a.md:1:1 (same address)".
std::string describe_duplicates(const DuplicateGroup& group);

// A message about a position that is not a verdict on a link. It is an entry that duplicates another one (all entries
// of a group except the first), or a certificate that ends soon (at the first link of its host).
struct Notice {
  Section section = Section::duplicates;
  EntryLocation location;
  std::string words;
  std::string subject;  // the URL as written, or the host
};
// Visits all duplicates, then all certificates.
void for_each_notice(const Report& report, const std::function<void(const Notice& notice)>& visit);

// Example: "soon.example: the certificate ends on 2026-03-07, in 2 days (3 links)".
std::string describe_ending_certificate(const Report& report, const EndingCertificate& certificate);
EntryLocation certificate_location(const Report& report, const EndingCertificate& certificate);

// Returns the path of a file relative to the root of the repository, as tools that work on repositories name it. Files
// outside, and URLs, stay unchanged.
std::string repository_path(const Report& report, const std::string& file);

Level level_of_link(const Report& report, Section section, storage::Health health);

// Returns the highest level of the links in a section.
Level level_of(const Report& report, Section section);

// Returns the number of links in a section that have rows: all links, but in `fine` only those that fail the run.
std::size_t count_rows(const Report& report, Section section);

// Returns one line that says why the run ended, if the links did not decide it. Examples: the run was inconclusive; an
// input could not be read. Otherwise returns an empty text.
std::string other_reason(const Report& report);

// Returns the number of links in a section. For `changes`, it counts links with news; for `duplicates`, groups; for
// `certificates`, hosts.
std::size_t size_of(const Report& report, Section section);

// Returns the counts of the report in one line. Links that need attention are broken, suspect, or fail the run for
// another reason. Example: "14 of 40 links need attention (12 broken, 2 suspect) · 15 fine · 43 occurrences, 14 hosts,
// 85 s".
std::string summary_line(const Report& report);

}  // namespace linkherd::reports
