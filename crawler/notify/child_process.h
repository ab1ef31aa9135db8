// What is needed to run another program: input from memory, bounded waits for its output and its end.
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

// Every environment variable that this program reads a secret from.
inline constexpr const char* github_token_variable = "GITHUB_TOKEN";
inline constexpr const char* webhook_secret_variable = "LINKHERD_WEBHOOK_SECRET";
inline constexpr const char* broker_variable = "LINKHERD_BROKER";  // an address with a password

// What a child process gets of this one's environment ("NAME=value"): all but the secrets, which no child needs.
std::vector<std::string> child_environment();

// As posix_spawn() wants them, which changes none of them; valid as long as the texts are.
std::vector<char*> pointers_to(std::vector<std::string>& texts);

// Creates a file in memory, so that the other process can read at its own speed and no pipe fills up. Throws
// std::system_error.
storage::FileDescriptor file_in_memory(const char* name, std::string_view bytes);

struct Pipe {
  storage::FileDescriptor reading;
  storage::FileDescriptor writing;
};
Pipe make_pipe();  // throws std::system_error

// Reads to the end of the output, until the deadline, or until `visit` returns false; it is called at least ten times a
// second, with an empty part where nothing came.
void read_parts(int pipe_end, std::chrono::steady_clock::time_point deadline,
                const std::function<bool(std::string_view part)>& visit);

// A child process that leads its own process group. The destructor kills the group if the child is running, and always
// reaps it.
class ChildProcess {
 public:
  explicit ChildProcess(pid_t number) : number_(number) {}
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Returns true if it has ended by then. The end of its output alone does not guarantee that.
  bool ends_by(std::chrono::steady_clock::time_point deadline);
  bool ended_well() const;
  int status() const { return status_; }  // as waitpid() has it; valid once it has ended

 private:
  bool reap(int flags);

  pid_t number_;
  int status_ = 0;
  bool reaped_ = false;
};

}  // namespace linkherd::crawler
