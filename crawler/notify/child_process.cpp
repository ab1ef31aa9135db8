#include "crawler/notify/child_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace linkherd::crawler {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using storage::FileDescriptor;

namespace {

[[noreturn]] void fail(const char* action) { throw std::system_error(errno, std::generic_category(), action); }

}  // namespace

std::vector<std::string> child_environment() {
  std::vector<std::string> all;
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view text = *one;
    const std::string_view name = text.substr(0, text.find('='));
    const bool is_secret = name == github_token_variable || name == webhook_secret_variable || name == broker_variable;
    if (!is_secret) all.emplace_back(text);
  }
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

FileDescriptor file_in_memory(const char* name, std::string_view bytes) {
  FileDescriptor file(memfd_create(name, MFD_CLOEXEC));
  if (!file.is_open()) fail("memfd_create");
  while (!bytes.empty()) {
    const ssize_t written = write(file.number(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail("write");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  lseek(file.number(), 0, SEEK_SET);
  return file;
}

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe");
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

void read_parts(int pipe_end, steady_clock::time_point deadline,
                const std::function<bool(std::string_view part)>& visit) {
  constexpr std::int64_t max_wait = 100;
  std::string part(4096, '\0');
  while (true) {
    const std::int64_t left = std::chrono::duration_cast<milliseconds>(deadline - steady_clock::now()).count();
    if (left <= 0) return;
    pollfd waiting{.fd = pipe_end, .events = POLLIN, .revents = 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::min(left, max_wait)));
    if (ready < 0 && errno != EINTR) return;
    if (ready <= 0) {
      if (!visit({})) return;
      continue;
    }
    const ssize_t length = read(pipe_end, part.data(), part.size());
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0 || !visit(std::string_view(part).substr(0, static_cast<std::size_t>(length)))) return;
  }
}

ChildProcess::~ChildProcess() {
  if (reaped_) return;
  kill(-number_, SIGKILL);
  kill(number_, SIGKILL);
  reap(0);
}

bool ChildProcess::ends_by(steady_clock::time_point deadline) {
  constexpr milliseconds poll_interval{1};
  while (!reap(WNOHANG)) {
    if (steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(poll_interval);
  }
  return true;
}

bool ChildProcess::ended_well() const { return reaped_ && WIFEXITED(status_) && WEXITSTATUS(status_) == 0; }

bool ChildProcess::reap(int flags) {
  pid_t ended = 0;
  do {
    ended = waitpid(number_, &status_, flags);
  } while (ended < 0 && errno == EINTR);
  if (ended < 0) status_ = -1;  // no longer a child of this process
  reaped_ = ended != 0;
  return reaped_;
}

}  // namespace linkherd::crawler
