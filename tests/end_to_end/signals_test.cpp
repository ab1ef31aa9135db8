// Tests that one SIGTERM or SIGINT ends every command in every phase: a table of commands and phases, each of which
// would take an hour by itself. A signal before any result exists ends the command immediately; a later signal makes it
// write the report first.
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/raw_server.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

using Words = std::vector<std::string>;

constexpr std::array<int, 2> stop_signals{SIGTERM, SIGINT};

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

bool wait_until(const std::function<bool()>& is_reached) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!is_reached()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

// A named pipe of 4 KiB. The test holds the other end.
class NamedPipe {
 public:
  NamedPipe(const TempDir& folder, const std::string& name) {
    const std::string path = (folder / name).string();
    if (::mkfifo(path.c_str(), 0600) != 0) throw std::runtime_error("mkfifo");
    descriptor_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);  // opens both ends, so that neither blocks
    if (descriptor_ < 0 || ::fcntl(descriptor_, F_SETPIPE_SZ, size) < 0) throw std::runtime_error("open");
  }
  ~NamedPipe() { ::close(descriptor_); }
  NamedPipe(const NamedPipe&) = delete;
  NamedPipe& operator=(const NamedPipe&) = delete;

  void write(const std::string& text) const {
    if (::write(descriptor_, text.data(), text.size()) < 0) throw std::runtime_error("write");
  }
  bool is_empty() const { return waiting() == 0; }
  bool is_full() const { return waiting() > size / 2; }  // a write that does not fit blocks

 private:
  static constexpr int size = 4096;
  int waiting() const {
    int bytes = 0;
    ::ioctl(descriptor_, FIONREAD, &bytes);
    return bytes;
  }
  int descriptor_ = -1;
};

// Starts the program through a shell that redirects its output and then becomes the program.
RunningProgram start_with(const TempDir& folder, const std::string& redirection, const Words& words) {
  return RunningProgram(
      "/bin/sh",
      linkherd_options(folder.path(), Words{"-c", "exec \"$0\" \"$@\" " + redirection, LINKHERD_PROGRAM} + words));
}

// Returns the number of bytes that the program has read from files and pipes, including the page cache.
std::uint64_t bytes_read_by(const RunningProgram& program) {
  std::ifstream in(fmt::format("/proc/{}/io", program.pid()));
  std::string name;
  std::uint64_t bytes = 0;
  in >> name >> bytes;
  return bytes;
}

struct Stopped {
  ProgramResult result;
  std::chrono::milliseconds took{};
};

Stopped stop_when(RunningProgram program, int signal_number, const std::function<bool(RunningProgram&)>& is_reached) {
  const bool reached = wait_until([&] { return is_reached(program) || !program.running(); });
  CHECK(reached);
  const auto asked = std::chrono::steady_clock::now();
  program.signal(signal_number);
  Stopped stopped{program.wait(), {}};
  stopped.took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - asked);
  CAPTURE(stopped.result.err);
  CHECK_FALSE(stopped.result.has_timed_out);
  CHECK(stopped.took < std::chrono::seconds(
                           30));  // the limit is 5 s; the rest allows for a busy machine, and wait() takes up to 120 s
  const bool is_by_contract = stopped.result.exit_code == 128 + signal_number || stopped.result.signal == signal_number;
  CHECK(is_by_contract);
  return stopped;
}

// Hosts that never respond, and one host that does.
struct Scene {
  TempDir folder;
  SmallInternet internet;

  Scene() {
    Page silent;
    silent.delivery = Delivery::silence;
    internet.host("silent.herd").default_page(silent);
    internet.host("127.0.0.1").default_page(silent);
    internet.host("alive.herd").default_page(html_page("<title>A page</title><p>With words of its own.</p>"));
    internet.host("gone.herd").default_page(status_page(404));
    internet.host("busy.herd").default_page(status_page(429, {{"Retry-After", "240"}}));
    internet.host("broken.herd").default_page(status_page(503));
    folder.write("silent.md", "[a](https://silent.herd/) [b](https://alive.herd/)\n");
    for (const char* const name : {"gone", "busy", "broken", "alive"})
      folder.write(std::string(name) + ".md", fmt::format("[a](https://{}.herd/)\n", name));
  }
  Words check(const Words& more) const {
    return check_arguments(internet, Words{"--timeout", "1h", "--connect-timeout", "1h", "--no-store", "--site-apis",
                                           "off", "--format", "jsonl"} +
                                         more);
  }
  bool is_asked(const std::string& host) const { return !internet.requests(host).empty(); }
};

}  // namespace

TEST_CASE("a signal ends a command at once while it reads its lists") {
  for (const int signal_number : stop_signals) {
    Scene scene;
    NamedPipe input(scene.folder, "input");
    const auto has_read_input = [&input](RunningProgram&) { return input.is_empty(); };
    for (const Words& words : {scene.check({"-"}), Words{"links", "-"}, Words{"links", "--files-from", "-"},
                               scene.check({"--files-from", "-"})}) {
      CAPTURE(words.front());
      CAPTURE(words.back());
      input.write("- [a](https://alive.herd/)\n");
      const Stopped stopped = stop_when(start_with(scene.folder, "<input", words), signal_number, has_read_input);
      if (words.front() == "check") CHECK(holds(stopped.result.err, "interrupted before the documents were read"));
    }
    CAPTURE(signal_number);
    stop_when(start_linkherd(scene.folder.path(), scene.check({"https://silent.herd/list.md"})), signal_number,
              [&scene](RunningProgram&) { return scene.is_asked("silent.herd"); });
  }
}

