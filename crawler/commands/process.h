// What the process asks of its system: signals, file descriptors, the log.
#pragma once

#include <atomic>
#include <iosfwd>

#include "crawler/commands/command.h"
#include "crawler/run/crawl.h"

namespace linkherd::crawler {

// Takes the numbers 0, 1 and 2 where the caller has closed them. Otherwise the next file that is opened gets them, and
// the report is written into the store. Using them still fails.
void occupy_standard_descriptors();

// A closed pipe and a file at its limit become errors of the call that meets them, instead of signals that end the
// process; output that `out` cannot write is a std::ios_base::failure.
void turn_output_signals_into_errors(std::ostream& out);

// An uncaught std::bad_alloc ends the process with one line and exit code 1 (what is in the store stays), not with an
// abort. Other uncaught exceptions still abort.
void install_out_of_memory_handler();

// SIGUSR1 and SIGUSR2 mean nothing to this program, and would end it by default.
void ignore_user_signals();

// From here on SIGINT, SIGTERM and SIGHUP (unless the caller had it ignored: nohup) ask the run to end; a second one
// ends the process at once. There is one flag a process, since there is one set of handlers.
const std::atomic<StopSignal>& watch_signals();

// Raises the soft limit of open files to the hard one: sockets and the store's files need more than the usual 1,024.
void raise_file_limit();

// The default logger, to stderr and, in full, to `log_file`. Throws std::runtime_error where that cannot be opened, and
// CLI::ValidationError where it lies in a store; one that cannot be written later, as on a full disk, is said once.
void start_log(const CommonOptions& options);

}  // namespace linkherd::crawler
