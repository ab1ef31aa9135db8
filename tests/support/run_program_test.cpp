// Tests the input, the output and the end of a child program.
#include "tests/support/run_program.h"

#include <csignal>
#include <system_error>

#include <doctest/doctest.h>

#include "tests/support/temp_dir.h"

namespace linkherd::tests {
namespace {

ProgramOptions shell(const std::string& script) {
  ProgramOptions options;
  options.arguments = {"-c", script};
  return options;
}

}  // namespace

TEST_CASE("output and exit status of a program are separate") {
  const ProgramResult result = run_program("/bin/sh", shell("echo out; echo err >&2; exit 3"));
  CHECK(result.exit_code == 3);
  CHECK(result.signal == 0);
  CHECK(result.out == "out\n");
  CHECK(result.err == "err\n");
  CHECK_FALSE(result.has_timed_out);
}

TEST_CASE("a program gets stdin and environment and folder") {
  const TempDir folder;
  ProgramOptions options = shell("cat; printf %s \"$HERD_TEST\"; pwd");
  options.stdin_text = "in ";
  options.environment["HERD_TEST"] = "value ";
  options.working_directory = folder.path();
  CHECK(run_program("/bin/sh", options).out == "in value " + std::filesystem::canonical(folder.path()).string() + "\n");
}

TEST_CASE("much output does not block the program") {
  const ProgramResult result = run_program("/bin/sh", shell("head -c 3000000 /dev/zero"));
  CHECK(result.exit_code == 0);
  CHECK(result.out.size() == 3'000'000);
}

TEST_CASE("a program that does not end is killed at its deadline") {
  ProgramOptions options = shell("exec sleep 600");
  options.deadline = std::chrono::milliseconds(200);
  const ProgramResult result = run_program("/bin/sh", options);
  CHECK(result.has_timed_out);
  CHECK(result.exit_code == -1);
  CHECK(result.signal == SIGKILL);
}

TEST_CASE("a running program gets signals") {
  RunningProgram program("/bin/sh", shell("trap 'echo caught; exit 9' TERM; echo ready; while :; do sleep 0.05; done"));
  while (program.running() && program.stdout_so_far().empty()) {
  }
  program.signal(SIGTERM);
  const ProgramResult result = program.wait();
  CHECK(result.exit_code == 9);
  CHECK(result.out == "ready\ncaught\n");
}

TEST_CASE("a missing program is an error") { CHECK_THROWS_AS(run_program("/no/such/program", {}), std::system_error); }

TEST_CASE("a temporary folder is removed with its object") {
  std::filesystem::path path;
  {
    const TempDir folder;
    path = folder.path();
    folder.write("below/file.txt", std::string_view("a\0b", 3));
    CHECK(read_file(folder / "below/file.txt").size() == 3);
  }
  CHECK_FALSE(std::filesystem::exists(path));
}

}  // namespace linkherd::tests
