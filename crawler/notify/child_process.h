// Runs other programs: input from memory, and bounded waits for their output and their end.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "storage/file_descriptor.h"

namespace linkherd::crawler {

// The environment variables from which linkherd reads secrets.
inline constexpr const char* github_token_variable = "GITHUB_TOKEN";
inline constexpr const char* webhook_secret_variable = "LINKHERD_WEBHOOK_SECRET";
inline constexpr const char* broker_variable = "LINKHERD_BROKER";  // an address with a password

// Returns the environment for a child process ("NAME=value"). It omits the secrets, which no child needs.
std::vector<std::string> child_environment();

// Returns pointers in the form that posix_spawn() expects; it does not change the texts. Valid as long as `texts`.
std::vector<char*> pointers_to(std::vector<std::string>& texts);

// Creates an in-memory file, so that the other process can read at its own speed and no pipe fills up. Throws
// std::system_error.
storage::FileDescriptor file_in_memory(const char* name, std::string_view bytes);

struct Pipe {
  storage::FileDescriptor reading;
  storage::FileDescriptor writing;
};
Pipe make_pipe();  // throws std::system_error

// Reads until the end of the output, the deadline, or a `visit` that returns false. Calls `visit` at least ten times a
// second, with an empty part if nothing was read.
void read_parts(int pipe_end, std::chrono::steady_clock::time_point deadline,
                const std::function<bool(std::string_view part)>& visit);

// A child process that leads its own process group. The destructor kills the group if the child is still running, and
// always reaps the child.
class ChildProcess {
 public:
  explicit ChildProcess(pid_t number) : number_(number) {}
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Returns true if the child has ended by `deadline`. The end of its output alone does not guarantee that.
  bool ends_by(std::chrono::steady_clock::time_point deadline);
  bool ended_well() const;
  int status() const { return status_; }  // as set by waitpid(); valid after the end of the child

 private:
  bool reap(int flags);

  pid_t number_;
  int status_ = 0;
  bool reaped_ = false;
};

}  // namespace linkherd::crawler
