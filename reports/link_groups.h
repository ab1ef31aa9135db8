// The links of a report in groups: by cause, host or file.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "parser/enum_names.h"
#include "reports/report.h"

namespace linkherd::reports {

enum class GroupBy : std::uint8_t { cause, host, file };
inline constexpr std::array<EnumName<GroupBy>, 3> group_by_names{
    {{GroupBy::cause, "cause"}, {GroupBy::host, "host"}, {GroupBy::file, "file"}}};

struct LinkGroup {
  std::string name;
  Cause cause;                 // that of all its links; without a name where they may have different ones
  std::vector<Finding> links;  // in the order of the lists
};

// The largest first, and suspicions behind all others.
std::vector<LinkGroup> grouped(const Sections& sections, std::span<const Finding> links, GroupBy by);

// Links that are told in one line: those of a host that has many and most of whose links are among them, else one each.
struct LinkRow {
  std::vector<Finding> links;
};

// The rows of hosts with many links first, the largest of them before the others.
std::vector<LinkRow> rows_of(const Sections& sections, std::span<const Finding> links);

// "cn.herd: 38 links, all 404 Not Found, in docs/list.md and 2 more files".
std::string describe_host_row(const Sections& sections, const LinkRow& row, const LinkGroup& group);

}  // namespace linkherd::reports
