#include "reports/summary_view.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/link_lines.h"
#include "reports/messages.h"
#include "reports/report_rows.h"

namespace linkherd::reports {
namespace {

constexpr std::size_t max_lines = 40;
constexpr std::size_t max_count_lines = 16;  // only a very narrow terminal needs more
constexpr std::size_t min_group_lines = 10;  // a group with its advice on a very narrow terminal
constexpr std::size_t group_indent = 2;
constexpr std::size_t row_indent = 4;
constexpr std::size_t max_location_column = 30;
constexpr std::size_t max_next_columns = 400;  // the path of a store may have any length
constexpr std::size_t max_next_lines = 6;

// Always writes one line, however narrow the terminal is.
void write_rest(TextWriter& writer, const std::string& text, std::size_t indent) {
  const std::size_t columns = writer.style().columns;
  writer.line(columns > indent ? shortened(text, columns - indent) : text, Tone::faint, indent);
}

// A group with the lines that fit; the other rows are only counted.
struct GroupOnScreen {
  const RowGroup* group = nullptr;
  TextBlock title;
  std::vector<std::vector<ReportRow>> lines;
  std::vector<TextBlock> blocks;  // rendered first lines
  std::size_t shown = 0;

  bool has_more() const { return shown < blocks.size(); }
  // Returns the number of lines that the next row adds. A line "… 3 more" appears with the first row and disappears
  // with the last one.
  std::ptrdiff_t cost_of_next() const {
    const auto more_line = [this](std::size_t shown_rows) {
      return shown_rows > 0 && shown_rows < lines.size() ? 1 : 0;
    };
    return static_cast<std::ptrdiff_t>(blocks[shown].lines) + more_line(shown + 1) - more_line(shown);
  }
};

// Returns true for links that are broken or suspect, and for those that fail the run for other reasons.
bool needs_attention(Level level) { return level == Level::error || level == Level::warning; }

class RowsOnScreen {
 public:
  RowsOnScreen(const Report& report, const TextStyle& style, GroupBy by, std::size_t room)
      : report_(report), style_(style), room_(static_cast<std::ptrdiff_t>(room)) {
    const bool is_outage = report.run.state == storage::RunState::outage;
    std::vector<ReportRow> urgent;
    for (const auto& [section, name] : section_names) {
      if (!needs_attention(level_of(report, section))) continue;
      // Most fine links need no attention.
      std::ranges::copy_if(rows(report, section), std::back_inserter(urgent), [is_outage](const ReportRow& row) {
        return needs_attention(row.level) && (!is_outage || row.cause->is_local);
      });
    }
    std::ranges::sort(urgent, {}, &ReportRow::link);
    groups_ = grouped(report.sections, urgent, by);
    take_titles();
    make_blocks();
    take_rows();
  }

  bool empty() const { return groups_.empty(); }

  void write(TextWriter& writer) const {
    for (const GroupOnScreen& one : on_screen_) {
      writer.block(one.title);
      std::size_t hidden = one.group->rows.size();
      for (std::size_t i = 0; i < one.shown; ++i) {
        writer.block(one.blocks[i]);
        hidden -= one.lines[i].size();
      }
      if (one.shown > 0 && hidden > 0) write_rest(writer, fmt::format("… {} more", hidden), row_indent);
    }
    std::size_t links = 0;
    for (std::size_t i = on_screen_.size(); i < groups_.size(); ++i) links += groups_[i].rows.size();
    if (links == 0) return;
    write_rest(writer,
               fmt::format("… {} in {}", counted(links, "more link"),
                           counted(groups_.size() - on_screen_.size(), "more group")),
               group_indent);
  }

