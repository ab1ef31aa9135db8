#include "crawler/cli/process.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <new>
#include <ostream>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <semaphore.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <unistd.h>

#include "crawler/cli/options/store_location.h"
#include "crawler/cli/progress_line.h"
#include "reports/escape.h"

extern "C" void MallocExtension_ReleaseFreeMemory() __attribute__((weak));  // of tcmalloc; null if it is not linked

namespace linkherd::crawler {
namespace {

std::atomic<StopSignal> stop_signal{StopSignal::none};
static_assert(std::atomic<StopSignal>::is_always_lock_free, "set in a signal handler");
sem_t signal_came;                         // posted by the signal handler
std::atomic<const char*> unread{nullptr};  // text of the current ImmediateExitOnSignal
std::atomic<Duration> shutdown_timeout{std::chrono::seconds(5)};

extern "C" void on_stop_signal(int number) {
  const StopSignal signal = number == SIGINT   ? StopSignal::interrupt
                            : number == SIGHUP ? StopSignal::hangup
                                               : StopSignal::terminate;
  if (stop_signal.exchange(signal) != StopSignal::none) _exit(128 + number);
  const int before = errno;
  sem_post(&signal_came);
  errno = before;
}

// Ends the process like a kill: the store has everything written so far, and no destructor runs.
[[noreturn]] void end_process(const std::string& why) {
  const std::string line = "linkherd: " + why + "\n";
  const auto written = write(STDERR_FILENO, line.data(), line.size());
  static_cast<void>(written);
  _exit(static_cast<int>(stopped_by(stop_signal)));
}

[[noreturn]] void end_before(const char* unread_input) {
  end_process(fmt::format("interrupted before {} were read", unread_input));
}

// Runs in a thread of its own, because the main thread may read, compute or write for any length of time.
void wait_for_signal() {
  while (sem_wait(&signal_came) != 0) {
  }
  if (const char* const unread_input = unread.load()) end_before(unread_input);
  constexpr Duration last_moment = std::chrono::milliseconds(100);  // reserved for ending the process
  const Duration timeout = shutdown_timeout.load();
  std::this_thread::sleep_for(timeout > 2 * last_moment ? timeout - last_moment : timeout);
  end_process("interrupted: linkherd did not finish within --shutdown-timeout, so the report is incomplete");
}

// Returns true if the signal is ignored. nohup starts its program with SIGHUP ignored, and that must not change.
bool is_ignored(int number) {
  struct sigaction action {};
  return sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

// Formats the message of a log line. It is always a single line without passwords, whatever a server sent.
class EscapedMessage final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm& /*time*/, spdlog::memory_buf_t& line) override {
    const std::string text = reports::escape_message({message.payload.data(), message.payload.size()});
    line.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<EscapedMessage>(); }
};

// Starts a log line on an empty line of the terminal.
class LineStart final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& /*message*/, const std::tm& /*time*/,
              spdlog::memory_buf_t& line) override {
    const std::string_view start = line_start_beside_progress();
    line.append(start.data(), start.data() + start.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<LineStart>(); }
};

// Formats the time of a log line in UTC, by the clock of the run, which --now shifts.
class RunTime final : public spdlog::custom_flag_formatter {
 public:
  explicit RunTime(Duration ahead) : ahead_(ahead) {}
  void format(const spdlog::details::log_msg& message, const std::tm& /*time*/, spdlog::memory_buf_t& line) override {
    constexpr std::size_t seconds_width = sizeof("2026-03-05T10:20:00") - 1;
    const auto time = std::chrono::floor<std::chrono::milliseconds>(message.time + ahead_);
    const auto second = std::chrono::floor<std::chrono::seconds>(time);
    const std::string text = fmt::format(
        "{}.{:03}Z", format_timestamp(std::chrono::time_point_cast<Duration>(second)).substr(0, seconds_width),
        (time - second).count());
    line.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<RunTime>(ahead_); }

 private:
  Duration ahead_;
};

// Sets a pattern of spdlog with additional flags: %* for the message, %> for an empty line, and %@ for the time.
// `ahead`: how much that time is ahead of the system clock.
void set_line_format(spdlog::sinks::sink& sink, const std::string& pattern, Duration ahead = {}) {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<EscapedMessage>('*').add_flag<LineStart>('>').add_flag<RunTime>('@', ahead).set_pattern(pattern);
  sink.set_formatter(std::move(formatter));
}

}  // namespace

std::string environment_variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets the environment
  return value == nullptr ? "" : value;
}

void open_standard_descriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(number, F_GETFD) != -1 || errno != EBADF) continue;
    // open() returns the lowest free number, which is this one. The opposite access mode makes every read or write
    // fail.
    if (open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY) != number) return;
  }
}

