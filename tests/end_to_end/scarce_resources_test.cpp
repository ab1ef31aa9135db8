// Tests machines that lack a resource: the program names the resource, never loses output silently, and never aborts.
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>

#include <doctest/doctest.h>

#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

// Runs a shell script in which $0 is linkherd.
ProgramResult run_shell(const std::filesystem::path& folder, const std::string& script) {
  return run_program("/bin/sh", linkherd_options(folder, {"-c", script, LINKHERD_PROGRAM}));
}

// Removes the lines that the allocator prints when an allocation fails.
std::string without_tcmalloc(const std::string& text) {
  std::istringstream lines(text);
  std::string own;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("tcmalloc: allocation failed") == std::string::npos) own += line + '\n';
  }
  return own;
}

// Returns the peak memory of a program in MB. A peak in its last moment may be missed.
double peak_of(RunningProgram& program) {
  constexpr std::string_view field = "VmHWM:";
  double peak = 0;
  while (program.running()) {
    std::ifstream status("/proc/" + std::to_string(program.pid()) + "/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with(field)) peak = std::strtod(line.c_str() + field.size(), nullptr) / 1000;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return peak;
}

void write_lists(const TempDir& folder) {
  folder.write("list.md", "[one](http://127.0.0.1:9/)\n");
  folder.write("page.html", "<title>A page</title>");
}

// Returns true if the limit leaves enough room for the libraries and their allocations before main().
bool starts_within(const TempDir& folder, int kilobytes) {
  const std::string limit = "ulimit -v " + std::to_string(kilobytes);
  return run_shell(folder.path(), limit + " && exec \"$0\" --version").exit_code == 0;
}

}  // namespace

TEST_CASE("unwritable output is reported and exits with 1") {
  const TempDir folder;
  write_lists(folder);
  for (const char* words : {"links list.md", "url https://good.herd/", "metadata page.html", "check --no-store list.md",
                            "check --no-store --format json list.md", "--help", "--version"}) {
    for (const char* where : {" > /dev/full", " >&-"}) {
      CAPTURE(words);
      CAPTURE(where);
      const ProgramResult result = run_shell(folder.path(), "exec \"$0\" " + std::string(words) + where);
      CHECK(result.exit_code == 1);
      CHECK(count_lines(result.err) == 1);
      CHECK(result.err.find("standard output") != std::string::npos);
    }
  }
}

TEST_CASE("closed standard streams write nothing but the run into the store") {
  const TempDir folder;
  write_lists(folder);
  CHECK(run_shell(folder.path(), "exec \"$0\" check --store store list.md <&- >&- 2>&-").exit_code == 1);
  for (const auto& entry : std::filesystem::directory_iterator(folder / "store/db")) {
    CAPTURE(entry.path().string());
    const std::string bytes = read_file(entry.path());
    for (const char* headline : {"No broken links", "needs attention", "All links are fine"})
      CHECK(bytes.find(headline) == std::string::npos);
  }
  CHECK(run_linkherd(folder.path(), {"report", "--store", "store"}).exit_code == 0);
}

// Under a sanitizer, the run-time checks need descriptors and far more address space.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool checks_need_the_machine = true;
#else
constexpr bool checks_need_the_machine = false;
#endif

TEST_CASE("a machine without free descriptors is a one-line error" * doctest::skip(checks_need_the_machine)) {
  const TempDir folder;
  write_lists(folder);
  bool ran = false;
  for (int files = 6; files <= 64 && !ran; ++files) {
    CAPTURE(files);
    const std::string script = "ulimit -n " + std::to_string(files) + " && exec \"$0\" check --no-store list.md";
    const ProgramResult result = run_shell(folder.path(), script);
    ran = result.exit_code == 0;
    if (ran) break;
    CHECK(result.exit_code == 1);
    CHECK(count_lines(result.err) == 1);
    CHECK(result.err.find("ulimit -n") != std::string::npos);
  }
  CHECK(ran);
}

TEST_CASE("a machine without room for another thread is a one-line error" * doctest::skip(checks_need_the_machine)) {
  const TempDir folder;
  write_lists(folder);
  bool refused = false;
  for (int kilobytes = 100'000; kilobytes <= 600'000; kilobytes += 50'000) {
    CAPTURE(kilobytes);
    if (!starts_within(folder, kilobytes)) continue;
    const std::string limit = "ulimit -v " + std::to_string(kilobytes);
    const ProgramResult result = run_shell(folder.path(), limit + " && exec \"$0\" check --no-store -T 64 list.md");
    CAPTURE(result.err);
    REQUIRE(result.signal == 0);
    if (result.exit_code == 0) break;
    CHECK(count_lines(without_tcmalloc(result.err)) == 1);
    refused = refused || result.err.find("thread") != std::string::npos;
  }
  CHECK(refused);
  CHECK(run_shell(folder.path(), "ulimit -v 300000 && exec \"$0\" check --store store list.md").signal == 0);
}

TEST_CASE("very many links of a host that is down take little memory even without a store" *
          doctest::skip(checks_need_the_machine)) {
  constexpr int links = 150'000;
  const TempDir folder;
  std::string list;
  for (int i = 0; i < links; ++i) list += "[x](http://127.0.0.1:9/articles/" + std::to_string(i) + ")\n";
  folder.write("list.md", list);
  RunningProgram program = start_linkherd(
      folder.path(), {"check", "--allow-private", "--retry-wait-time", "100ms", "--no-store", "list.md"});
  const double peak = peak_of(program);
  CHECK(peak > 0);
  CHECK(peak < 250);
  CHECK(program.wait().exit_code == 0);  // the links of an unresponsive host are deferred
}

TEST_CASE("no room for the resolver thread ends the run cleanly" * doctest::skip(checks_need_the_machine)) {
  const TempDir folder;
  folder.write("list.md", "[one](http://localhost:9/)\n");
  const auto check_within = [&folder](int kilobytes) {
    return run_shell(folder.path(), "ulimit -v " + std::to_string(kilobytes) +
                                        " && exec \"$0\" check --no-store --allow-private --resolver system "
                                        "--max-retries 0 -T 1 list.md");
  };
  int enough = 100'000;
  for (bool ran = false; !ran; enough += 50'000) {
    REQUIRE(enough < 2'000'000);
    if (!starts_within(folder, enough)) continue;
    const ProgramResult result = check_within(enough);
    REQUIRE(result.signal == 0);
    ran = result.exit_code == 0;
  }
  for (int kilobytes = enough - 100'000; kilobytes < enough - 50'000; kilobytes += 4'000) {
    CAPTURE(kilobytes);
    if (!starts_within(folder, kilobytes)) continue;
    const ProgramResult result = check_within(kilobytes);
    CAPTURE(result.err);
    REQUIRE(result.signal == 0);
    if (result.exit_code != 0) CHECK(result.exit_code == 1);
  }
}
