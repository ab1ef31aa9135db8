// The report for programs. Keys are stable; `schema` is raised when a key changes its meaning. Always well-formed
// UTF-8.
#pragma once

#include <iosfwd>

#include "reports/report.h"

namespace linkherd::reports {

inline constexpr int json_schema = 2;

// Both write link by link: a report of a million links is never one string. A link is an object with the keys url,
// final_url, health, reason, … The verdict is this run's. The page (status, metadata, …) is from the latest fetch, at
// `checked_at`: an earlier one where this run deferred or skipped the link, and null where there was none. `duplicates`
// lists, for each group of the link, the other entries; of very large groups only the first, and `more` counts the
// rest.
void write_jsonl(std::ostream& out, const Report& report);  // one link on each line
void write_json(std::ostream& out, const Report& report);   // one object: schema, run, summary, links, duplicates

}  // namespace linkherd::reports
