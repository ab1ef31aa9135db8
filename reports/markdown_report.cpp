#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "reports/escape.h"
#include "reports/messages.h"
#include "reports/report_formats.h"
#include "reports/report_rows.h"

namespace linkherd::reports {
namespace {

// The body of an issue has at most 65,536 characters; the summary of a job may be longer.
constexpr std::size_t max_report_bytes = 55'000;

// Writes lines as long as there is room for them.
class MarkdownLines {
 public:
  explicit MarkdownLines(std::ostream& out) : out_(out) {}

  // Returns false if the line was left out.
  bool item(const std::string& line) {
    if (written_ + line.size() > max_report_bytes) return false;
    always(line);
    return true;
  }
  void always(const std::string& line) {
    out_ << line << '\n';
    written_ += line.size() + 1;
  }

 private:
  std::ostream& out_;
  std::size_t written_ = 0;
};

std::string in_markdown(std::string_view text) { return escape_for_markdown(one_line(text)); }

// Returns a URL in readable form. It is clickable if browsers accept it.
std::string url_in_markdown(std::string_view written, std::string_view url) {
  const std::string shown = brief(readable_url(written));
  const std::string target = clickable_url(url);
  return target.empty() ? in_markdown(shown) : markdown_link(shown, target);
}

std::string item_text(const ReportRow& row, const storage::CheckedLink& link) {
  const std::vector<parser::LinkOccurrence>& occurrences = link.result.occurrences;
  const std::string_view url = link_url(link);
  std::string line;
  if (occurrences.empty()) {
    line = url_in_markdown(url, url);
  } else {
    const parser::LinkOccurrence& first = occurrences.front();
    line =
        in_markdown(format_location(first)) + " " + url_in_markdown(first.url, first.href.empty() ? url : first.href);
    const std::string words = brief(first.text);
    if (!words.empty() && words != brief(readable_url(first.url))) line += fmt::format(" ({})", in_markdown(words));
  }
  const ReasonParts reason = reason_parts(row, link);
  line += " " + in_markdown("— " + reason.lead);
  if (!reason.target.empty()) line += " " + url_in_markdown(reason.target, reason.target);
  line += reason.rest.starts_with(' ') ? " " + in_markdown(reason.rest) : in_markdown(reason.rest);
  if (occurrences.size() > 1) line += fmt::format(" (and {})", counted(occurrences.size() - 1, "more occurrence"));
  return line;
}

// Includes since when the link fails.
std::string open_item(const Report& report, const ReportRow& row, const storage::CheckedLink& link) {
  const Timestamp since = link.state.first_failed.value_or(report.run.started_at);
  return fmt::format("- [ ] {} (since {})", item_text(row, link), day(since));
}

// Writes the links that keep an issue open, or those that do not, depending on `level`.
std::size_t write_open_items(MarkdownLines& lines, const Report& report, Level level) {
  std::size_t number = 0;
  std::size_t shown = 0;
  for_each_row(report, [&](const ReportRow& row, const storage::CheckedLink& link) {
    if (row.level != level) return;
    ++number;
    shown += shown + 1 == number && lines.item(open_item(report, row, link)) ? 1U : 0U;
  });
  if (shown < number) lines.always(fmt::format("- … and {}", counted(number - shown, "more link")));
  return number;
}

std::size_t count_links(const Report& report, Level level) {
  std::size_t number = 0;
  for (const auto& [section, section_name] : section_names) {
    for (const auto& [health, health_name] : storage::health_names) {
      if (level_of_link(report, section, health) == level) number += report.sections.count(section, health).links;
    }
  }
  return number;
}

void write_section_items(MarkdownLines& lines, const Report& report, Section section) {
  std::size_t shown = 0;
  const std::size_t number = count_rows(report, section);
  for (const ReportRow& row : rows(report, section)) {
    if (row.level == Level::none) continue;
    const char* const mark = row.level <= Level::warning ? "- [ ] " : "- ";
    if (!lines.item(mark + item_text(row, report.links->at(row.link)))) break;
    ++shown;
  }
  if (shown < number) lines.always(fmt::format("- … and {}", counted(number - shown, "more link")));
}

void write_changed_items(MarkdownLines& lines, const Report& report) {
  std::size_t shown = 0;
  for (const ReportRow& row : rows(report, Section::changes)) {
    const std::string text = item_text(row, report.links->at(row.link));
    if (!lines.item(fmt::format("- {}: {}", describe_change(row.change->change), text))) break;
    ++shown;
  }
  if (shown < report.changes.news())
    lines.always(fmt::format("- … and {}", counted(report.changes.news() - shown, "more link")));
}

void write_certificate_items(MarkdownLines& lines, const Report& report) {
  std::size_t shown = 0;
  for (const EndingCertificate& one : report.certificates) {
    if (!lines.item("- " + in_markdown(describe_ending_certificate(report, one)))) break;
    ++shown;
  }
  const std::size_t hidden = report.certificates.size() - shown;
  if (hidden > 0) lines.always(fmt::format("- … and {} more", hidden));
}

void write_duplicate_items(MarkdownLines& lines, const Report& report) {
  std::size_t shown = 0;
  for (const DuplicateGroup& group : report.duplicates) {
    const std::string last = format_location(group.entries.back());
    const std::string line = fmt::format("- {} {}", in_markdown(last), in_markdown(describe_duplicates(group)));
    if (!lines.item(line)) break;
    ++shown;
  }
  const std::size_t hidden = report.duplicates.size() - shown;
  if (hidden > 0) lines.always(fmt::format("- … and {} more", hidden));
}

}  // namespace

void write_markdown(std::ostream& out, const Report& report) {
  MarkdownLines lines(out);
  lines.always(fmt::format("## linkherd: {}\n", in_markdown(summary_line(report))));
  if (!report.outcome.why.empty()) lines.always(in_markdown(brief(report.outcome.why)) + "\n");
  if (!report.scope.empty()) lines.always(in_markdown(brief(report.scope)) + "\n");
  if (report.changes.since) lines.always(in_markdown("Changes " + describe_changes(report.changes)) + "\n");
  lines.always("| section | number |\n|---|---|");
  for (const auto& [section, name] : section_names) {
    if (size_of(report, section) > 0) lines.always(fmt::format("| {} | {} |", name, size_of(report, section)));
  }
  for (const auto& [section, name] : section_names) {
    if (count_rows(report, section) == 0) continue;
    const bool is_folded = level_of(report, section) > Level::warning;
    const std::string title = fmt::format("{} ({})", name, count_rows(report, section));
    lines.always(is_folded ? fmt::format("\n<details><summary>{}</summary>\n", title)
                           : fmt::format("\n### {}\n", title));
    switch (section) {
      case Section::duplicates: write_duplicate_items(lines, report); break;
      case Section::certificates: write_certificate_items(lines, report); break;
      case Section::changes: write_changed_items(lines, report); break;
      default: write_section_items(lines, report, section); break;
    }
    if (is_folded) lines.always("\n</details>");
  }
}

void write_issue(std::ostream& out, const Report& report) {
  MarkdownLines lines(out);
  const std::size_t open = count_links(report, Level::error);
  const std::string other = other_reason(report);
  const std::size_t doubtful = count_links(report, Level::warning);
  const std::string links = counted(report.summary.links, "link");
  const std::string checked = "checked on " + day(report.run.finished_at.value_or(report.run.started_at));
  if (!other.empty()) {
    lines.always(fmt::format("**The check of {} is not complete** ({}): {}. Leave this issue as it is.", links, checked,
                             in_markdown(other)));
  } else if (open == 0) {
    lines.always(fmt::format("**{}** ({}, {}). You can close this issue.",
                             doubtful == 0 ? "All links are fine" : "No broken links", links, checked));
  } else {
    lines.always(fmt::format("**{} of {} {} attention** ({}). Close this issue when none is left.", open, links,
                             open == 1 ? "needs" : "need", checked));
  }
  if (open > 0) lines.always("");
  write_open_items(lines, report, Level::error);
  if (doubtful == 0) return;
  lines.always("\n<details><summary>Worth a look, but no reason to keep this issue open</summary>\n");
  write_open_items(lines, report, Level::warning);
  lines.always("\n</details>");
}

}  // namespace linkherd::reports