void turn_output_signals_into_errors(std::ostream& out) {
  struct sigaction action {};
  action.sa_handler = SIG_IGN;
  sigemptyset(&action.sa_mask);
  sigaction(SIGPIPE, &action, nullptr);
  sigaction(SIGXFSZ, &action, nullptr);
  out.exceptions(std::ios::badbit);
}

void release_freed_memory() {
  if (MallocExtension_ReleaseFreeMemory != nullptr) MallocExtension_ReleaseFreeMemory();
}

void install_out_of_memory_handler() {
  std::set_terminate([] {
    try {
      if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
      constexpr std::string_view words =
          "linkherd: out of memory: raise the limit (ulimit -v), or use fewer --threads\n";
      const auto written = write(STDERR_FILENO, words.data(), words.size());
      std::_Exit(written < 0 ? EXIT_FAILURE : static_cast<int>(ExitCode::could_not_run));
    } catch (...) {  // NOLINT(bugprone-empty-catch): a programming error, left for the debugger
    }
    std::abort();
  });
}

void ignore_user_signals() {
  struct sigaction action {};
  action.sa_handler = SIG_IGN;
  sigemptyset(&action.sa_mask);
  sigaction(SIGUSR1, &action, nullptr);
  sigaction(SIGUSR2, &action, nullptr);
}

ExitCode stopped_by(const std::atomic<StopSignal>& stop) {
  switch (stop.load()) {
    case StopSignal::interrupt: return ExitCode::interrupted;
    case StopSignal::hangup: return ExitCode::hung_up;
    default: return ExitCode::terminated;
  }
}

ImmediateExitOnSignal::ImmediateExitOnSignal(const char* before) {
  unread = before;
  if (stop_signal.load() != StopSignal::none) end_before(before);
}

ImmediateExitOnSignal::~ImmediateExitOnSignal() { unread = nullptr; }

const std::atomic<StopSignal>& watch_signals() {
  static std::once_flag begun;
  std::call_once(begun, [] {
    sem_init(&signal_came, 0, 0);
    std::thread(wait_for_signal).detach();
  });
  struct sigaction action {};
  action.sa_handler = on_stop_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  if (!is_ignored(SIGHUP)) sigaction(SIGHUP, &action, nullptr);
  return stop_signal;
}

void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
    spdlog::warn(fmt::format("cannot raise the limit of {} open files", before));
}

namespace {

// Rejects files for which spdlog would block on a pipe or create missing folders.
void refuse_log_file(const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::path folder = file.parent_path();
  if (std::filesystem::is_fifo(file, error) || (!folder.empty() && !std::filesystem::is_directory(folder, error))) {
    throw std::runtime_error("cannot write the log file " + file.string() +
                             ": choose a regular file in a folder that exists with --log-file");
  }
}

}  // namespace

void start_log(const CommonOptions& options) {
  shutdown_timeout = options.shutdown_timeout;
  refuse_unsafe_output({}, "--log-file", options.log_file);
  const auto level = options.quiet          ? spdlog::level::err
                     : options.verbose >= 2 ? spdlog::level::debug
                     : options.verbose == 1 ? spdlog::level::info
                                            : spdlog::level::warn;
  auto console = std::make_shared<spdlog::sinks::stderr_sink_mt>();  // required by the interface of spdlog
  console->set_level(level);
  set_line_format(*console, "%>linkherd: %l: %*");
  std::vector<spdlog::sink_ptr> sinks{console};
  auto min_level = level;
  if (!options.log_file.empty()) {
    refuse_log_file(options.log_file);
    try {
      sinks.push_back(std::make_shared<spdlog::sinks::basic_file_sink_mt>(options.log_file));
    } catch (const spdlog::spdlog_ex&) {
      throw std::runtime_error("cannot write the log file " + options.log_file + ": choose another with --log-file");
    }
    sinks.back()->set_level(spdlog::level::trace);
    const Timestamp now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
    set_line_format(*sinks.back(), "[%@] [%n] [%l] %*", options.now.value_or(now) - now);
    min_level = spdlog::level::trace;
  }
  auto logger = std::make_shared<spdlog::logger>("linkherd", sinks.begin(), sinks.end());
  logger->set_level(min_level);
  logger->set_error_handler([file = options.log_file](const std::string& /*what*/) {
    static std::once_flag said;
    std::call_once(said, [&file] {
      fmt::print(stderr, "linkherd: cannot write the log file {}: the rest of the log is lost\n",
                 reports::escape_for_terminal(file));
    });
  });
  logger->flush_on(spdlog::level::warn);
  spdlog::set_default_logger(std::move(logger));
  spdlog::trace(fmt::format("linkherd " LINKHERD_VERSION " begins, process {}", ::getpid()));
}

}  // namespace linkherd::crawler
