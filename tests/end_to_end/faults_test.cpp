// Tests system failures during a run: a stopped server, few file descriptors, a full disk, a clock that jumps.
#include <chrono>
#include <csignal>
#include <thread>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/fault_mix.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

// A server in a separate process, so that it can be suspended.
class Process {
 public:
  Process() : program_(LINKHERD_FAULT_SERVER, {}) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!program_.stdout_so_far().ends_with('\n') && program_.running() &&
           std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    port_ = static_cast<std::uint16_t>(std::stoul(program_.stdout_so_far()));
  }
  std::uint16_t port() const { return port_; }
  void stop() { program_.signal(SIGSTOP); }
  void go_on() { program_.signal(SIGCONT); }

 private:
  RunningProgram program_;
  std::uint16_t port_ = 0;
};

std::vector<std::string> words_for(const std::vector<std::string>& more) {
  std::vector<std::string> words{"check",
                                 "--allow-private",
                                 "--host-request-interval",
                                 "1ms",
                                 "--confirm-wait",
                                 "100ms",
                                 "--retry-wait-time",
                                 "200ms",
                                 "--format",
                                 "jsonl"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::string sound_links(std::uint16_t port, std::size_t count) {
  std::string list;
  for (std::size_t i = 0; i < count; ++i) {
    list += "[x](http://127.9." + std::to_string(i / 250) + '.' + std::to_string(1 + i % 250) + ':' +
            std::to_string(port) + "/ok/" + std::to_string(i) + ")\n";
  }
  return list;
}

std::size_t count_alive(const std::vector<CheckedLine>& lines) {
  return static_cast<std::size_t>(std::ranges::count(lines, "alive", &CheckedLine::health));
}

// `script` is a shell script in which "$@" is the command line.
ProgramResult run_limited(const TempDir& folder, const std::string& script, const std::vector<std::string>& words) {
  std::vector<std::string> all{"-c", script, "sh", LINKHERD_PROGRAM};
  all.insert(all.end(), words.begin(), words.end());
  return run_program("/bin/sh", linkherd_options(folder.path(), all));
}

}  // namespace

TEST_CASE("a stopped server is unreachable alone and alive after it continues") {
  const TempDir folder;
  Process stopped;
  const FaultServer healthy;
  const std::string frozen = "http://127.0.0.1:" + std::to_string(stopped.port()) + "/ok/1";
  folder.write("list.md", "[x](" + frozen + ")\n" + sound_links(healthy.port(), 50));
  const std::vector<std::string> words =
      words_for({"--timeout", "2s", "--max-retries", "1", "--store", "store", "--strikes", "1", "list.md"});
  stopped.stop();
  const std::vector<CheckedLine> first = checked_lines(run_linkherd(folder.path(), words).out);
  CHECK(first.size() == 51);
  CHECK(line_of(first, frozen).health != "alive");
  CHECK(line_of(first, frozen).reason == "timeout");
  CHECK(count_alive(first) == 50);
  stopped.go_on();
  const ProgramResult second = run_linkherd(folder.path(), words);
  CHECK(second.exit_code == 0);
  CHECK(count_alive(checked_lines(second.out)) == 51);
}

TEST_CASE("a server that stops briefly within a run costs a retry") {
  const TempDir folder;
  Process server;
  folder.write("list.md", sound_links(server.port(), 20));
  server.stop();
  RunningProgram run =
      start_linkherd(folder.path(), words_for({"--timeout", "1s", "--max-retries", "9", "--no-store", "list.md"}));
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  server.go_on();
  CHECK(count_alive(checked_lines(run.wait().out)) == 20);
}

TEST_CASE("a run that is suspended beyond its timeout repeats the requests in flight") {
  const TempDir folder;
  SmallInternet internet;
  constexpr int hosts = 12;
  Page silence;
  silence.delivery = Delivery::silence;
  std::string list;
  for (int i = 0; i < hosts; ++i) {
    const std::string host = "host" + std::to_string(i) + ".herd";
    // Only the second request gets a response, because every first request has timed out by then.
    internet.host(host).pages("/", {silence, html_page("<title>x</title>")});
    list += "[x](https://" + host + "/)\n";
  }
  folder.write("list.md", list);
  RunningProgram run =
      start_linkherd(folder.path(), check_arguments(internet, {"--timeout", "10s", "--max-retries", "0", "--no-store",
                                                               "--format", "jsonl", "list.md"}));
  REQUIRE(internet.wait_for_requests(hosts, std::chrono::seconds(60)));
  run.signal(SIGSTOP);
  std::this_thread::sleep_for(std::chrono::seconds(25));
  run.signal(SIGCONT);
  const ProgramResult result = run.wait();
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  CHECK(count_alive(checked_lines(result.out)) == hosts);
  CHECK(internet.requests().size() == 2 * hosts);
}

// Under a sanitizer the run-time checks themselves need descriptors.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool checks_need_descriptors = true;
#else
constexpr bool checks_need_descriptors = false;
#endif

TEST_CASE("64 descriptors suffice for any number of hosts" * doctest::skip(checks_need_descriptors)) {
  const TempDir folder;
  const FaultServer server;
  folder.write("list.md", sound_links(server.port(), 400));
  const ProgramResult result =
      run_limited(folder, "ulimit -n 64 && exec \"$@\"", words_for({"--store", "store", "list.md"}));
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  CHECK(count_alive(checked_lines(result.out)) == 400);
}

TEST_CASE("a full disk ends the run with a report and the next run continues") {
  const TempDir folder;
  const FaultServer server;
  // One host that gets at most a thousand requests per second.
  constexpr std::size_t links = 3000;
  std::string list;
  for (std::size_t i = 0; i < links; ++i) list += fmt::format("[x](http://127.9.0.1:{}/ok/{})\n", server.port(), i);
  folder.write("list.md", list);
  const std::vector<std::string> words = words_for({"--store", "store", "list.md"});
  // ulimit counts blocks of 512 bytes, and writing beyond the limit fails as on a full disk. The data of the first
  // second fits; the data of the next two does not. The report goes through a pipe.
  const ProgramResult full = run_limited(
      folder, R"(mkfifo out && { cat out & } && (ulimit -f 2700; "$@" >out); code=$?; wait; exit $code)", words);
  CAPTURE(full.err);
  CHECK(full.signal == 0);
  CHECK(full.exit_code == 1);
  CHECK(count_lines(full.err) == 1);
  CHECK(full.err.find("store") != std::string::npos);
  const std::vector<CheckedLine> known = checked_lines(full.out);
  CHECK(known.size() == links);
  CHECK(count_alive(known) > 0);
  CHECK(static_cast<std::size_t>(std::ranges::count(known, "interrupted", &CheckedLine::reason)) ==
        links - count_alive(known));
  const ProgramResult again = run_linkherd(folder.path(), words);
  CAPTURE(again.err);
  CHECK(again.exit_code == 0);
  const std::vector<CheckedLine> lines = checked_lines(again.out);
  CHECK(lines.size() == links);
  CHECK(count_alive(lines) == links);
}

TEST_CASE("a small full disk loses nothing and the run continues with more room") {
  const TempDir folder;
  if (run_limited(folder, "exec unshare -Urm true", {}).exit_code != 0)
    return;  // only with these rights a file system can be mounted
  const FaultServer server;
  folder.write("list.md", sound_links(server.port(), 2000));
  const ProgramResult result = run_limited(
      folder,
      R"(mkdir disk && unshare -Urm /bin/sh -c 'mount -t tmpfs -o size=1m tmpfs disk || exit 9; "$@" >first; echo "code $?" >&2; mv report.json first.json
         mount -o remount,size=200m disk && "$@" >second' "$0" "$@")",
      words_for({"--store", "disk/store", "--output", "jsonl:-", "--output", "json:report.json", "list.md"}));
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(result.err.find("the disk is full") != std::string::npos);
  CHECK(result.err.find("\ncode 1\n") != std::string::npos);
  const std::vector<CheckedLine> first = checked_lines(read_file(folder / "first"));
  CHECK(first.size() == 2000);
  CHECK(static_cast<std::size_t>(std::ranges::count(first, "interrupted", &CheckedLine::reason)) ==
        2000 - count_alive(first));
  const boost::json::value report = boost::json::parse(read_file(folder / "first.json"));
  CHECK(report.at("outcome").at("exit_code") == 1);
  CHECK(result.err.find(report.at("outcome").at("why").as_string().c_str()) != std::string::npos);
  CHECK(report.at("summary").at("alive") == count_alive(first));
  CHECK(report.at("summary").at("deferred") == 2000 - count_alive(first));
  CHECK(count_alive(checked_lines(read_file(folder / "second"))) == 2000);
}

TEST_CASE("a full disk before the store opens loses the store and not the report") {
  const TempDir folder;
  const FaultServer server;
  folder.write("list.md", sound_links(server.port(), 4));
  const std::vector<std::string> words = words_for({"--store", "store", "list.md"});
  std::string ending = "\nlinkherd: nothing broken, but nothing was stored: the store cannot be written\ncode 1\n";
  const auto check_reported = [&] {
    // No file can grow. The output goes through pipes.
    const ProgramResult full =
        run_limited(folder, R"({ { ulimit -f 0; "$@"; echo "code $?" >&2; } 2>&1 >&3 | cat >&2; } 3>&1 | cat)", words);
    CAPTURE(full.err);
    CHECK(full.err.ends_with(ending));
    CHECK(full.err.find(": the run continues as with --no-store\n") != std::string::npos);
    CHECK(count_lines(full.err) == 3);
    CHECK(count_alive(checked_lines(full.out)) == 4);
  };
  check_reported();  // a new store
  CHECK(run_linkherd(folder.path(), words).exit_code == 0);
  check_reported();
  CHECK(run_linkherd(folder.path(), words).exit_code == 0);
  // The broken link is reported first, because it is more important.
  folder.write("list.md", sound_links(server.port(), 4) + "- [none](none.md)\n");
  ending = "\nlinkherd: 1 broken link\ncode 2\n";
  check_reported();
}

TEST_CASE("an unwritable log is reported once and the run continues") {
  const TempDir folder;
  const FaultServer server;
  folder.write(".linkherdignore", "# nothing\n");  // the log says that the file was read
  folder.write("list.md", sound_links(server.port(), 20));
  const ProgramResult result =
      run_linkherd(folder.path(), words_for({"-v", "--no-store", "--log-file", "/dev/full", "list.md"}));
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  CHECK(result.signal == 0);
  CHECK(count_alive(checked_lines(result.out)) == 20);
  const std::string said = "linkherd: cannot write the log file /dev/full";
  const std::size_t first = result.err.find(said);
  CHECK(first != std::string::npos);
  CHECK(result.err.find(said, first + 1) == std::string::npos);
  CHECK(result.err.find("LOG ERROR") == std::string::npos);
}

TEST_CASE("a closed output pipe ends the program as it ends other programs") {
  const TempDir folder;
  std::string list;
  for (int i = 0; i < 20'000; ++i) list += "[x](gone" + std::to_string(i) + ".md)\n";
  folder.write("list.md", list);
  // Both with the default action of SIGPIPE and with SIGPIPE ignored, as by some callers.
  for (const std::string before : {"", "trap '' PIPE; "}) {
    for (const std::string command : {"check --no-store --format jsonl", "links", "links --format json"}) {
      CAPTURE(before + command);
      const ProgramResult result =
          run_limited(folder, before + "{ \"$1\" " + command + " list.md; echo \"code $?\" >&2; } | head -c 10", {});
      CHECK(result.err.ends_with("code 141\n"));
      CHECK(result.err.find("terminate") == std::string::npos);
    }
  }
}

TEST_CASE("a clock that was set back makes no old verdict fresh and no wait long") {
  const TempDir folder;
  SmallInternet internet;
  internet.host("good.herd").page("/", html_page("<title>One</title>"));
  internet.host("busy.herd").pages("/", {status_page(429, {{"Retry-After", "7200"}}), html_page("<title>Two</title>")});
  folder.write("list.md", "[good](https://good.herd/)\n[busy](https://busy.herd/)\n");
  const auto check_at = [&](const std::string& now) {
    return checked_lines(run_linkherd(folder.path(), check_arguments(internet, {"--now", now, "--store", "store",
                                                                                "--format", "jsonl", "list.md"}))
                             .out);
  };
  const std::vector<CheckedLine> early = check_at("2031-01-01T00:00:00Z");
  CHECK(line_of(early, "https://good.herd/").health == "alive");
  CHECK(line_of(early, "https://busy.herd/").health == "blocked");
  const std::vector<CheckedLine> back = check_at("2026-01-01T00:00:00Z");
  CHECK(line_of(back, "https://good.herd/").health == "alive");
  CHECK_FALSE(line_of(back, "https://good.herd/").is_from_store);
  // The host's Retry-After date in 2031 counts for at most a week.
  CHECK(line_of(back, "https://busy.herd/").health == "deferred");
  CHECK(line_of(check_at("2026-01-08T00:01:00Z"), "https://busy.herd/").health == "alive");
}
