#include "reports/link_groups.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "reports/messages.h"

namespace linkherd::reports {
namespace {

constexpr std::size_t many_of_a_host = 4;

std::string name_of(const Sections& sections, const ReportRow& row, GroupBy by) {
  switch (by) {
    case GroupBy::cause: return row.cause->name;
    case GroupBy::host: return row.host == 0 ? "no host" : std::string(sections.hosts.text(row.host));
    case GroupBy::file: break;
  }
  return std::string(sections.files.text(row.file));
}

std::uint64_t key_of(const ReportRow& row, GroupBy by) {
  switch (by) {
    case GroupBy::cause: return reinterpret_cast<std::uintptr_t>(row.cause);
    case GroupBy::host: return row.host;
    case GroupBy::file: break;
  }
  return row.file;
}

}  // namespace

std::vector<RowGroup> grouped(const Sections& sections, std::span<const ReportRow> rows, GroupBy by) {
  std::vector<RowGroup> groups;
  std::unordered_map<std::uint64_t, std::size_t> known;
  for (const ReportRow& row : rows) {
    const auto [group, is_new] = known.try_emplace(key_of(row, by), groups.size());
    if (is_new) groups.push_back({name_of(sections, row, by), by == GroupBy::cause ? *row.cause : Cause(), {}});
    groups[group->second].rows.push_back(row);
  }
  std::ranges::stable_sort(groups, [](const RowGroup& one, const RowGroup& other) {
    if (one.cause.is_suspicion != other.cause.is_suspicion) return other.cause.is_suspicion;
    return one.rows.size() > other.rows.size();
  });
  return groups;
}

std::vector<std::vector<ReportRow>> lines_of(const Sections& sections, std::span<const ReportRow> rows) {
  std::unordered_map<std::uint32_t, std::size_t> of_host;
  for (const ReportRow& row : rows) ++of_host[row.host];
  const auto is_about_host = [&](std::uint32_t host) {
    const std::size_t number = of_host[host];
    return host != 0 && number >= many_of_a_host && 2 * number > sections.links_of_host[host];
  };
  std::vector<std::vector<ReportRow>> lines;
  std::unordered_map<std::uint32_t, std::size_t> line_of_host;
  for (const ReportRow& row : rows) {
    if (!is_about_host(row.host)) {
      lines.push_back({row});
      continue;
    }
    const auto [line, is_new] = line_of_host.try_emplace(row.host, lines.size());
    if (is_new) lines.emplace_back();
    lines[line->second].push_back(row);
  }
  std::ranges::stable_sort(lines, std::ranges::greater(), &std::vector<ReportRow>::size);
  return lines;
}

std::string describe_host_line(const Sections& sections, std::span<const ReportRow> line, const RowGroup& group) {
  const ReportRow& first = line.front();
  std::string text = fmt::format("{}: {}", readable_url(sections.hosts.text(first.host)), counted(line.size(), "link"));
  const auto is_alike = [&first](const ReportRow& row) { return row.reason == first.reason; };
  const std::string_view reason = sections.reasons.text(first.reason);
  if (std::ranges::all_of(line, is_alike) && !differs_only_in_capital(reason, group.name))
    text += fmt::format(", all {}", reason);
  std::set<std::uint32_t> files;
  for (const ReportRow& row : line) files.insert(row.file);
  if (group.name == sections.files.text(first.file)) return text;
  text += fmt::format(", in {}", sections.files.text(first.file));
  if (files.size() > 1) text += fmt::format(" and {}", counted(files.size() - 1, "more file"));
  return text;
}

}  // namespace linkherd::reports
