// The report for programs. Keys are stable; `schema` is raised when one changes its meaning. Always well-formed UTF-8.
#pragma once

#include <cstddef>
#include <iosfwd>

#include <boost/json/object.hpp>

#include "reports/report.h"

namespace linkherd::reports {

inline constexpr int json_schema = 1;

// One object a unique link, in the contract's form (DESIGN of the command line): url, final_url, health, reason, …
// The verdict is the run's; what the page was like (status, metadata, …) comes from the latest look at it, at
// `checked_at`, which is older where this run deferred or skipped the link, and null where there was none. `duplicates`
// lists, for each group that the link is in, the other entries; of very large groups only the first, and `more` counts
// the rest.
boost::json::object link_json(const Report& report, std::size_t link);

// Both write link by link: a report of a million links is never one string.
void write_jsonl(std::ostream& out, const Report& report);  // link_json, one a line
void write_json(std::ostream& out, const Report& report);   // one object: schema, run, summary, links, duplicates

}  // namespace linkherd::reports
