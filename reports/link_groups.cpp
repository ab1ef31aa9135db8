#include "reports/link_groups.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "reports/messages.h"

namespace linkherd::reports {
namespace {

constexpr std::size_t many_of_a_host = 4;

std::uint32_t group_key(const Sections& sections, const Finding& link, GroupBy by) {
  switch (by) {
    case GroupBy::cause: return sections.kind_of(link).cause;
    case GroupBy::host: return sections.kind_of(link).host;
    case GroupBy::file: break;
  }
  return link.file;
}

LinkGroup group_named(const Sections& sections, std::uint32_t key, GroupBy by) {
  switch (by) {
    case GroupBy::cause: {
      const Cause& cause = sections.cause_texts.at(key);
      return {cause.name, cause, {}};
    }
    case GroupBy::host: return {key == 0 ? "no host" : std::string(sections.hosts.text(key)), {}, {}};
    case GroupBy::file: break;
  }
  return {std::string(sections.files.text(key)), {}, {}};
}

}  // namespace

std::vector<LinkGroup> grouped(const Sections& sections, std::span<const Finding> links, GroupBy by) {
  std::vector<LinkGroup> groups;
  std::unordered_map<std::uint32_t, std::size_t> known;
  for (const Finding& link : links) {
    const std::uint32_t key = group_key(sections, link, by);
    const auto [at, is_new] = known.try_emplace(key, groups.size());
    if (is_new) groups.push_back(group_named(sections, key, by));
    groups[at->second].links.push_back(link);
  }
  std::ranges::stable_sort(groups, [](const LinkGroup& one, const LinkGroup& other) {
    if (one.cause.is_suspicion != other.cause.is_suspicion) return other.cause.is_suspicion;
    return one.links.size() > other.links.size();
  });
  return groups;
}

std::vector<LinkRow> rows_of(const Sections& sections, std::span<const Finding> links) {
  std::unordered_map<std::uint32_t, std::size_t> of_host;
  for (const Finding& link : links) ++of_host[sections.kind_of(link).host];
  const auto is_about_host = [&](std::uint32_t host) {
    const std::size_t number = of_host[host];
    return host != 0 && number >= many_of_a_host && 2 * number > sections.links_of_host[host];
  };
  std::vector<LinkRow> rows;
  std::unordered_map<std::uint32_t, std::size_t> row_of_host;
  for (const Finding& link : links) {
    const std::uint32_t host = sections.kind_of(link).host;
    if (!is_about_host(host)) {
      rows.push_back({{link}});
      continue;
    }
    const auto [row, is_new] = row_of_host.try_emplace(host, rows.size());
    if (is_new) rows.emplace_back();
    rows[row->second].links.push_back(link);
  }
  std::ranges::stable_sort(rows, std::ranges::greater(), [](const LinkRow& row) { return row.links.size(); });
  return rows;
}

std::string describe_host_row(const Sections& sections, const LinkRow& row, const LinkGroup& group) {
  const Finding& first = row.links.front();
  const FindingKind& kind = sections.kind_of(first);
  std::string text =
      fmt::format("{}: {}", readable_url(sections.hosts.text(kind.host)), counted(row.links.size(), "link"));
  const auto is_alike = [&](const Finding& link) { return sections.kind_of(link).reason == kind.reason; };
  const std::string_view reason = sections.reasons.text(kind.reason);
  if (std::ranges::all_of(row.links, is_alike) && !differs_only_in_capital(reason, group.name))
    text += fmt::format(", all {}", reason);
  std::set<std::uint32_t> files;
  for (const Finding& link : row.links) files.insert(link.file);
  if (group.name == sections.files.text(first.file)) return text;
  text += fmt::format(", in {}", sections.files.text(first.file));
  if (files.size() > 1) text += fmt::format(" and {}", counted(files.size() - 1, "more file"));
  return text;
}

}  // namespace linkherd::reports