 private:
  // Takes as many titles as fit beside a line about the other groups.
  void take_titles() {
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const RowGroup& group = groups_[i];
      GroupOnScreen one;
      one.group = &group;
      one.title = block_of(style_, [&group](TextWriter& writer) {
        const Tone tone = group.cause.is_suspicion ? Tone::notable : Tone::bad;
        writer.title(readable_url(group.name), group.rows.size(), tone, group.cause.advice, group_indent);
      });
      const bool is_last = i + 1 == groups_.size();
      const auto lines = static_cast<std::ptrdiff_t>(one.title.lines);
      if (lines + (is_last ? 0 : 1) > room_) break;
      room_ -= lines;
      on_screen_.push_back(std::move(one));
    }
    if (on_screen_.size() < groups_.size()) --room_;
  }

  // Returns the maximum number of rows of a group that may fit.
  std::size_t candidates(const GroupOnScreen& one) const {
    return std::min(one.lines.size(), static_cast<std::size_t>(std::max<std::ptrdiff_t>(room_, 0)));
  }

  // Renders all rows that may fit, aligned with each other.
  void make_blocks() {
    std::vector<TextEntry> entries;
    const std::size_t columns = columns_beside(style_, row_indent, max_location_column);
    for (GroupOnScreen& one : on_screen_) {
      // Every broken link has its own line. Suspicions about a host with many links share one line.
      if (one.group->cause.is_suspicion) {
        one.lines = lines_of(report_.sections, one.group->rows);
      } else {
        for (const ReportRow& row : one.group->rows) one.lines.push_back({row});
      }
      for (const std::vector<ReportRow>& line : std::span(one.lines).first(candidates(one))) {
        if (line.size() == 1) entries.push_back(link_entry(report_, line.front(), *one.group, Detail::brief, columns));
      }
    }
    const std::size_t column = std::min(location_columns(entries), max_location_column);
    auto entry = entries.cbegin();
    for (GroupOnScreen& one : on_screen_) {
      for (const std::vector<ReportRow>& line : std::span(one.lines).first(candidates(one))) {
        one.blocks.push_back(block_of(style_, [&](TextWriter& writer) {
          if (line.size() == 1) return writer.entry(*entry++, row_indent, column);
          writer.line(describe_host_line(report_.sections, line, *one.group), Tone::plain, row_indent);
        }));
      }
    }
  }

  // Takes rows of broken links first. Groups take turns, so that no group takes the room of the others.
  void take_rows() {
    take_rows_of(false);
    take_rows_of(true);
  }
  void take_rows_of(bool suspicions) {
    for (bool any = true; any;) {
      any = false;
      for (GroupOnScreen& one : on_screen_) {
        if (one.group->cause.is_suspicion != suspicions || !one.has_more() || one.cost_of_next() > room_) continue;
        room_ -= one.cost_of_next();
        ++one.shown;
        any = true;
      }
    }
  }

  const Report& report_;
  TextStyle style_;
  std::ptrdiff_t room_;
  std::vector<RowGroup> groups_;
  std::vector<GroupOnScreen> on_screen_;
};

// Example: "wall.herd, linkedin.com and 3 more hosts".
std::string describe_hosts(const Report& report, Section section) {
  constexpr std::size_t max_named = 3;
  const std::vector<RowGroup> hosts = grouped(report.sections, rows(report, section), GroupBy::host);
  const std::size_t named = hosts.size() > max_named + 1 ? max_named : hosts.size();
  std::string text;
  for (std::size_t i = 0; i < named; ++i) text += (i == 0 ? "" : ", ") + readable_url(hosts[i].name);
  if (named < hosts.size()) text += fmt::format(" and {}", counted(hosts.size() - named, "more host"));
  return text;
}

// Example: "2 a placeholder, 1 not a web address".
std::string describe_causes(const Report& report, Section section) {
  constexpr std::size_t max_named = 3;
  const Sections& sections = report.sections;
  const std::vector<RowGroup> causes = grouped(sections, rows(report, section), GroupBy::cause);
  std::string text;
  for (std::size_t i = 0; i < std::min(max_named, causes.size()); ++i) {
    // The number follows the reason, which is a singular.
    text += fmt::format("{}{}: {}", i == 0 ? "" : ", ", sections.reasons.text(causes[i].rows.front().reason),
                        causes[i].rows.size());
  }
  return text + (causes.size() > max_named ? ", …" : "");
}

// A line with parts for numbers that are not 0.
class Enumeration {
 public:
  explicit Enumeration(std::string_view opening) : text_(opening) {}

