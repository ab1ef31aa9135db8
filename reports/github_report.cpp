#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "reports/escape.h"
#include "reports/messages.h"
#include "reports/report_formats.h"
#include "reports/report_rows.h"

namespace linkherd::reports {
namespace {

constexpr std::size_t max_annotations = 10;  // per level and step; GitHub drops the others

std::string_view command_of(Level level) {
  return level == Level::error ? "error" : level == Level::warning ? "warning" : "notice";
}

std::string annotation(const Report& report, const ReportRow& row, const storage::CheckedLink& link) {
  const std::vector<parser::LinkOccurrence>& occurrences = link.result.occurrences;
  std::string at;
  if (!occurrences.empty()) {
    at = fmt::format("file={},line={},col={},",
                     escape_for_command(repository_path(report, occurrences.front().file), true),
                     occurrences.front().line, occurrences.front().column);
  }
  std::string message = describe_row(row, link);
  if (occurrences.size() > 1) message += fmt::format(" (and {})", counted(occurrences.size() - 1, "more occurrence"));
  return fmt::format("::{} {}title={}::{}\n", command_of(row.level), at, escape_for_command(row.cause->name, true),
                     escape_for_command(message));
}

std::string line_in_log(const ReportRow& row, const storage::CheckedLink& link) {
  const std::vector<parser::LinkOccurrence>& occurrences = link.result.occurrences;
  return (occurrences.empty() ? "" : format_location(occurrences.front()) + " ") + describe_row(row, link);
}

// Returns true if a link gets an annotation. Links that need no action get none.
bool is_annotated(const ReportRow& row) {
  if (row.level == Level::error) return true;
  switch (row.section) {
    case Section::dead:
    case Section::insecure:
    case Section::suspect:
    case Section::content_drift:
    case Section::moved:
    case Section::noted: return true;
    default: return false;
  }
}

// Returns the maximum number of annotations of a level. The closing annotation with the totals is a notice as well.
std::size_t max_annotations_of(Level level) { return level == Level::note ? max_annotations - 1 : max_annotations; }

// Writes the annotations of these rows. For each level, the last one that GitHub shows says how many links it does not
// show. `errors` is the number of errors that are written already.
void write_annotations(std::ostream& out, const Report& report, const std::vector<ReportRow>& rows,
                       std::size_t errors) {
  std::array<std::size_t, level_names.size()> left{};
  std::array<std::size_t, level_names.size()> shown{errors};
  for (const ReportRow& row : rows) ++left[static_cast<std::size_t>(row.level)];
  for (const ReportRow& row : rows) {
    const auto level = static_cast<std::size_t>(row.level);
    const std::size_t max_count = max_annotations_of(row.level);
    if (shown[level] + 1 < max_count || left[level] == 1) {
      if (shown[level] < max_count) out << annotation(report, row, report.links->at(row.link));
      ++shown[level];
    } else if (shown[level] + 1 == max_count) {
      out << fmt::format("::{} title=linkherd::… and {}: see the log\n", command_of(row.level),
                         counted(left[level], "more link"));
      ++shown[level];
    }
    --left[level];
  }
}

}  // namespace

void write_github(std::ostream& out, const Report& report) {
  const std::string other = other_reason(report);
  if (!other.empty()) out << fmt::format("::error title=linkherd::{}\n", escape_for_command(other));
  std::vector<ReportRow> annotated;
  for (const auto& [section, name] : section_names) {
    if (section == Section::changes) continue;
    std::ranges::copy_if(rows(report, section), std::back_inserter(annotated), is_annotated);
  }
  write_annotations(out, report, annotated, other.empty() ? 0 : 1);
  std::optional<Section> open;
  const auto open_group = [&out, &open](Section section, std::size_t number) {
    if (section == open) return;
    if (open) out << "::endgroup::\n";
    open = section;
    out << fmt::format("::group::{} ({})\n", enum_name(section_names, section), number);
  };
  for_each_row(report, [&](const ReportRow& row, const storage::CheckedLink& link) {
    open_group(row.section, count_rows(report, row.section));
    out << escape_for_terminal(line_in_log(row, link)) << '\n';
  });
  if (open) out << "::endgroup::\n";
  open.reset();
  for_each_notice(report, [&](const Notice& notice) {
    open_group(notice.section, size_of(report, notice.section));
    out << escape_for_terminal(fmt::format("{} {}", format_location(notice.location), notice.words)) << '\n';
  });
  if (open) out << "::endgroup::\n";
  if (report.changes.news() > 0) {
    out << fmt::format("::group::changes ({})\n", report.changes.news());
    for (const ReportRow& row : rows(report, Section::changes)) {
      const std::string line = line_in_log(row, report.links->at(row.link));
      out << escape_for_terminal(fmt::format("{}: {}", describe_change(row.change->change), line)) << '\n';
    }
    out << "::endgroup::\n";
  }
  if (!report.scope.empty()) out << escape_for_terminal(report.scope) << '\n';
  std::string counts;
  for (const auto& [section, name] : section_names) {
    if (size_of(report, section) > 0)
      counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", size_of(report, section), name);
  }
  out << fmt::format("::notice title=linkherd::{} ({})\n", escape_for_command(summary_line(report)), counts);
}

}  // namespace linkherd::reports
