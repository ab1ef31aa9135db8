// Writes reports to the requested output.
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

// The report of a run as the options want it; the caller sets how the run ended. `since` is what it is compared with;
// null: with nothing. `rules` may be null.
reports::Report report_of_run(const storage::CheckedLinks& links, storage::Run run, const reports::EarlierRun* since,
                              const ReportOptions& options, const parser::TrackingRules* rules, Timestamp now);

// Throws std::runtime_error if the file `output` is obviously not writable; an empty name is stdout. Called before the
// run, so that an error is reported before an hour of work.
void require_writable(const std::string& output);

// Throws CLI::ValidationError where an issue is to be written of changes alone: it needs all that is open.
void refuse_issue_of_changes(const ReportOptions& options);

struct Replacement {
  bool is_possible = true;  // false: no file can be created next to it or renamed over it
  bool is_written = true;   // false: the new file could not be written …
  int error = 0;            // … and why, an errno; 0 where that is not known
};

// Replaces a file atomically; where a symbolic link leads to it, the link stays. On failure the old one is unchanged.
Replacement replace_file(const std::string& name, const std::function<void(std::ostream&)>& write);

// Replaces a file atomically, or writes it in place if no temporary file can be created next to it. Throws
// std::runtime_error.
void write_file(const std::string& name, const std::function<void(std::ostream&)>& write);

// Writes to stdout, where `output` is empty, or replaces that file atomically: it is unchanged if that fails. Devices,
// pipes, and files without a writable folder are written in place. Throws std::runtime_error if it cannot be written.
void write_output(const std::string& output, const Streams& streams, const std::function<void(std::ostream&)>& write);

// `is_quiet`: nothing for people is written to stdout.
void write_report(const reports::Report& report, const ReportOptions& options, bool is_quiet, const Streams& streams);

}  // namespace linkherd::crawler
