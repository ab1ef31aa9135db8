// Runs a program as a child process of the test. No shell is involved, the output is captured, and every wait has a
// deadline.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace linkherd::tests {

struct ProgramOptions {
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;  // added to the environment of the test
  std::string stdin_text;
  std::filesystem::path working_directory;                       // if empty, that of the test
  std::chrono::milliseconds deadline = std::chrono::minutes(2);  // the program is killed after it
};

struct ProgramResult {
  int exit_code = -1;          // -1 if a signal ended the program
  int signal = 0;              // the signal that ended the program, or 0
  bool has_timed_out = false;  // killed at the deadline
  std::string out;
  std::string err;
  std::chrono::milliseconds elapsed{0};
  std::chrono::milliseconds cpu{0};  // of all threads
  std::size_t max_memory_kib = 0;    // peak resident memory, sampled until a few milliseconds before the end
};

class RunningProgram {
 public:
  // Starts the program. Throws std::system_error on failure.
  RunningProgram(const std::filesystem::path& program, const ProgramOptions& options);
  ~RunningProgram();  // kills the program if it is still running
  RunningProgram(RunningProgram&&) noexcept;
  RunningProgram& operator=(RunningProgram&&) = delete;

  int pid() const;
  void signal(int number);
  bool running();
  std::string stdout_so_far() const;
  std::string stderr_so_far() const;
  ProgramResult wait();  // until the program ends or its deadline passes

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

ProgramResult run_program(const std::filesystem::path& program, const ProgramOptions& options);

}  // namespace linkherd::tests
