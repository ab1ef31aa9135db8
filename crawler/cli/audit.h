// Writes the folder of `--audit`: everything known about a run, to archive or to hand on. It contains reports, the
// catalogue, pages and settings.
#pragma once

#include <string>

#include "crawler/cli/command.h"
#include "crawler/cli/options/report_options.h"
#include "parser/url/canonical.h"
#include "storage/run.h"
#include "storage/store.h"

namespace linkherd::crawler {

// Throws std::runtime_error if the folder exists and is not empty, or obviously cannot be created. Called before the
// run.
void require_new_folder(const std::string& folder);

struct AuditedRun {
  const storage::Store& store;
  const storage::Run& run;
  const storage::Run* before = nullptr;  // the run to compare with; null: none
};

// Creates the folder atomically: it is written next to its final path and renamed. The same store always gives the same
// bytes. `rules` may be null. Throws std::runtime_error.
void write_audit(const std::string& folder, const AuditedRun& audited, const ReportOptions& options,
                 const parser::TrackingRules* rules, const Streams& streams);

}  // namespace linkherd::crawler
