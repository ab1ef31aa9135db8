#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "parser/ascii.h"
#include "parser/join.h"
#include "reports/escape.h"
#include "reports/link_lines.h"
#include "reports/messages.h"
#include "reports/report_formats.h"
#include "reports/report_rows.h"
#include "reports/summary_view.h"
#include "reports/text_writer.h"

namespace linkherd::reports {
namespace {

using storage::CheckedLink;
using storage::RunState;

constexpr std::size_t aligned_together = 1000;         // entries in memory at a time
constexpr std::size_t max_occurrences_per_group = 10;  // unless everything is shown
constexpr std::size_t max_head_columns = 300;          // per line above the sections
constexpr std::size_t max_head_lines = 20;             // of a summary view; only a very narrow terminal needs more
constexpr std::size_t date_width = 10;
constexpr std::size_t title_width = 48;
constexpr std::size_t authors_width = 24;

struct SectionWords {
  Section section;
  std::string_view name;
  std::string_view meaning;
  Tone tone;
};

constexpr std::array<SectionWords, section_names.size()> section_words{{
    {Section::dead, "Dead", "", Tone::bad},
    {Section::insecure, "Insecure", "works, but its certificate is invalid", Tone::bad},
    {Section::suspect, "Suspect", "may be broken; the next run checks again", Tone::notable},
    {Section::content_drift, "Drift", "the address now shows another page", Tone::notable},
    {Section::accepted, "Accepted", "failures that you have accepted", Tone::faint},
    {Section::moved, "Moved", "permanently, to a new address", Tone::notable},
    {Section::noted, "Worth knowing", "archived, renamed, withdrawn", Tone::notable},
    {Section::duplicates, "Listed more than once", "entries for the same page", Tone::notable},
    {Section::certificates, "Certificates", "tell the owners of the sites", Tone::notable},
    {Section::blocked, "Access denied", "could not be verified; these do not fail the check", Tone::strong},
    {Section::unreachable, "No answer", "not yet considered dead", Tone::strong},
    {Section::deferred, "Not checked yet", "the next run checks them", Tone::strong},
    {Section::skipped, "Skipped", "", Tone::strong},
    {Section::fine, "Fine", "", Tone::good},
    {Section::changes, "Changes", "", Tone::strong},
}};

// --- sections with all their links

// Writes the entries of `items`. A thousand entries at a time are in memory and aligned with each other.
template <class Items, class EntryOf>
void write_aligned(TextWriter& writer, const Items& items, const EntryOf& entry_of) {
  std::vector<TextEntry> entries;
  for (const auto& item : items) {
    entries.push_back(entry_of(item));
    if (entries.size() < aligned_together) continue;
    writer.entries(entries, 4);
    entries.clear();
  }
  writer.entries(entries, 4);
}

Detail detail_of(const FormatOptions& options) { return options.all ? Detail::all : Detail::normal; }

// Writes groups, and below each the links in it.
void write_links(TextWriter& writer, const Report& report, Section section, const FormatOptions& options) {
  for (const RowGroup& group : grouped(report.sections, rows(report, section), options.group_by)) {
    writer.title(readable_url(group.name), group.rows.size(), Tone::plain, group.cause.advice, 2);
    write_aligned(writer, group.rows,
                  [&](const ReportRow& row) { return link_entry(report, row, group, detail_of(options)); });
  }
}

// Shows the first position with its URL, then the others: positions with the same URL in one line, each of the rest
// with its own URL.
TextEntry group_entry(const DuplicateGroup& group, const FormatOptions& options) {
  const EntryLocation& first = group.entries.front();
  TextEntry entry{format_location(first), {{readable_url(first.url)}}};
  const bool is_cut = !options.all && group.entries.size() > max_occurrences_per_group + 2;
  const std::size_t number = is_cut ? max_occurrences_per_group + 1 : group.entries.size();
  std::vector<std::string> same, different;
  for (std::size_t i = 1; i < number; ++i) {
    const EntryLocation& other = group.entries[i];
    if (other.url == first.url) {
      same.push_back(format_location(other));
    } else {
      different.push_back(fmt::format("also at {}  {}", format_location(other), readable_url(other.url)));
    }
  }
  if (!same.empty()) {
    for (std::string& line : listed("also at", same)) entry.lines.push_back({std::move(line)});
  }
  for (std::string& line : different) entry.lines.push_back({std::move(line)});
  if (is_cut) entry.lines.push_back({fmt::format("… {} more (--all shows them)", group.entries.size() - number)});
  return entry;
}

// Mentions are badges, links in the text of another entry, and links in prose.
void write_mentions(TextWriter& writer, const Report& report) {
  if (report.duplicate_mentions == 0) return;
  writer.line(fmt::format("also listed as a badge or mention: {} (--duplicates mentions shows them)",
                          counted(report.duplicate_mentions, "link")),
              Tone::faint, 2);
}

void write_duplicate_groups(TextWriter& writer, const Report& report, const FormatOptions& options) {
  std::map<std::pair<DuplicateLayer, bool>, std::vector<const DuplicateGroup*>> by_layer;  // most certain first
  for (const DuplicateGroup& group : report.duplicates) {
    if (group.parallel_link_count == 0) {
      by_layer[{group.layer, !group.is_certain}].push_back(&group);
    } else {
      writer.line(
          fmt::format("files with {} in common: {}", counted(group.parallel_link_count, "link"), group.shared_value),
          Tone::plain, 2);
    }
  }
  for (const auto& [kind, groups] : by_layer) {
    writer.line(describe_layer(kind.first, !kind.second), Tone::plain, 2);
    write_aligned(writer, groups, [&](const DuplicateGroup* group) { return group_entry(*group, options); });
  }
  write_mentions(writer, report);
}

// Includes the state in the earlier run, and since when the link fails.
TextEntry changed_entry(const Report& report, const ReportRow& row, Detail detail) {
  TextEntry entry = link_entry(report, row, {}, detail);
  const CheckedLink link = report.links->at(row.link);
  std::string text;
  if (report.changes.since->number > 0) text = describe_before(*row.change);
  if (link.state.first_failed && !storage::page_exists(link.result.verdict))
    text += fmt::format("{}fails since {}", text.empty() ? "" : ", ", minute(*link.state.first_failed));
  if (!text.empty()) entry.lines.push_back({std::move(text)});
  return entry;
}

void write_changes(TextWriter& writer, const Report& report, const FormatOptions& options) {
  if (!report.changes.since)
    return writer.line("There is no earlier complete run of these inputs to compare with.", Tone::plain, 2);
  writer.line("Changes " + describe_changes(report.changes), Tone::plain, 2);
  const std::vector<ReportRow> changed = rows(report, Section::changes);
  for (const auto& [change, name] : change_names) {
    const auto change_of = [](const ReportRow& row) { return row.change->change; };
    // std::ranges::equal_range is not used: clang 14 cannot compile the subrange that it returns.
    const std::span<const ReportRow> links(std::ranges::lower_bound(changed, change, {}, change_of),
                                           std::ranges::upper_bound(changed, change, {}, change_of));
    if (links.empty()) continue;
    writer.title(capitalised(std::string(describe_change(change))), links.size(), Tone::plain, "", 2);
    write_aligned(writer, links, [&](const ReportRow& row) { return changed_entry(report, row, detail_of(options)); });
  }
  if (const std::size_t still = report.changes.count(Change::still); report.changes.is_since_notification && still > 0)
    writer.line(fmt::format("Still broken ({}, reported before)", still), Tone::faint, 2);
}

void write_certificates(TextWriter& writer, const Report& report) {
  for (const EndingCertificate& one : report.certificates) {
    writer.line(describe_ending_certificate(report, one), Tone::plain, 2);
  }
}

// `is_requested` is set if the user named the section, which is then shown even if it is empty.
void write_section(TextWriter& writer, const Report& report, const SectionWords& words, const FormatOptions& options,
                   bool is_requested) {
  const std::size_t size = size_of(report, words.section);
  if (size == 0 && !is_requested) return;
  writer.blank();
  writer.title(words.name, size, words.tone, words.meaning);
  switch (words.section) {
    case Section::duplicates: return write_duplicate_groups(writer, report, options);
    case Section::certificates: return write_certificates(writer, report);
    case Section::changes: return write_changes(writer, report, options);
    default: return write_links(writer, report, words.section, options);
  }
}

void write_sections(TextWriter& writer, const Report& report, const FormatOptions& options) {
  for (const SectionWords& words : section_words) {
    const bool is_named = std::ranges::find(options.sections, words.section) != options.sections.end();
    if (options.sections.empty() || is_named) write_section(writer, report, words, options, is_named);
  }
}

// --- metadata

// Escapes before it measures, because escaping changes the width.
std::string cell(std::string_view text, std::size_t width) {
  return padded(shortened(escape_for_terminal(text.empty() ? "-" : text), width), width);
}

std::string row(std::string_view date, std::string_view title, std::string_view authors, std::string_view url) {
  return fmt::format("  {}  {}  {}  {}", cell(date, date_width), cell(title, title_width), cell(authors, authors_width),
                     url);
}

// Writes date, title, authors and URL of each page. Titles and authors are cut to the width of their columns;
// machine-readable output has them in full.
void write_metadata(TextWriter& writer, const Report& report) {
  const storage::CheckedLinks& links = *report.links;
  if (report.summary.pages == 0) return;
  writer.blank();
  writer.line(describe_metadata(report.summary), Tone::strong);
  writer.line(row("date", "title", "authors", "address"), Tone::faint);
  for (std::size_t number = 0; number < links.size(); ++number) {
    const CheckedLink link = links.at(number);
    const parser::Metadata& metadata = link.state.snapshot.metadata;
    if (!metadata.title && !metadata.authors && !metadata.published) continue;
    const std::string_view date =
        metadata.published ? std::string_view(metadata.published->value).substr(0, date_width) : std::string_view();
    const std::string_view title = metadata.title ? std::string_view(metadata.title->value) : std::string_view();
    const std::string authors = metadata.authors ? join(metadata.authors->value, ", ") : "";
    writer.line(row(date, title, authors, link_url(link)));
  }
}

// --- the lines around the sections

// Returns the options with which `linkherd report` shows this run.
std::string report_options(const Report& report) {
  const bool is_usual = std::filesystem::path(report.store).filename() == ".linkherd";
  std::string options = is_usual ? "" : " --store " + report.store;
  if (report.run.is_partial) options += fmt::format(" --run {}", report.run.number);
  return options;
}

// Returns the command that writes new addresses of moved links into the lists. Empty if there are none, or if the
// command would not use this run.
std::string fix_command(const Report& report) {
  const storage::Run& run = report.run;
  const bool is_whole = run.state == storage::RunState::complete && !run.is_partial && !run.shard;
  if (!is_whole || size_of(report, Section::moved) == 0) return {};
  std::string command = "linkherd fix --dry-run" + report_options(report);
  const auto needs_no_quotes = [](char c) {
    return parser::is_ascii_alphanumeric(c) || std::string_view("_-./").find(c) != std::string_view::npos;
  };
  for (const std::string& input : run.inputs) {
    if (input == "-" || !std::ranges::all_of(input, needs_no_quotes)) return {};
    command += ' ' + input;
  }
  return command;
}

// Returns the commands that show more.
std::vector<std::string> next_steps(const Report& report) {
  const bool is_broken = size_of(report, Section::dead) + size_of(report, Section::insecure) > 0;
  if (report.store.empty())
    return {is_broken ? "Next: run the same command with --section broken, or with --all"
                      : "Next: run the same command with --all"};
  const std::string command = "linkherd report" + report_options(report);
  std::vector<std::string> lines;
  const auto add = [&lines](const std::string& line) { lines.push_back((lines.empty() ? "Next: " : "      ") + line); };
  if (is_broken) add(command + " --section broken");
  for (const Section section : {Section::moved, Section::duplicates, Section::blocked}) {
    if (size_of(report, section) == 0) continue;
    add(fmt::format("{} --section {}", command, enum_name(section_names, section)));
    break;
  }
  if (const std::string fix = fix_command(report); !fix.empty()) add(fix);
  add(command + " --all");
  return lines;
}

// Cuts the text, because it may contain texts of any length.
void write_brief(TextWriter& writer, std::string_view text, Tone tone = Tone::faint) {
  const std::size_t columns = writer.style().columns;
  const std::size_t max_columns = columns == 0 ? max_head_columns : std::max<std::size_t>(2 * columns, 10) - 4;
  writer.line(shortened(escape_for_terminal(text), max_columns), tone);
}

// Writes which run of the store the report shows.
void write_which_run(TextWriter& writer, const Report& report) {
  if (report.elapsed) return;
  const storage::Run& run = report.run;
  write_brief(writer, fmt::format("Run {} of {}, {}", run.number, minute(run.finished_at.value_or(run.started_at)),
                                  describe_inputs(run.inputs)));
}

// Says which inputs have runs that this report does not show.
void write_other_runs(TextWriter& writer, const Report& report) {
  constexpr std::size_t max_named = 3;
  if (report.other_runs.empty()) return;
  std::string others;
  for (std::size_t i = 0; i < std::min(max_named, report.other_runs.size()); ++i) {
    const storage::Run& run = report.other_runs[i];
    others += fmt::format("{}{} (run {} of {})", i == 0 ? "" : "; ", describe_inputs(run.inputs), run.number,
                          day(run.finished_at.value_or(run.started_at)));
  }
  if (report.other_runs.size() > max_named)
    others += fmt::format("; and {} more", report.other_runs.size() - max_named);
  write_brief(writer, fmt::format("Not shown: runs of {}. Use linkherd report INPUT... to see them.", others));
}

void write_interruption(TextWriter& writer, const Report& report) {
  if (report.run.state != RunState::interrupted && report.run.state != RunState::open) return;
  writer.line(fmt::format("Interrupted: {} of {} not checked.{}", report.summary.unreached,
                          counted(report.summary.links, "link"),
                          report.store.empty() ? "" : " The same command continues the run."),
              Tone::bad);
}

// Writes the hosts whose request interval determined the duration of the run, for long runs or if everything is shown.
void write_pace(TextWriter& writer, const Report& report, bool all) {
  constexpr Duration long_run = std::chrono::seconds(30);
  if (!all && (!report.elapsed || *report.elapsed < long_run)) return;
  constexpr std::size_t max_named = 3;  // unless everything is shown
  const std::size_t number = all ? report.slowest_hosts.size() : std::min(report.slowest_hosts.size(), max_named);
  for (const storage::PaceBound& bound : std::span(report.slowest_hosts).first(number))
    write_brief(writer, fmt::format("Slowed down on purpose: {}", describe_pace(bound)));
}

void write_head(TextWriter& writer, const Report& report, bool all) {
  writer.line(summary_line(report), Tone::strong);
  // The lines about an outage or an interruption contain the reason already.
  const bool is_reason_shown = report.run.state == RunState::outage || report.run.state == RunState::interrupted;
  if (const std::string other = other_reason(report); !other.empty() && !is_reason_shown)
    write_brief(writer, fmt::format("Exit code {}: {}", report.outcome.exit_code, other), Tone::bad);
  write_which_run(writer, report);
  write_interruption(writer, report);
  write_other_runs(writer, report);
  if (report.run.shard)
    writer.line(fmt::format("Part {} of the links of these inputs.", describe(*report.run.shard)), Tone::faint);
  if (report.run.is_partial || !report.scope.empty())
    write_brief(writer, report.scope.empty() ? "Only some links of these inputs were checked." : report.scope);
  if (report.summary.from_browser > 0) write_brief(writer, describe_browser_checks(report.summary) + ".");
  write_pace(writer, report, all);
  if (report.run.state == RunState::outage) {
    writer.line(
        "This says nothing about the links on the web. Check your network, DNS and proxy, then run linkherd again.",
        Tone::bad);
  }
}

}  // namespace

void write_text(std::ostream& out, const Report& report, const FormatOptions& options) {
  TextWriter writer(out, options.style);
  if (options.changes && !options.all && options.sections.empty()) {
    FormatOptions only = options;
    only.sections = {Section::changes};
    for (const Section section : {Section::duplicates, Section::certificates}) {
      if (report.changes.is_since_notification && size_of(report, section) > 0) only.sections.push_back(section);
    }
    return write_text(out, report, only);
  }
  if (!options.all && options.sections.empty()) {
    const auto head = [&report](TextWriter& begin) { write_head(begin, report, false); };
    writer.block(first_lines(block_of(options.style, head), max_head_lines));
    return write_summary_view(writer, report, options.group_by, next_steps(report));
  }
  write_head(writer, report, options.all);
  write_sections(writer, report, options);
  if (options.all && options.sections.empty()) write_metadata(writer, report);
}

}  // namespace linkherd::reports
