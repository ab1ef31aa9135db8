#include "reports/link_lines.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "parser/lists/host_names.h"
#include "reports/escape.h"
#include "reports/messages.h"
#include "reports/report_rows.h"

namespace linkherd::reports {
namespace {

using parser::LinkOccurrence;
using storage::CheckedLink;

constexpr std::size_t unknown_columns = 100;           // for a short text if the width is unknown
constexpr std::size_t max_occurrences_per_link = 100;  // unless everything is shown

void add_redirects(TextEntry& entry, const CheckedLink& link, Detail detail) {
  const storage::Snapshot& snapshot = link.state.snapshot;
  if (snapshot.redirects.empty()) return;
  if (detail == Detail::all) {
    for (const storage::Redirect& hop : snapshot.redirects)
      entry.lines.push_back({fmt::format("{} → {}", hop.label(), hop.to)});
    return;
  }
  const std::string& end = snapshot.final_url.empty() ? snapshot.redirects.back().to : snapshot.final_url;
  entry.lines.push_back({"→ " + readable_url(end)});
}

std::string in_strikes(const CheckedLink& link, int max_strikes) {
  const int strikes = link.state.strikes;
  if (strikes < 1) return {};
  return strikes > max_strikes ? fmt::format(" (failed check {})", strikes)
                               : fmt::format(" (failed check {} of {})", strikes, max_strikes);
}

// Says what is wrong with the link, unless the group says it already.
std::string explanation(const Report& report, const ReportRow& row, const CheckedLink& link, const RowGroup& group,
                        Detail detail) {
  const storage::Verdict& verdict = link.result.verdict;
  if (row.section == Section::noted) return describe_facts(link.state.snapshot);
  if (storage::page_exists(verdict)) return {};
  std::string words = explained(link);
  if (row.section == Section::accepted) {
    const Acceptance& known = report.accepted.at(row.link);
    return fmt::format("{}; accepted until {}{}: {}", words, known.until, known.by.empty() ? "" : " by " + known.by,
                       known.reason);
  }
  if (row.section == Section::unreachable && detail != Detail::brief) words += in_strikes(link, report.run.strikes);
  if (differs_only_in_capital(words, group.name)) return {};
  if (group.cause.is_self_explanatory && detail != Detail::all) return {};
  if (!group.cause.name.empty()) return words;
  const std::string shown_advice = cause_of(link.result).advice;
  return shown_advice.empty() ? words : fmt::format("{} — {}", words, shown_advice);
}

void add_help(TextEntry& entry, const CheckedLink& link, Section section, std::size_t max_columns) {
  if (link.result.verdict.health != storage::Health::dead) return;
  const std::vector<storage::Fact>& facts = link.state.snapshot.facts;
  const auto branch = std::ranges::find(facts, "branch_renamed", &storage::Fact::kind);
  if (branch != facts.end() && section != Section::noted) entry.lines.push_back({branch->text});
  if (const storage::Relocation* const relocation = suggested_relocation(link)) {
    std::string words = describe_relocation(*relocation);
    if (max_columns > 0) words = shortened(escape_for_terminal(words), max_columns);
    entry.lines.push_back({std::move(words), Tone::plain, clickable_url(relocation->url)});
  }
  if (const storage::ArchivedCopy* copy = suggested_copy(link))
    entry.lines.push_back({fmt::format("archived on {}: {}", day(copy->date), copy->url)});
}

// Returns true for "www.python.org" on a web page: without a scheme, it is a file next to the page. For files on this
// machine, the evidence contains a hint.
bool is_host_as_file(const LinkOccurrence& occurrence) {
  return occurrence.href.starts_with("http") && parser::starts_with_host_name(occurrence.url) &&
         !occurrence.has(parser::LinkNote::missing_scheme);
}

void add_evidence(TextEntry& entry, const CheckedLink& link, std::string_view shown_url) {
  const std::string_view evidence = link.result.verdict.evidence;
  const bool is_said = differs_only_in_capital(entry.lines.back().text, evidence.substr(0, evidence.rfind('.')));
  if (!evidence.empty() && !is_said) entry.lines.push_back({std::string(evidence)});
  if (link_url(link) != shown_url) entry.lines.push_back({fmt::format("requested as {}", link_url(link))});
  if (link.result.is_from_store)
    entry.lines.push_back({"not checked again, last checked on " + minute(link.state.snapshot.fetched_at)});
}

void add_other_occurrences(TextEntry& entry, const std::vector<LinkOccurrence>& occurrences, std::size_t shown_index,
                           Detail detail) {
  if (occurrences.size() < 2) return;
  const std::size_t max_shown = detail == Detail::all ? occurrences.size() : max_occurrences_per_link;
  std::vector<std::string> others;
  for (std::size_t i = 0; i < occurrences.size() && others.size() < max_shown; ++i) {
    if (i != shown_index) others.push_back(format_location(occurrences[i]));
  }
  const std::size_t hidden = occurrences.size() - 1 - others.size();
  for (std::string& line : listed("also at", others)) entry.lines.push_back({std::move(line), Tone::faint});
  if (hidden > 0) entry.lines.push_back({fmt::format("  … {} more (--all shows them)", hidden), Tone::faint});
}

}  // namespace

TextEntry link_entry(const Report& report, const ReportRow& row, const RowGroup& group, Detail detail,
                     std::size_t columns) {
  const bool is_brief = detail == Detail::brief;
  const std::size_t room = columns > 0 ? columns : unknown_columns;
  const CheckedLink link = report.links->at(row.link);
  const std::vector<LinkOccurrence>& occurrences = link.result.occurrences;
  const std::size_t shown_index = find_shown_occurrence(occurrences);
  TextEntry entry;
  std::string url(link_url(link));
  if (shown_index < occurrences.size()) {
    const LinkOccurrence& here = occurrences[shown_index];
    entry.location = format_location(here);
    url = here.url;
    const std::string words = one_line(here.text);
    if (!words.empty() && words != one_line(url))
      entry.lines.push_back({shortened(words, is_brief ? room : 4 * room), Tone::strong});
  }
  url = readable_url(url);
  std::string shown = is_brief ? shortened(escape_for_terminal(url), 2 * room - 2) : url;
  if (is_brief && occurrences.size() == 2)
    shown += fmt::format("  (also {})", format_location(occurrences[1 - shown_index]));
  if (is_brief && occurrences.size() > 2) shown += fmt::format("  (and {} more occurrences)", occurrences.size() - 1);
  std::string words = explanation(report, row, link, group, detail);
  if (is_brief) words = shortened(escape_for_terminal(words), 2 * room - 2);
  // In the summary view, one line is used if the text fits, so that there is room for more links.
  const bool is_joined = is_brief && !words.empty() && link.state.snapshot.redirects.empty() &&
                         display_width(shown) + 3 + display_width(words) <= room;
  if (is_joined) shown += "   " + words;
  if (!shown.empty()) entry.lines.push_back({std::move(shown), Tone::plain, clickable_url(link_url(link))});
  add_redirects(entry, link, detail);
  if (!words.empty() && !is_joined) entry.lines.push_back({std::move(words)});
  const bool was_completed = shown_index < occurrences.size() &&
                             occurrences[shown_index].has(parser::LinkNote::missing_scheme) &&
                             !occurrences[shown_index].href.empty();
  if (was_completed && !is_brief) entry.lines.push_back({"written without a scheme, read as https"});
  const bool is_dead = link.result.verdict.health == storage::Health::dead;
  if (is_dead && !is_brief && shown_index < occurrences.size() && is_host_as_file(occurrences[shown_index]))
    entry.lines.push_back({fmt::format("did you mean {}?", parser::add_https_scheme(occurrences[shown_index].url))});
  add_help(entry, link, row.section, is_brief ? 2 * room - 2 : 0);
  if (detail == Detail::all) add_evidence(entry, link, url);
  if (!is_brief) add_other_occurrences(entry, occurrences, shown_index, detail);
  return entry;
}

}  // namespace linkherd::reports
