// Groups the links of a report by cause, host or file.
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
  Cause cause;                 // common cause of the links; has no name if their causes may differ
  std::vector<Finding> links;  // in list order
};

// Returns the groups, largest first. Groups of suspicions come after all others.
std::vector<LinkGroup> grouped(const Sections& sections, std::span<const Finding> links, GroupBy by);

// Links that the report shows in one line. A host with many links gets one line if most of its links are among `links`.
// Other links get one line each.
struct LinkRow {
  std::vector<Finding> links;
};

// Returns the rows of hosts with many links first, largest first.
std::vector<LinkRow> rows_of(const Sections& sections, std::span<const Finding> links);

// Example: "cn.herd: 38 links, all 404 Not Found, in docs/list.md and 2 more files".
std::string describe_host_row(const Sections& sections, const LinkRow& row, const LinkGroup& group);

}  // namespace linkherd::reports
