// Writes reports to the requested output.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "crawler/commands/check_options.h"
#include "crawler/commands/command.h"
#include "reports/report.h"

namespace linkherd::crawler {

// Throws std::runtime_error if the output file is obviously not writable. Called before the run, so that an error is
// reported before an hour of work.
void require_writable(const ReportOptions& options);

// Replaces a file atomically, or writes it in place if no temporary file can be created next to it. Throws
// std::runtime_error.
void write_file(const std::string& name, const std::function<void(std::ostream&)>& write);

// Replaces a file atomically: it is unchanged if that fails. Devices, pipes, and files without a writable folder are
// written in place. Throws std::runtime_error if the output file cannot be written.
void write_report(const reports::Report& report, const ReportOptions& options, bool verbose, const Streams& streams);

}  // namespace linkherd::crawler
