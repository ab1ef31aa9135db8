#include "crawler/commands/metadata_pdf.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string>
#include <system_error>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "parser/metadata/pdf.h"
#include "storage/record_json.h"

namespace linkherd::crawler {
namespace {

constexpr rlim_t max_cpu_seconds = 2;
constexpr rlim_t max_more_memory = rlim_t{96} << 20;
constexpr std::chrono::seconds max_wait{20};  // of the clock, on a busy machine
constexpr std::size_t max_answer = std::size_t{1} << 20;

// The bytes of writable memory that the process holds now: the limit counts them as well.
rlim_t data_bytes() {
  std::ifstream file("/proc/self/statm");
  unsigned long value = 0;
  for (int field = 0; field < 6; ++field) file >> value;
  return static_cast<rlim_t>(value) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

void limit(int resource, rlim_t value) {
  const rlimit limits{value, value};
  if (setrlimit(static_cast<__rlimit_resource_t>(resource), &limits) != 0) _exit(1);
}

// In the child: it only reads memory, writes its answer into the pipe and ends.
[[noreturn]] void answer(std::string_view bytes, Timestamp now, rlim_t memory, int pipe_end) {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, max_cpu_seconds);
  limit(RLIMIT_DATA, memory + max_more_memory);
  try {
    const std::string text = boost::json::serialize(storage::to_json(parser::pdf_metadata(bytes, now)));
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t written = write(pipe_end, text.data() + at, text.size() - at);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) _exit(1);
      at += static_cast<std::size_t>(written);
    }
  } catch (const std::bad_alloc&) {
    _exit(1);
  }
  _exit(0);
}

// What the child writes until it ends; a child that takes too long is ended.
std::string read_all(int pipe_end, pid_t child) {
  using namespace std::chrono;
  const auto deadline = steady_clock::now() + max_wait;
  std::string text;
  std::string part(4096, '\0');
  while (text.size() < max_answer) {
    const auto left = duration_cast<milliseconds>(deadline - steady_clock::now()).count();
    pollfd waiting{.fd = pipe_end, .events = POLLIN, .revents = 0};
    const int ready = left > 0 ? poll(&waiting, 1, static_cast<int>(left)) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      kill(child, SIGKILL);
      break;
    }
    const ssize_t length = read(pipe_end, part.data(), part.size());
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) break;
    text.append(part, 0, static_cast<std::size_t>(length));
  }
  return text;
}

bool ended_well(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

parser::Metadata read_pdf_metadata(std::string_view bytes, Timestamp now) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  const rlim_t memory = data_bytes();
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) answer(bytes, now, memory, ends[1]);
  close(ends[1]);
  const std::string text = read_all(ends[0], child);
  close(ends[0]);
  if (!ended_well(child)) return {};
  boost::json::error_code error;
  const boost::json::value json = boost::json::parse(text, error);
  if (error) return {};
  const auto metadata = storage::metadata_from_json(json);
  return metadata.has_value() ? *metadata : parser::Metadata();
}

}  // namespace linkherd::crawler