  void add(std::size_t number, std::string_view noun, const std::string& which = {}) {
    if (number == 0) return;
    text_ += fmt::format("{}{} {}{}", any_ ? " · " : " ", number, noun, which.empty() ? "" : " (" + which + ")");
    any_ = true;
  }
  void write(TextWriter& writer, Tone tone) const {
    if (any_) writer.line(text_, tone);
  }

 private:
  std::string text_;
  bool any_ = false;
};

void write_counts(TextWriter& writer, const Report& report) {
  // Sections that are shown above are not counted again.
  const auto number = [&](Section section) {
    return needs_attention(level_of(report, section)) ? 0 : size_of(report, section);
  };
  if (report.changes.news() > 0) writer.line("Changes " + describe_changes(report.changes), Tone::plain);
  Enumeration look("Worth a look:");
  look.add(number(Section::moved), "moved");
  look.add(report.duplicates.size(), "listed more than once");
  look.add(number(Section::noted), "archived, renamed or withdrawn");
  const std::vector<EndingCertificate>& ending = report.certificates;
  const auto first = std::ranges::find(ending, true, &EndingCertificate::is_ending);
  const auto count = static_cast<std::size_t>(std::ranges::count(ending, true, &EndingCertificate::is_ending));
  look.add(count, count == 1 ? "certificate expires soon" : "certificates expire soon",
           first == ending.end() ? "" : fmt::format("{} on {}", first->host, day(first->expires)));
  look.add(static_cast<std::size_t>(std::ranges::count(ending, true, &EndingCertificate::is_chain_incomplete)),
           "without the intermediate certificate");
  look.write(writer, Tone::plain);

  Enumeration others("Could not be verified:");
  others.add(number(Section::blocked), "access denied", describe_hosts(report, Section::blocked));
  others.add(number(Section::unreachable), "no answer",
             report.run.strikes > 0 ? fmt::format("dead after {} failed checks", report.run.strikes) : "");
  others.write(writer, Tone::plain);

  Enumeration left("Not checked:");
  left.add(number(Section::deferred), "deferred", describe_causes(report, Section::deferred));
  left.add(number(Section::skipped), "skipped", describe_causes(report, Section::skipped));
  left.write(writer, Tone::faint);

  Enumeration known("Known failures:");
  known.add(number(Section::accepted), "accepted");
  known.write(writer, Tone::faint);
}

}  // namespace

void write_summary_view(TextWriter& writer, const Report& report, GroupBy by, const std::vector<std::string>& next) {
  const bool is_outage = report.run.state == storage::RunState::outage;
  const std::size_t columns = writer.style().columns;
  const std::size_t max_columns =
      columns == 0 ? max_next_columns : std::min(max_next_columns, max_next_lines * columns);
  const auto write_next = [&](TextWriter& end) {
    for (const std::string& line : next) end.line(shortened(line, max_columns), Tone::faint);
  };
  const TextBlock last = first_lines(block_of(writer.style(), write_next), max_next_lines);
  const std::size_t needed = std::min(writer.lines() + last.lines + min_group_lines, max_lines);
  const TextBlock counts = first_lines(block_of(writer.style(),
                                                [&](TextWriter& end) {
                                                  end.blank();
                                                  if (!is_outage) write_counts(end, report);
                                                }),
                                       std::min(max_count_lines, max_lines - needed));
  const std::size_t taken = writer.lines() + counts.lines + last.lines + 1;
  const RowsOnScreen urgent(report, writer.style(), by, max_lines - std::min(taken, max_lines));
  if (!urgent.empty()) writer.blank();
  urgent.write(writer);
  writer.block(counts);
  writer.block(last);
}

}  // namespace linkherd::reports
