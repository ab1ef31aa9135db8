// The machine-readable report. Keys are stable; `schema` is incremented when a key changes its meaning. Always
// well-formed UTF-8.
#pragma once

#include <iosfwd>

#include "reports/report.h"

namespace linkherd::reports {

inline constexpr int json_schema = 2;

// Both write link by link, so a report of a million links is never in memory as one text. A link is an object with the
// keys url, final_url, health, reason, … The verdict is that of this run. The page (status, metadata, …) is from the
// latest fetch, at `checked_at`: an earlier one if this run deferred or skipped the link, null if there was none.
// `duplicates` lists, for each group of the link, the other entries; of very large groups only the first, and `more`
// is the number of the rest.
void write_jsonl(std::ostream& out, const Report& report);  // one link per line
void write_json(std::ostream& out, const Report& report);   // one object: schema, run, summary, links, duplicates

}  // namespace linkherd::reports
