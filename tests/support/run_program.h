// Runs a program as a child of the test without a shell, captures its output, and limits every wait.
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
  std::map<std::string, std::string> environment;  // set on top of the test's own
  std::string stdin_text;
  std::filesystem::path working_directory;                       // empty: the test's own
  std::chrono::milliseconds deadline = std::chrono::minutes(2);  // then it is killed
};

struct ProgramResult {
  int exit_code = -1;          // -1: it did not exit by itself
  int signal = 0;              // what ended it, where it did not exit
  bool has_timed_out = false;  // killed at the deadline
  std::string out;
  std::string err;
  std::chrono::milliseconds elapsed{0};
  std::chrono::milliseconds cpu{0};  // of all its threads
  std::size_t max_memory_kib = 0;    // resident, as seen some milliseconds before its end
};

class RunningProgram {
 public:
  // Starts it. Throws std::system_error where that is not possible.
  RunningProgram(const std::filesystem::path& program, const ProgramOptions& options);
  ~RunningProgram();  // kills it if it still runs
  RunningProgram(RunningProgram&&) noexcept;
  RunningProgram& operator=(RunningProgram&&) = delete;

  int pid() const;
  void signal(int number);
  bool running();
  std::string output_so_far() const;
  std::string errors_so_far() const;
  ProgramResult wait();  // until it ends or its deadline comes

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

ProgramResult run_program(const std::filesystem::path& program, const ProgramOptions& options);

}  // namespace linkherd::tests