TEST_CASE("a signal ends a check of large inputs while they are read or soon after") {
  Scene scene;
  std::string list;
  for (int i = 0; list.size() < std::size_t{20} << 20; ++i)
    list += fmt::format("- [page {}](https://silent.herd/{})\n", i, i);
  scene.folder.write("large.md", list);
  for (int i = 0; i < 2000; ++i)
    scene.folder.write(fmt::format("folder/{}/{}.md", i % 50, i), list.substr(0, std::size_t{8} << 10));
  constexpr std::uint64_t some = std::uint64_t{2} << 20;
  for (const char* const input : {"large.md", "folder"}) {
    CAPTURE(input);
    stop_when(start_linkherd(scene.folder.path(), scene.check({"--shutdown-timeout", "2s", input})), SIGTERM,
              [](RunningProgram& program) { return bytes_read_by(program) > some; });
  }
}

TEST_CASE("a signal ends a waiting check and the report is written") {
  struct Phase {
    const char* list;
    Words words;
  };
  const std::vector<Phase> phases{
      {"silent", {}},                           // a transfer is in flight
      {"gone", {"--confirm-wait", "1h"}},       // the confirmation of a dead link
      {"busy", {"--max-retry-after", "250s"}},  // a host that requested a pause
      {"broken", {"--retry-wait-time", "250s", "--max-retries", "3"}},
      {"silent", {"--store", "store"}},
  };
  for (const int signal_number : stop_signals) {
    for (const Phase& phase : phases) {
      CAPTURE(signal_number);
      CAPTURE(phase.list);
      Scene scene;
      Words words = scene.check(phase.words + Words{"--shutdown-timeout", "1m", fmt::format("{}.md", phase.list)});
      if (!phase.words.empty() && phase.words.front() == "--store") std::erase(words, "--no-store");
      const Stopped stopped =
          stop_when(start_linkherd(scene.folder.path(), words), signal_number,
                    [&](RunningProgram&) { return scene.is_asked(fmt::format("{}.herd", phase.list)); });
      CHECK(stopped.result.exit_code == 128 + signal_number);
      CHECK(holds(stopped.result.out, fmt::format("https://{}.herd/", phase.list)));
      CHECK(holds(last_line(stopped.result.err), "interrupted: the report covers the finished links"));
    }
  }
}

TEST_CASE("a signal ends a check while a webhook receiver hangs") {
  for (const char* const receiver : {"--notify", "--webhook"}) {
    CAPTURE(receiver);
    Scene scene;
    const bool is_program = std::string_view(receiver) == "--notify";
    const Words to = is_program
                         ? Words{"--notify", "sh -c 'echo $$ > started; exec sleep 3600'"}
                         : Words{"--webhook", fmt::format("http://127.0.0.1:{}/hook", scene.internet.http_port())};
    Words words = scene.check(Words{"--store", "store", "--changes-only", "--shutdown-timeout", "1m", "gone.md"} + to);
    std::erase(words, "--no-store");
    const Stopped stopped = stop_when(start_linkherd(scene.folder.path(), words), SIGTERM, [&](RunningProgram&) {
      return is_program
                 ? std::filesystem::exists(scene.folder / "started") && !read_file(scene.folder / "started").empty()
                 : scene.is_asked("127.0.0.1");
    });
    CHECK(stopped.result.exit_code == 143);
    CHECK(holds(stopped.result.out, "https://gone.herd/"));
    if (!is_program) continue;
    const int child = std::stoi(read_file(scene.folder / "started"));
    CHECK(wait_until([child] { return ::kill(child, 0) != 0; }));
  }
}

TEST_CASE("a signal ends fix before it changes a list") {
  Scene scene;
  Words words = scene.check({"--shutdown-timeout", "1m", "silent.md"});
  words.front() = "fix";
  for (const Words& pair : {Words{"--format", "jsonl"}}) {
    const auto at = std::ranges::search(words, pair).begin();
    words.erase(at, at + 2);
  }
  const std::string before = read_file(scene.folder / "silent.md");
  const Stopped stopped = stop_when(start_linkherd(scene.folder.path(), words), SIGTERM,
                                    [&](RunningProgram&) { return scene.is_asked("silent.herd"); });
  CHECK(stopped.result.exit_code == 143);
  CHECK(holds(stopped.result.err, "no file was changed"));
  CHECK(read_file(scene.folder / "silent.md") == before);
}

