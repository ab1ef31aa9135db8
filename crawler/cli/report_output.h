// Writes reports to the requested outputs.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "crawler/cli/command.h"
#include "crawler/cli/options/check_options.h"
#include "parser/timestamp.h"
#include "reports/report.h"
#include "storage/store.h"

namespace linkherd::crawler {

// Returns the report of a run for these options; the caller sets the outcome. `since`: the run to compare with; null:
// none. `rules` may be null.
reports::Report make_run_report(const storage::CheckedLinks& links, storage::Run run, const reports::EarlierRun* since,
                                const ReportOptions& options, const parser::TrackingRules* rules, Timestamp now);

// Throws std::runtime_error if the file `output` is obviously not writable; an empty name means stdout. Called before
// the run, so that the error is not reported after an hour of work.
void require_writable(const std::string& output);

// Throws CLI::ValidationError if the `issue` format is combined with changes only, because an issue needs all open
// problems.
void refuse_issue_of_changes(const ReportOptions& options);

struct Replacement {
  bool is_possible = true;  // false: no file can be created next to it or renamed over it
  bool is_written = true;   // false: the new file could not be written
  int error = 0;            // the errno of that failure; 0: unknown
};

// Replaces a file atomically. If the path is a symbolic link, its target is replaced. On failure the old file is
// unchanged.
Replacement replace_file(const std::string& name, const std::function<void(std::ostream&)>& write);

// Replaces a file atomically, or writes it in place if no temporary file can be created next to it. Throws
// std::runtime_error.
void write_file(const std::string& name, const std::function<void(std::ostream&)>& write);

// Writes to stdout if `output` is empty, or else replaces that file atomically; on failure the file is unchanged.
// Devices, pipes, and files without a writable folder are written in place. Throws std::runtime_error if the output
// cannot be written.
void write_output(const std::string& output, const Streams& streams, const std::function<void(std::ostream&)>& write);

// `is_quiet`: omits output for people from stdout.
void write_report(const reports::Report& report, const ReportOptions& options, bool is_quiet, const Streams& streams);

}  // namespace linkherd::crawler
