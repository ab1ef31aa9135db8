// Tests runs that are killed, interrupted or terminated. No finished result may be lost or repeated.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

constexpr int quick_links = 20;
constexpr int slow_links = 4;

// Some pages respond at once, and others only when the test allows it. The latter are in flight when the run ends.
struct HalfSlowSite {
  TempDir folder;
  SmallInternet internet;
  std::vector<std::string> words;

  HalfSlowSite() {
    std::string list;
    for (int i = 0; i < quick_links; ++i) {
      list += "- [quick](https://quick" + std::to_string(i) + ".herd/)\n";
      internet.host("quick" + std::to_string(i) + ".herd").default_page(page("quick"));
    }
    for (int i = 0; i < slow_links; ++i) {
      list += "- [slow](https://slow" + std::to_string(i) + ".herd/)\n";
      internet.host("slow" + std::to_string(i) + ".herd").default_page(never_answering());
    }
    folder.write("list.md", list);
    words = check_arguments(internet, {"--timeout", "100s", "--connect-timeout", "100s", "--store", "store", "--format",
                                       "jsonl", "-vv", "list.md"});
  }

  static Page page(const std::string& title) {
    Page page = html_page("<title>" + title + "</title><h1>" + title + "</h1>");
    page.headers.emplace_back("ETag", "\"1\"");
    return page;
  }
  static Page never_answering() {
    Page page;
    page.delivery = Delivery::silence;
    return page;
  }
  void wake_up() {
    for (int i = 0; i < slow_links; ++i) internet.host("slow" + std::to_string(i) + ".herd").default_page(page("slow"));
  }
  bool all_were_asked() const { return internet.wait_for_requests(quick_links + slow_links, std::chrono::seconds(60)); }
  std::map<std::string, std::size_t> unconditional_requests() const {
    std::map<std::string, std::size_t> times;
    for (const ReceivedRequest& request : internet.requests()) {
      if (request.header("If-None-Match").empty()) ++times[request.host];
    }
    return times;
  }
};

std::size_t count_health(const std::vector<CheckedLine>& lines, const std::string& health) {
  std::size_t count = 0;
  for (const CheckedLine& line : lines) count += line.health == health ? 1U : 0U;
  return count;
}

std::string list_of(const std::string& host, std::size_t links) {
  std::string list;
  for (std::size_t i = 0; i < links; ++i) list += "- [page](https://" + host + "/" + std::to_string(i) + ")\n";
  return list;
}

std::size_t count_stored(const RunningProgram& program, const std::string& health) {
  std::istringstream log(program.stderr_so_far());
  std::size_t count = 0;
  for (std::string line; std::getline(log, line);) {
    if (line.find("stored: ") != std::string::npos && line.find(' ' + health + ' ') != std::string::npos) ++count;
  }
  return count;
}

// Waits until a run with -vv has stored `links` alive links. Returns false after two minutes.
bool wait_until_stored(const RunningProgram& program, std::size_t links) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (count_stored(program, "alive") < links) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

bool is_pending(const RunningProgram& program, int signal_number) {
  std::ifstream status("/proc/" + std::to_string(program.pid()) + "/status");
  for (std::string line; std::getline(status, line);) {
    constexpr std::size_t name_length = sizeof("ShdPnd:") - 1;
    if (!line.starts_with("ShdPnd:") && !line.starts_with("SigPnd:")) continue;
    if ((std::stoull(line.substr(name_length), nullptr, 16) >> (signal_number - 1) & 1U) != 0) return true;
  }
  return false;
}

// Waits until the program has received the signal. Returns false after a minute.
bool wait_until_received(const RunningProgram& program, int signal_number) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (is_pending(program, signal_number)) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

