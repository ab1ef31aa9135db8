// The links of a report as all its formats tell them: section by section, with the same level and the same words.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "parser/enum_names.h"
#include "reports/location_reader.h"
#include "reports/ordered_links.h"
#include "reports/report.h"

namespace linkherd::reports {

// Names are printed: DO NOT CHANGE them.
enum class Level : std::uint8_t {
  error,    // fails the run
  warning,  // dead, insecure or suspect, but does not fail the run
  note,     // everything else that is not fine
  none,     // fine
};
inline constexpr std::array<EnumName<Level>, 4> level_names{
    {{Level::error, "error"}, {Level::warning, "warning"}, {Level::note, "note"}, {Level::none, "none"}}};

struct ToldLink {
  Section section = Section::fine;
  Level level = Level::none;
  const storage::CheckedLink& link;
  const Cause& cause;
  const LinkChange* change = nullptr;  // null: there is no earlier run to compare with
  std::uint32_t number = 0;
  std::string_view host = {};  // empty: none
};

// A link as it is told, as far as this is known without reading it.
struct ToldFinding {
  Section section = Section::fine;
  Level level = Level::none;
  const Finding& finding;
};
// Every section after the other, links in the order of the lists; a link with facts comes again in `noted`.
void for_each_finding(const Report& report, const std::function<void(const ToldFinding& row)>& visit);

// Likewise with the links, unless their level is Level::none. One link is in memory at a time.
void for_each_row(const Report& report, const std::function<void(const ToldLink& row)>& visit);

struct SectionLink {
  Section section = Section::fine;
  Finding finding;
};
// Writes texts of links in this order, see ordered_links.h. Each link comes once.
void write_rows_in_order(std::ostream& out, const Report& report, const std::vector<SectionLink>& links,
                         const std::function<void(const ToldLink& row, std::string& text)>& render,
                         const AppendLink& append);

// The links with this change since the earlier run, in the order of the lists.
std::vector<SectionLink> changed_links(const Report& report, Change change);

// The links with news since the earlier run, change by change.
void for_each_changed(const Report& report, const std::function<void(const ToldLink& row)>& visit);

// Every link once, in the order in which they are read quickest, not again in `noted`.
void for_each_row_unsorted(const Report& report, const std::function<void(const ToldLink& row)>& visit);
// Likewise these links, each of which is there once.
void for_each_row_of(const Report& report, const std::vector<SectionLink>& links,
                     const std::function<void(const ToldLink& row)>& visit);

void visit_row(const Report& report, Section section, const Finding& finding,
               const std::function<void(const ToldLink& row)>& visit);

// Which of the places of a link is shown: where it is what an entry lists, else where it has words, else its first one.
std::size_t find_shown_occurrence(const std::vector<parser::LinkOccurrence>& occurrences);

// "404 Not Found: https://a.example/x (The guide). Find the new address, or remove the entry." One line for people, cut
// to a readable length, without anything that a terminal interprets; not escaped for a format.
std::string describe_row(const ToldLink& row);

// "404 Not Found: find the new address, or remove the entry", without the link.
std::string row_reason(const ToldLink& row);

// The same in parts, for formats in which addresses can be clicked.
struct ReasonParts {
  std::string lead;    // "301 Moved Permanently to "
  std::string target;  // the URL that a link which moved leads to; empty for others
  std::string rest;    // ": write the new address"
};
ReasonParts reason_parts(const ToldLink& row);

// The URL as it is serialised where it can be clicked: http or https, and not too long. Else empty.
std::string clickable_url(std::string_view url);

// One line without anything that a terminal interprets, cut to a readable length.
std::string brief(std::string_view text);

// A group of repeated entries: "the same page is listed at a.md:1:1 (same address)".
std::string describe_repeated(const DuplicateGroup& group, const EntryLocation& first);

// What is told of a place beside the verdicts on links: an entry that repeats a page, of each group all but the first,
// and a certificate that ends soon, at the first link of its host.
struct Notice {
  Section section = Section::repeated;
  EntryLocation location;
  std::string words;
  std::string subject;  // the URL as written, or the host
};
// Those of a section after those of the other one.
void for_each_notice(const Report& report, const std::function<void(const Notice& notice)>& visit);

// "soon.example: the certificate ends on 2026-03-07, in 2 days (3 links)".
std::string describe_ending_certificate(const Report& report, const EndingCertificate& certificate);
EntryLocation certificate_location(const Report& report, const EndingCertificate& certificate);

// A file as tools name it that look at a whole repository: by its path from the root. Others, and URLs, as they are.
std::string repository_path(const Report& report, const std::string& file);

Level level_of_link(const Report& report, Section section, storage::Health health);

// The highest level of the links in a section.
Level level_of(const Report& report, Section section);

// The number of the links in a section that are told: all, but of `fine` only those that fail the run.
std::size_t count_rows(const Report& report, Section section);

// Where a run ends otherwise than by its links, such as inconclusive or with an input that could not be read: why, in
// one line. Else empty.
std::string other_reason(const Report& report);

// The number of links in a section, of links with news in `changes`, of groups in `repeated` and of hosts in
// `certificates`.
std::size_t size_of(const Report& report, Section section);

// With what needs the user: what is broken or suspect, and whatever else fails the run.
// "14 of 40 links need attention (12 broken, 2 suspect) · 15 fine · 43 occurrences, 14 hosts, 85 s".
std::string summary_line(const Report& report);

}  // namespace linkherd::reports
