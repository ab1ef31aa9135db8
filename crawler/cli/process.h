// Process-wide setup: signals, file descriptors, the log.
#pragma once

#include <atomic>
#include <iosfwd>
#include <string>

#include "crawler/cli/command.h"
#include "crawler/run/crawl.h"

namespace linkherd::crawler {

// Empty where it is not set.
std::string environment_variable(const char* name);

// Opens the descriptors 0, 1 and 2 if the caller closed them. Otherwise the next opened file would get such a number,
// and the report would be written into the store. Reading and writing them still fails.
void open_standard_descriptors();

// Makes a closed pipe and a reached file size limit an error of the failing call instead of a signal that ends the
// process. Output that `out` cannot write throws std::ios_base::failure.
void turn_output_signals_into_errors(std::ostream& out);

// An uncaught std::bad_alloc ends the process with one line and exit code 1 instead of an abort; the store keeps what
// was written. Other uncaught exceptions still abort.
void install_out_of_memory_handler();

// Returns memory that was freed to the system, where the program is linked with tcmalloc: that keeps most of it.
void release_freed_memory();

// Ignores SIGUSR1 and SIGUSR2, which would end the process by default.
void ignore_user_signals();

// Makes SIGINT, SIGTERM and SIGHUP (unless the caller ignores it: nohup) request the end of the run. Whatever the
// process does then, a thread of its own ends it when --shutdown-timeout (see start_log) is over; a second signal ends
// it at once. The flag is global, because signal handlers are. Commands that do not call this end by the signal itself:
// they have nothing to finish.
const std::atomic<StopSignal>& watch_signals();
// The exit code for the signal that came.
ExitCode stopped_by(const std::atomic<StopSignal>& stop);

// While it exists, a signal ends the process at once: there is nothing yet that is worth a report. After
// watch_signals().
class EndsAtOnce {
 public:
  // `before`: what was not read then, e.g. "the lists". The text outlives this.
  explicit EndsAtOnce(const char* before);
  ~EndsAtOnce();
  EndsAtOnce(const EndsAtOnce&) = delete;
  EndsAtOnce& operator=(const EndsAtOnce&) = delete;
};

// Raises the soft limit of open files to the hard limit: sockets and the files of the store need more than the usual
// 1,024.
void raise_file_limit();

// Takes --shutdown-timeout, and sets up the default logger, to stderr and, unfiltered, to `log_file`. Throws
// std::runtime_error if that file cannot be opened, and CLI::ValidationError if it is inside a store. A later write
// error, such as a full disk, is reported once.
void start_log(const CommonOptions& options);

}  // namespace linkherd::crawler