void check_stopped_by(int signal_number, int exit_code) {
  HalfSlowSite site;
  RunningProgram program = start_linkherd(site.folder.path(), site.words);
  REQUIRE(site.all_were_asked());
  const auto asked_to_stop = std::chrono::steady_clock::now();
  program.signal(signal_number);
  const ProgramResult result = program.wait();
  CAPTURE(result.err);
  CHECK(result.exit_code == exit_code);
  // The grace period is 5 s. The rest allows for a slow machine.
  CHECK(std::chrono::steady_clock::now() - asked_to_stop < std::chrono::seconds(30));
  const std::vector<CheckedLine> lines = checked_lines(result.out);
  CHECK(lines.size() == quick_links + slow_links);
  CHECK(count_health(lines, "alive") == quick_links);
  CHECK(count_health(lines, "deferred") == slow_links);
  CHECK(line_of(lines, "https://slow0.herd/").reason == "interrupted");
  CHECK(last_line(result.err).find("interrupted") != std::string::npos);

  site.wake_up();
  site.internet.clear_requests();
  const ProgramResult resumed = run_linkherd(site.folder.path(), site.words);
  CHECK(resumed.exit_code == 0);
  CHECK(count_health(checked_lines(resumed.out), "alive") == quick_links + slow_links);
  CHECK(site.internet.requests().size() == slow_links);
}

}  // namespace

TEST_CASE("a killed run is resumed by the same command without refetching finished links") {
  HalfSlowSite site;
  RunningProgram program = start_linkherd(site.folder.path(), site.words);
  REQUIRE(site.all_were_asked());
  REQUIRE(wait_until_stored(program, quick_links));
  program.signal(SIGKILL);
  CHECK(program.wait().signal == SIGKILL);

  site.wake_up();
  const ProgramResult result = run_linkherd(site.folder.path(), site.words);
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  const std::vector<CheckedLine> lines = checked_lines(result.out);
  CHECK(lines.size() == quick_links + slow_links);
  CHECK(count_health(lines, "alive") == quick_links + slow_links);
  for (const CheckedLine& line : lines) CHECK_FALSE(line.harvest.title.empty());
  for (const auto& [host, times] : site.unconditional_requests()) {
    CAPTURE(host);
    CHECK(times == (host.starts_with("slow") ? 2 : 1));
  }
}

TEST_CASE("a report after each kill of a first run shows everything it found") {
  HalfSlowSite site;
  const auto run_and_kill = [&site](std::size_t requests, std::size_t alive) {
    RunningProgram program = start_linkherd(site.folder.path(), site.words);
    REQUIRE(site.internet.wait_for_requests(requests, std::chrono::seconds(60)));
    REQUIRE(wait_until_stored(program, alive));
    program.signal(SIGKILL);
    program.wait();
  };
  const auto check_report = [&site](std::size_t alive) {
    const ProgramResult report = run_linkherd(site.folder.path(), {"report", "--store", "store", "--format", "jsonl"});
    CAPTURE(report.err);
    CHECK(report.err.find("was interrupted: the report shows its results;") != std::string::npos);
    CHECK(count_health(checked_lines(report.out), "alive") == alive);
  };
  run_and_kill(quick_links + slow_links, quick_links);
  check_report(quick_links);
  site.internet.host("slow0.herd").default_page(HalfSlowSite::page("slow"));
  run_and_kill(quick_links + 2 * slow_links, 1);
  check_report(quick_links + 1);
  const ProgramResult history =
      run_linkherd(site.folder.path(), {"history", "--store", "store", "--format", "jsonl", "https://slow0.herd/"});
  CHECK(json_lines(history.out).size() == 1);
}

TEST_CASE("a repeatedly killed run loses nothing") {
  HalfSlowSite site;
  for (int round = 0; round < 4; ++round) {
    RunningProgram program = start_linkherd(site.folder.path(), site.words);
    site.internet.wait_for_requests(static_cast<std::size_t>(round + 1) * 5, std::chrono::seconds(20));
    program.signal(SIGKILL);
    program.wait();
  }
  site.wake_up();
  const ProgramResult result = run_linkherd(site.folder.path(), site.words);
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  CHECK(count_health(checked_lines(result.out), "alive") == quick_links + slow_links);
}

