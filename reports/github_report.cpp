#include <array>
#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

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

std::string annotation(const Report& report, const ToldLink& row) {
  const std::vector<parser::LinkOccurrence>& occurrences = row.link.entry.occurrences;
  std::string at;
  if (!occurrences.empty()) {
    at = fmt::format("file={},line={},col={},",
                     escape_for_command(repository_path(report, occurrences.front().file), true),
                     occurrences.front().line, occurrences.front().column);
  }
  std::string message = describe_row(row);
  if (occurrences.size() > 1) message += fmt::format(" (and {})", counted(occurrences.size() - 1, "more occurrence"));
  return fmt::format("::{} {}title={}::{}\n", command_of(row.level), at, escape_for_command(row.cause.name, true),
                     escape_for_command(message));
}

std::string line_in_log(const ToldLink& row) {
  const std::vector<parser::LinkOccurrence>& occurrences = row.link.entry.occurrences;
  return (occurrences.empty() ? "" : format_location(occurrences.front()) + " ") + describe_row(row);
}

// Returns true if a link gets an annotation. Links that need no action get none.
bool is_annotated(const ToldFinding& row) {
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

// Writes annotations. For each level, the last one that GitHub shows tells how many links it does not show.
class Annotations {
 public:
  // `errors` is the number of errors that are written already.
  Annotations(const Report& report, std::size_t errors) : report_(report) {
    shown_[static_cast<std::size_t>(Level::error)] = errors;
    for_each_finding(report, [this](const ToldFinding& row) { ++left_[index(row)]; });
  }
  void add(std::ostream& out, const ToldFinding& row) {
    const std::size_t level = index(row);
    if (level == level_names.size()) return;
    const std::size_t max_count = max_annotations_of(row.level);
    if (shown_[level] + 1 < max_count || left_[level] == 1) {
      if (shown_[level] < max_count) {
        visit_row(report_, row.section, row.finding,
                  [this, &out](const ToldLink& link) { out << annotation(report_, link); });
      }
      ++shown_[level];
    } else if (shown_[level] + 1 == max_count) {
      out << fmt::format("::{} title=linkherd::… and {}: see the log\n", command_of(row.level),
                         counted(left_[level], "more link"));
      ++shown_[level];
    }
    --left_[level];
  }

 private:
  static std::size_t index(const ToldFinding& row) {
    return is_annotated(row) ? static_cast<std::size_t>(row.level) : level_names.size();
  }

  const Report& report_;
  std::array<std::size_t, level_names.size() + 1> left_{};
  std::array<std::size_t, level_names.size() + 1> shown_{};
};

}  // namespace

void write_github(std::ostream& out, const Report& report) {
  const std::string other = other_reason(report);
  if (!other.empty()) out << fmt::format("::error title=linkherd::{}\n", escape_for_command(other));
  Annotations annotations(report, other.empty() ? 0 : 1);
  for_each_finding(report, [&](const ToldFinding& row) { annotations.add(out, row); });
  std::optional<Section> open;
  const auto open_group = [&out, &open](Section section, std::size_t number) {
    if (section == open) return;
    if (open) out << "::endgroup::\n";
    open = section;
    out << fmt::format("::group::{} ({})\n", enum_name(section_names, section), number);
  };
  for_each_row(report, [&](const ToldLink& row) {
    open_group(row.section, count_rows(report, row.section));
    out << escape_for_terminal(line_in_log(row)) << '\n';
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
    for_each_changed(report, [&out](const ToldLink& row) {
      out << escape_for_terminal(fmt::format("{}: {}", describe_change(row.change->change), line_in_log(row))) << '\n';
    });
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
