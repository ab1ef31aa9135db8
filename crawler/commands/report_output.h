// A report, written where the options want it.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "crawler/commands/check_options.h"
#include "crawler/commands/command.h"
#include "reports/report.h"

namespace linkherd::crawler {

// Throws std::runtime_error where the output file cannot be written, as far as that can be seen without writing: better
// before an hour of work than behind it.
void require_writable(const ReportOptions& options);

// Replaces a file whole, or writes it in place where nothing can be put beside it. Throws std::runtime_error.
void write_file(const std::string& name, const std::function<void(std::ostream&)>& write);

// A file is replaced whole, or stays as it was where that fails; devices, pipes, and files that nothing can be put
// beside are written in place. Throws std::runtime_error where the output file cannot be written.
void write_report(const reports::Report& report, const ReportOptions& options, bool verbose, const Streams& streams);

}  // namespace linkherd::crawler