TEST_CASE("a run killed in the middle of a host continues with the rest of it") {
  constexpr std::size_t links = 120;
  const TempDir folder;
  SmallInternet internet;
  internet.host("many.herd").default_page(html_page("<title>One of many</title>"));
  folder.write("list.md", list_of("many.herd", links));
  std::vector<std::string> words =
      check_arguments(internet, {"--store", "store", "--format", "jsonl", "-vv", "list.md"});
  std::vector<std::string> slowly = words;
  std::ranges::replace(slowly, "1ms", "30ms");  // a polite interval, so that the run lasts long enough to be killed
  RunningProgram program = start_linkherd(folder.path(), slowly);
  REQUIRE(wait_until_stored(program, 40));
  program.signal(SIGKILL);
  CHECK(program.wait().signal == SIGKILL);
  const std::size_t stored = count_stored(program, "alive");
  const std::size_t asked = internet.requests().size();
  REQUIRE(stored < links);

  const ProgramResult second = run_linkherd(folder.path(), words);
  CHECK(second.exit_code == 0);
  const std::vector<CheckedLine> lines = checked_lines(second.out);
  CHECK(lines.size() == links);
  CHECK(count_health(lines, "alive") == links);
  // Requests of the killed run that the server may receive after they were counted.
  constexpr std::size_t in_flight = 6;
  CHECK(internet.requests().size() <= asked + in_flight + links - stored + 2);  // and a robots.txt and a soft-404 probe
}

TEST_CASE("a run that ends mostly pending can be reported from its store") {
  constexpr std::size_t links = 2000;
  const TempDir folder;
  SmallInternet internet;
  internet.host("many.herd").default_page(html_page("<title>One of many</title>"));
  folder.write("list.md", list_of("many.herd", links));
  std::vector<std::string> words = check_arguments(internet, {"--store", "store", "list.md"});
  std::ranges::replace(words, "1ms", "50ms");
  RunningProgram program = start_linkherd(folder.path(), words);
  REQUIRE(internet.wait_for_requests(20, std::chrono::seconds(60)));
  program.signal(SIGTERM);
  const ProgramResult result = program.wait();
  CHECK(result.exit_code == 143);
  CHECK(result.out.find("Broken") == std::string::npos);
  const ProgramResult report = run_linkherd(folder.path(), {"report", "--store", "store", "--format", "jsonl"});
  const std::vector<CheckedLine> lines = checked_lines(report.out);
  CHECK(lines.size() == links);
  CHECK(count_health(lines, "alive") >= 10);
  CHECK(count_health(lines, "alive") + count_health(lines, "deferred") == links);
}

TEST_CASE("an interrupted run reports its results and exits with 130" * doctest::test_suite("timing")) {
  check_stopped_by(SIGINT, 130);
}

TEST_CASE("a terminated run reports its results and exits with 143" * doctest::test_suite("timing")) {
  check_stopped_by(SIGTERM, 143);
}

TEST_CASE("a run whose terminal closes reports its results and exits with 129" * doctest::test_suite("timing")) {
  check_stopped_by(SIGHUP, 129);
}

TEST_CASE("a run under nohup survives the closed terminal and no run ends by SIGUSR1 or SIGUSR2") {
  HalfSlowSite site;
  // This is what nohup does, which would also redirect the output.
  std::vector<std::string> words{"-c", "trap '' HUP && exec \"$@\"", "sh", LINKHERD_PROGRAM};
  words.insert(words.end(), site.words.begin(), site.words.end());
  RunningProgram program("/bin/sh", linkherd_options(site.folder.path(), words));
  REQUIRE(site.all_were_asked());
  for (const int number : {SIGHUP, SIGUSR1, SIGUSR2}) program.signal(number);
  std::this_thread::sleep_for(std::chrono::seconds(1));  // a run that is cancelled would have reported it by then
  CHECK(program.running());
  program.signal(SIGTERM);
  const ProgramResult result = program.wait();
  CAPTURE(result.err);
  CHECK(result.exit_code == 143);
  CHECK(checked_lines(result.out).size() == quick_links + slow_links);
}

TEST_CASE("a second signal ends the program at once") {
  HalfSlowSite site;
  RunningProgram program = start_linkherd(site.folder.path(), site.words);
  REQUIRE(site.all_were_asked());
  program.signal(SIGINT);
  REQUIRE(wait_until_received(program, SIGINT));  // two pending signals would be merged
  program.signal(SIGINT);
  const ProgramResult result = program.wait();
  CHECK((result.exit_code == 130 || result.signal == SIGINT));
  CHECK(result.out.empty());
}
