#include "tests/support/run_program.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace linkherd::tests {
namespace {

void check(bool worked, int error, const std::string& what) {
  if (!worked) throw std::system_error(error, std::generic_category(), what);
}

// A file in memory. Unlike a pipe, it never becomes full, so a child never blocks on output.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name, const std::string& text = {}) : descriptor_(memfd_create(name, MFD_CLOEXEC)) {
    check(descriptor_ >= 0, errno, "memfd_create");
    check(write(descriptor_, text.data(), text.size()) == static_cast<ssize_t>(text.size()), errno, "write");
    check(lseek(descriptor_, 0, SEEK_SET) == 0, errno, "lseek");
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int descriptor() const { return descriptor_; }

  std::string contents() const {
    std::string text;
    std::array<char, 65536> block{};
    for (;;) {
      const ssize_t count = pread(descriptor_, block.data(), block.size(), static_cast<off_t>(text.size()));
      check(count >= 0, errno, "pread");
      if (count == 0) return text;
      text.append(block.data(), static_cast<std::size_t>(count));
    }
  }

 private:
  int descriptor_;
};

// Returns the environment of the test with some variables replaced, in the form for posix_spawn.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& changes) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string variable = *entry;
    if (!changes.contains(variable.substr(0, variable.find('=')))) all.push_back(variable);
  }
  for (const auto& [name, value] : changes) all.push_back(std::string(name).append("=").append(value));
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

struct RunningProgram::Impl {
  explicit Impl(const ProgramOptions& options)
      : in("stdin", options.stdin_text), deadline(started + options.deadline) {}
  ~Impl() {
    if (!ended) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void start(const std::filesystem::path& program, const ProgramOptions& options) {
    std::vector<std::string> words{program.string()};
    words.insert(words.end(), options.arguments.begin(), options.arguments.end());
    std::vector<std::string> environment = environment_with(options.environment);
    posix_spawn_file_actions_t actions{};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in.descriptor(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out.descriptor(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err.descriptor(), STDERR_FILENO);
    // Otherwise the child would keep the sockets of the test open after the test has closed them.
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    if (!options.working_directory.empty()) {
      posix_spawn_file_actions_addchdir_np(&actions, options.working_directory.c_str());
    }
    const int error = posix_spawn(&pid, program.c_str(), &actions, nullptr, pointers_to(words).data(),
                                  pointers_to(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    ended = error != 0;
    check(error == 0, error, "cannot start " + program.string());
  }

  // The peak memory of wait4() includes that of the test process from which the child was forked.
  void note_memory() {
    std::ifstream in("/proc/" + std::to_string(pid) + "/status");
    for (std::string line; std::getline(in, line);) {
      if (!line.starts_with("VmHWM:")) continue;
      const auto kib = static_cast<std::size_t>(std::strtoull(line.c_str() + std::size("VmHWM:") - 1, nullptr, 10));
      result.max_memory_kib = std::max(result.max_memory_kib, kib);
    }
  }

  // Records the end of the program if it has ended.
  void look() {
    int status = 0;
    rusage used{};
    note_memory();
    if (ended || wait4(pid, &status, WNOHANG, &used) != pid) return;
    ended = true;
    result.elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - started);
    for (const timeval& time : {used.ru_utime, used.ru_stime})
      result.cpu += std::chrono::milliseconds(time.tv_sec * 1000 + time.tv_usec / 1000);
    if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  }

  MemoryFile in;
  MemoryFile out{"stdout"};
  MemoryFile err{"stderr"};
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point deadline;
  pid_t pid = -1;
  bool ended = true;
  ProgramResult result;
};

RunningProgram::RunningProgram(const std::filesystem::path& program, const ProgramOptions& options)
    : impl_(std::make_unique<Impl>(options)) {
  impl_->start(program, options);
}
RunningProgram::~RunningProgram() = default;
RunningProgram::RunningProgram(RunningProgram&&) noexcept = default;

int RunningProgram::pid() const { return impl_->pid; }

void RunningProgram::signal(int number) {
  if (running()) kill(impl_->pid, number);
}

bool RunningProgram::running() {
  impl_->look();
  return !impl_->ended;
}

std::string RunningProgram::stdout_so_far() const { return impl_->out.contents(); }
std::string RunningProgram::stderr_so_far() const { return impl_->err.contents(); }

ProgramResult RunningProgram::wait() {
  while (running()) {
    if (std::chrono::steady_clock::now() > impl_->deadline) {
      impl_->result.has_timed_out = true;
      kill(impl_->pid, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  impl_->result.out = impl_->out.contents();
  impl_->result.err = impl_->err.contents();
  return impl_->result;
}

ProgramResult run_program(const std::filesystem::path& program, const ProgramOptions& options) {
  return RunningProgram(program, options).wait();
}

}  // namespace linkherd::tests
