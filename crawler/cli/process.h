// Sets up the process: signals, file descriptors, the log.
#pragma once

#include <atomic>
#include <iosfwd>
#include <string>

#include "crawler/cli/command.h"
#include "crawler/run/crawl.h"

namespace linkherd::crawler {

// Returns an empty string if the variable is not set.
std::string environment_variable(const char* name);

// Opens the descriptors 0, 1 and 2 if the caller closed them. Otherwise the next opened file would get such a number,
// and the report would be written into the store. Reading and writing the descriptors still fails.
void open_standard_descriptors();

// Turns a closed pipe and a reached file size limit into an error of the failing call instead of a signal that ends the
// process. Output that `out` cannot write throws std::ios_base::failure.
void turn_output_signals_into_errors(std::ostream& out);

// Makes an uncaught std::bad_alloc end the process with one line and exit code 1 instead of an abort. The store keeps
// what was written. Other uncaught exceptions still abort.
void install_out_of_memory_handler();

// Returns freed memory to the system if the program is linked with tcmalloc, which otherwise keeps most of it.
void release_freed_memory();

// Ignores SIGUSR1 and SIGUSR2, which would end the process by default.
void ignore_user_signals();

// Makes SIGINT, SIGTERM and SIGHUP request the end of the run; SIGHUP only unless the caller ignores it (nohup). A
// separate thread ends the process after --shutdown-timeout (see start_log()), whatever the process is doing then. A
// second signal ends it at once. The flag is global, because signal handlers are. Commands that do not call this
// function are ended by the signal itself, because they have nothing to finish.
const std::atomic<StopSignal>& watch_signals();
// Returns the exit code for the received signal.
ExitCode stopped_by(const std::atomic<StopSignal>& stop);

// While an object exists, a signal ends the process at once, because there is nothing to report yet. Create it after
// watch_signals().
class ImmediateExitOnSignal {
 public:
  // `before`: what was not read yet, for example "the lists". The text must outlive this object.
  explicit ImmediateExitOnSignal(const char* before);
  ~ImmediateExitOnSignal();
  ImmediateExitOnSignal(const ImmediateExitOnSignal&) = delete;
  ImmediateExitOnSignal& operator=(const ImmediateExitOnSignal&) = delete;
};

// Raises the soft limit of open files to the hard limit. Sockets and the files of the store need more than the usual
// 1,024.
void raise_file_limit();

// Applies --shutdown-timeout, and sets up the default logger: to stderr and, unfiltered, to `log_file`. Throws
// std::runtime_error if that file cannot be opened, and CLI::ValidationError if it is inside a store. A later write
// error, such as a full disk, is reported once.
void start_log(const CommonOptions& options);

}  // namespace linkherd::crawler
