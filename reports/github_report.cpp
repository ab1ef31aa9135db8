#include <array>
#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "reports/escape.h"
#include "reports/report_formats.h"
#include "reports/told_link.h"
#include "reports/wording.h"

namespace linkherd::reports {
namespace {

constexpr std::size_t most_annotations = 10;  // of a level, in one step; GitHub drops the others

std::string_view command_of(Level level) {
  return level == Level::error ? "error" : level == Level::warning ? "warning" : "notice";
}

std::string annotation(const Report& report, const ToldLink& told) {
  const std::vector<parser::LinkOccurrence>& places = told.link.entry.occurrences;
  std::string at;
  if (!places.empty()) {
    at = fmt::format("file={},line={},col={},", escape_for_command(repository_path(report, places.front().file), true),
                     places.front().line, places.front().column);
  }
  std::string message = told_in_words(told);
  if (places.size() > 1) message += fmt::format(" (and {})", counted(places.size() - 1, "more occurrence"));
  return fmt::format("::{} {}title={}::{}\n", command_of(told.level), at, escape_for_command(told.cause.name, true),
                     escape_for_command(message));
}

std::string line_in_log(const ToldLink& told) {
  const std::vector<parser::LinkOccurrence>& places = told.link.entry.occurrences;
  return (places.empty() ? "" : place(places.front()) + " ") + told_in_words(told);
}

// Of what nobody has to do anything about there are no annotations.
bool is_annotated(const ToldFinding& told) {
  if (told.level == Level::error) return true;
  switch (told.section) {
    case Section::dead:
    case Section::insecure:
    case Section::suspect:
    case Section::drift:
    case Section::moved:
    case Section::noted: return true;
    default: return false;
  }
}

// How many annotations of a level there may be: the closing one with the totals is a notice as well.
std::size_t most_of(Level level) { return level == Level::note ? most_annotations - 1 : most_annotations; }

// The last annotation that GitHub shows of a level is about those that it does not.
class Annotations {
 public:
  // `errors`: so many are written already.
  Annotations(const Report& report, std::size_t errors) : report_(report) {
    shown_[static_cast<std::size_t>(Level::error)] = errors;
    for_each_finding(report, [this](const ToldFinding& told) { ++left_[index(told)]; });
  }
  void add(std::ostream& out, const ToldFinding& told) {
    const std::size_t level = index(told);
    if (level == level_names.size()) return;
    const std::size_t most = most_of(told.level);
    if (shown_[level] + 1 < most || left_[level] == 1) {
      if (shown_[level] < most) {
        with_told(report_, told.section, told.finding,
                  [this, &out](const ToldLink& link) { out << annotation(report_, link); });
      }
      ++shown_[level];
    } else if (shown_[level] + 1 == most) {
      out << fmt::format("::{} title=linkherd::… and {}: see the log\n", command_of(told.level),
                         counted(left_[level], "more link"));
      ++shown_[level];
    }
    --left_[level];
  }

 private:
  static std::size_t index(const ToldFinding& told) {
    return is_annotated(told) ? static_cast<std::size_t>(told.level) : level_names.size();
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
  for_each_finding(report, [&](const ToldFinding& told) { annotations.add(out, told); });
  std::optional<Section> open;
  const auto open_group = [&out, &open](Section section, std::size_t number) {
    if (section == open) return;
    if (open) out << "::endgroup::\n";
    open = section;
    out << fmt::format("::group::{} ({})\n", enum_name(section_names, section), number);
  };
  for_each_told(report, [&](const ToldLink& told) {
    open_group(told.section, told_of(report, told.section));
    out << escape_for_terminal(line_in_log(told)) << '\n';
  });
  if (open) out << "::endgroup::\n";
  open.reset();
  for_each_notice(report, [&](const Notice& notice) {
    open_group(notice.section, size_of(report, notice.section));
    out << escape_for_terminal(fmt::format("{} {}", place(notice.place), notice.words)) << '\n';
  });
  if (open) out << "::endgroup::\n";
  if (report.changes.news() > 0) {
    out << fmt::format("::group::changes ({})\n", report.changes.news());
    for_each_changed(report, [&out](const ToldLink& told) {
      out << escape_for_terminal(fmt::format("{}: {}", change_in_words(told.change->change), line_in_log(told)))
          << '\n';
    });
    out << "::endgroup::\n";
  }
  if (!report.scope.empty()) out << escape_for_terminal(report.scope) << '\n';
  std::string counts;
  for (const auto& [section, name] : section_names) {
    if (size_of(report, section) > 0)
      counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", size_of(report, section), name);
  }
  out << fmt::format("::notice title=linkherd::{} ({})\n", escape_for_command(tally(report)), counts);
}

}  // namespace linkherd::reports
