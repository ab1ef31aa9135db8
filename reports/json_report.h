// The report for programs. Keys are stable; `schema` is raised when one changes its meaning.
#pragma once

#include <iosfwd>

#include <boost/json/object.hpp>

#include "reports/report.h"

namespace linkherd::reports {

inline constexpr int json_schema = 1;

// One object a unique link, in the contract's form (DESIGN of the command line): url, final_url, health, reason, …
boost::json::object link_json(const Report& report, std::size_t link);

void write_jsonl(std::ostream& out, const Report& report);  // link_json, one a line
void write_json(std::ostream& out, const Report& report);   // one object: schema, run, summary, links, duplicates

}  // namespace linkherd::reports
