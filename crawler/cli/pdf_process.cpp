#include "crawler/cli/pdf_process.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <exception>
#include <fstream>
#include <istream>
#include <iterator>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/system/error_code.hpp>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <unistd.h>

#include "crawler/notify/child_process.h"
#include "parser/metadata/pdf.h"
#include "storage/file_descriptor.h"
#include "storage/record_json.h"

namespace linkherd::crawler {
namespace {

using std::chrono::steady_clock;
using storage::FileDescriptor;

constexpr const char* command_name = "read-pdf";
constexpr const char* own_program = "/proc/self/exe";
constexpr rlim_t max_cpu_seconds = 2;
constexpr rlim_t max_more_memory = rlim_t{96} << 20;
constexpr std::chrono::milliseconds max_wait{20'000};  // wall-clock time; sufficient on a busy machine
constexpr std::size_t max_answer = std::size_t{1} << 20;

[[noreturn]] void fail(const char* action) { throw std::system_error(errno, std::generic_category(), action); }

// Returns the bytes of writable memory in use, which count against the limit.
rlim_t data_bytes() {
  std::ifstream file("/proc/self/statm");
  unsigned long value = 0;
  for (int field = 0; field < 6; ++field) file >> value;
  return static_cast<rlim_t>(value) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

void limit(int resource, rlim_t value) {
  const rlimit limits{value, value};
  if (setrlimit(static_cast<__rlimit_resource_t>(resource), &limits) != 0) fail("setrlimit");
}

std::string line_of(const parser::PdfInfo& facts) {
  std::string text;
  storage::JsonWriter json(text);
  json.begin_object();
  json.member("metadata", facts.metadata);
  json.member("pages", static_cast<std::uint64_t>(facts.pages));
  json.end_object();
  return text + '\n';
}

// Writes one line, or two if a headline is searched. The last line has all facts.
void answer(Timestamp now, const Streams& streams) {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, max_cpu_seconds);
  const std::string bytes((std::istreambuf_iterator<char>(streams.in)), std::istreambuf_iterator<char>());
  limit(RLIMIT_DATA, data_bytes() + max_more_memory);
  const auto write = [&streams](const parser::PdfInfo& facts) { streams.out << line_of(facts) << std::flush; };
  write(parser::read_pdf(bytes, now, write));
}

// Returns nothing if the line is not one of line_of().
parser::PdfInfo read_line(std::string_view line) {
  boost::system::error_code error;
  const boost::json::value json = boost::json::parse(line, error);
  if (error || !json.is_object()) return {};
  const boost::json::value* const metadata = json.as_object().if_contains("metadata");
  const boost::json::value* const pages = json.as_object().if_contains("pages");
  if (metadata == nullptr || pages == nullptr || !pages->is_number()) return {};
  auto read = storage::metadata_from_json(*metadata);
  if (read.has_error()) return {};
  return {.metadata = std::move(*read), .pages = pages->to_number<std::size_t>(error)};
}

// Uses posix_spawn() instead of fork(): this process has threads, and the child would inherit locks that they hold.
pid_t start(const std::string& path, const FileDescriptor& input, const FileDescriptor& output, Timestamp now) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input.number(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, output.number(), STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  // A separate process group makes Ctrl-C reach only the parent, which then ends the run properly.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  std::string program = "linkherd";
  std::string command = command_name;
  std::string time = format_timestamp(now);
  const std::array<char*, 4> arguments{program.data(), command.data(), time.data(), nullptr};
  pid_t child = 0;
  std::vector<std::string> environment = child_environment();
  const int error =
      posix_spawn(&child, path.c_str(), &files, &attributes, arguments.data(), pointers_to(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw std::system_error(error, std::generic_category(), "cannot start the process that reads PDFs");
  return child;
}

}  // namespace

parser::PdfInfo read_pdf_in_subprocess(std::string_view bytes, Timestamp now) {
  return read_pdf_with(own_program, max_wait, bytes, now);
}

parser::PdfInfo read_pdf_with(const std::string& program, std::chrono::milliseconds timeout, std::string_view bytes,
                              Timestamp now) {
  const FileDescriptor input = file_in_memory("pdf", bytes);
  Pipe output = make_pipe();
  const auto deadline = steady_clock::now() + timeout;
  ChildProcess child(start(program, input, output.writing, now));
  output.writing.close();
  std::string text;
  read_parts(output.reading.number(), deadline, [&text](std::string_view part) {
    text += part;
    return text.size() < max_answer;
  });
  child.ends_by(deadline);  // otherwise, the destructor ends it
  // The facts count even if the search for a headline ended the process. A line that it did not finish does not.
  std::string_view lines = text;
  lines = lines.substr(0, lines.rfind('\n') + 1);
  if (lines.empty()) return {};
  lines.remove_suffix(1);
  return read_line(lines.substr(lines.rfind('\n') + 1));
}

bool is_pdf_process(int argc, const char* const* argv) {
  return argc == 3 && std::string_view(argv[1]) == command_name;
}

int run_pdf_process(const char* const* argv, const Streams& streams) {
  const Result<Timestamp> now = parse_timestamp(argv[2]);
  if (now.has_error()) return static_cast<int>(ExitCode::bad_usage);
  try {
    answer(*now, streams);
  } catch (const std::exception&) {  // for example the memory limit; the parent treats it as no response
    return static_cast<int>(ExitCode::could_not_run);
  }
  return static_cast<int>(streams.out.fail() ? ExitCode::could_not_run : ExitCode::ok);
}

}  // namespace linkherd::crawler
