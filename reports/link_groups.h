// Groups the rows of a report by cause, host or file.
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

struct RowGroup {
  std::string name;
  Cause cause;                  // common cause of the links; has no name if their causes may differ
  std::vector<ReportRow> rows;  // in the order in which they were passed
};

// Returns the groups, largest first. Groups of suspicions come after all others.
std::vector<RowGroup> grouped(const Sections& sections, std::span<const ReportRow> rows, GroupBy by);

// Returns the rows that the report shows in one line each. A host with many links gets one line if most of its links
// are among `rows`; every other row gets a line of its own. Lines of many rows come first.
std::vector<std::vector<ReportRow>> lines_of(const Sections& sections, std::span<const ReportRow> rows);

// Example: "cn.herd: 38 links, all 404 Not Found, in docs/list.md and 2 more files". `line` is one of lines_of().
std::string describe_host_line(const Sections& sections, std::span<const ReportRow> line, const RowGroup& group);

}  // namespace linkherd::reports