TEST_CASE("a signal ends every command that waits for a store or for a reader of its output") {
  Scene scene;
  std::string list;
  for (int i = 0; i < 300; ++i) list += fmt::format("- [page](https://alive.herd/{})\n", i);
  scene.folder.write("many.md", list);
  Words filling = scene.check({"--store", "store", "many.md"});
  std::erase(filling, "--no-store");
  REQUIRE(run_linkherd(scene.folder.path(), filling).exit_code == 0);
  {
    int number = 0;
    for (const Words& words :
         {Words{"report", "--store", "store", "--format", "jsonl"}, Words{"export", "--store", "store"},
          Words{"links", "--format", "jsonl", "many.md"}, Words{"completions", "bash"}, Words{"rules"}, Words{"schema"},
          Words{"check", "--help-all"}, scene.check({"--shutdown-timeout", "1s", "--offline", "many.md", "--all"})}) {
      CAPTURE(words.front());
      const std::string name = fmt::format("output{}", ++number);
      const NamedPipe output(scene.folder, name);
      stop_when(start_with(scene.folder, ">" + name, words), SIGTERM,
                [&output](RunningProgram&) { return output.is_full(); });
    }
  }
  Words holding = scene.check({"--store", "store", "--max-cache-age", "0s", "silent.md"});
  std::erase(holding, "--no-store");
  RunningProgram holder = start_linkherd(scene.folder.path(), holding);
  REQUIRE(wait_until([&scene] { return scene.is_asked("silent.herd"); }));
  std::filesystem::create_directories(scene.folder / "copies");
  for (const Words& words : {Words{"store", "compact"}, Words{"store", "forget", "https://alive.herd/1"}}) {
    CAPTURE(words.front());
    stop_when(start_linkherd(scene.folder.path(), words + Words{"--store", "store", "--wait-lock", "1h"}), SIGTERM,
              [](RunningProgram& program) { return holds(program.stderr_so_far(), "waiting for the lock"); });
  }
  Words waiting = scene.check({"--store", "store", "--wait-lock", "1h", "alive.md"});
  std::erase(waiting, "--no-store");
  const Stopped stopped = stop_when(start_linkherd(scene.folder.path(), waiting), SIGINT, [](RunningProgram& program) {
    return holds(program.stderr_so_far(), "waiting for the lock");
  });
  CHECK(holds(stopped.result.err, "interrupted before the documents were read"));
}

TEST_CASE("a signal ends every command whose broker does not answer") {
  const RawServer broker([](ServerConnection& client) { client.wait_for_end(); });
  Scene scene;
  const std::string address = fmt::format("amqp://me:secret@127.0.0.1:{}", broker.port());
  int connections = 0;
  for (const Words& words : {scene.check({"alive.md"}), Words{"broker", "worker"}, Words{"broker", "plan", "alive.md"},
                             Words{"broker", "collect"}, Words{"broker", "status"}}) {
    CAPTURE(words.front());
    const Words more = words == Words{"broker", "status"} ? Words{"--broker", address}
                                                          : Words{"--broker", address, "--shutdown-timeout", "1s"};
    stop_when(start_linkherd(scene.folder.path(), words + more), SIGTERM,
              [&](RunningProgram&) { return broker.connections() > connections; });
    connections = broker.connections();
  }
}

TEST_CASE("a second signal ends a command that is ending") {
  Scene scene;
  RunningProgram program =
      start_linkherd(scene.folder.path(), scene.check({"--shutdown-timeout", "1h", "-v", "silent.md"}));
  REQUIRE(wait_until([&scene] { return scene.is_asked("silent.herd"); }));
  program.signal(SIGTERM);
  program.signal(SIGTERM);
  CHECK(program.wait().exit_code == 143);
}

// LINKHERD_MEASURE=1 (ctest -L long --verbose) prints the durations of the phases that the time limit ends.
TEST_CASE("the time from a signal to the end" * doctest::skip(std::getenv("LINKHERD_MEASURE") == nullptr)) {
  Scene scene;
  NamedPipe output(scene.folder, "output");
  std::string list;
  for (int i = 0; i < 300; ++i) list += fmt::format("- [page](https://alive.herd/{})\n", i);
  scene.folder.write("many.md", list);
  const RawServer broker([](ServerConnection& client) { client.wait_for_end(); });
  const std::string address = fmt::format("amqp://me:secret@127.0.0.1:{}", broker.port());
  const auto print = [](const char* phase, const Stopped& stopped) {
    std::cout << fmt::format("{:40} {:6} ms\n", phase, stopped.took.count());
  };
  print("check: transfers in flight",
        stop_when(start_linkherd(scene.folder.path(), scene.check({"silent.md"})), SIGTERM,
                  [&](RunningProgram&) { return scene.is_asked("silent.herd"); }));
  print("check: nobody reads the report",
        stop_when(start_with(scene.folder, ">output", scene.check({"--offline", "--all", "many.md"})), SIGTERM,
                  [&output](RunningProgram&) { return output.is_full(); }));
  print("worker: a broker that does not answer",
        stop_when(start_linkherd(scene.folder.path(), Words{"broker", "worker", "--broker", address}), SIGTERM,
                  [&](RunningProgram&) { return broker.connections() > 0; }));
}
