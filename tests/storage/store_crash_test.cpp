// A writer that is killed, a second writer, a full disk: what was acknowledged stays, and each says in one line what is
// wrong.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include <doctest/doctest.h>

#include "storage/store.h"
#include "tests/storage/samples.h"
#include "tests/support/run_program.h"
#include "tests/support/temp_dir.h"

namespace linkherd::storage {
namespace {

using tests::RunningProgram;
using tests::TempDir;

RunningProgram start_writer(const std::filesystem::path& store, std::uint64_t first,
                            std::vector<std::string> more = {}) {
  tests::ProgramOptions options;
  options.arguments = {store.string(), std::to_string(first)};
  options.arguments.insert(options.arguments.end(), more.begin(), more.end());
  return {LINKHERD_STORE_WRITER, options};
}

// Waits until the writer has said so many lines.
void wait_for_lines(RunningProgram& writer, std::size_t lines) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < deadline && writer.running()) {
    const std::string output = writer.output_so_far();
    if (static_cast<std::size_t>(std::ranges::count(output, '\n')) >= lines) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::vector<std::uint64_t> acknowledged(const std::string& output) {
  std::vector<std::uint64_t> numbers;
  std::istringstream lines(output.substr(0, output.rfind('\n') + 1));
  std::string line;
  std::getline(lines, line);  // "run 1"
  while (std::getline(lines, line)) numbers.push_back(std::stoull(line));
  return numbers;
}

TEST_CASE("A killed writer loses nothing that was acknowledged") {
  const TempDir dir;
  std::mt19937 random(11);
  std::set<std::uint64_t> promised;
  for (std::uint64_t round = 0; round < 6; ++round) {
    RunningProgram writer = start_writer(dir / "store", round * 1'000'000);
    wait_for_lines(writer, std::uniform_int_distribution<std::size_t>(1, 250)(random));
    writer.signal(SIGKILL);
    const tests::ProgramResult result = writer.wait();
    REQUIRE_MESSAGE(result.signal == SIGKILL, result.err);
    CHECK(result.out.starts_with("run 1\n"));  // resumed each time
    for (const std::uint64_t number : acknowledged(result.out)) promised.insert(number);

    const auto store = Store::open(dir / "store");
    const Run run = store->latest_run().value();
    CHECK(run.state == RunState::open);
    for (const std::uint64_t number : promised) {
      const CheckedLink expected = sample_link(number);
      REQUIRE(store->link(expected.entry.id) == expected.record);
      REQUIRE(store->run_entry(run, expected.entry.id) == expected.entry);
      REQUIRE(store->history(expected.entry.id, 2).size() == 1);
      REQUIRE((store->body(expected.record.snapshot.body_digest) == sample_body(number)));
    }
    // Nothing half: every entry that made it has its record, its body and its history.
    std::size_t finished = 0;
    store->for_each_link(run, [&](const CheckedLink& link) {
      ++finished;
      CHECK(link.entry.finished);
      CHECK_FALSE(link.record.snapshot.body_digest.empty());
      return true;
    });
    CHECK(finished >= promised.size());
  }
  CHECK(promised.size() >= 6);
}

TEST_CASE("A second writer gets one line that says who has the store") {
  const TempDir dir;
  const auto check_locked = [&] {
    try {
      Store::open(dir / "store");
      FAIL("two writers");
    } catch (const StoreError& error) {
      const std::string message = error.what();
      CHECK(message.starts_with("store " + (dir / "store").string() + " is in use by another linkherd"));
      CHECK(message.find('\n') == std::string::npos);
    }
  };
  SUBCASE("in another process") {
    RunningProgram writer = start_writer(dir / "store", 0, {"1"});
    wait_for_lines(writer, 2);
    check_locked();
    writer.signal(SIGKILL);
    writer.wait();
    Store::open(dir / "store");  // a killed writer leaves no lock
  }
  SUBCASE("in this process") {
    const auto writer = Store::open(dir / "store");
    check_locked();
    const auto run = writer->begin_run("goes on", {}, sample_time(0));
    CHECK(writer->latest_run() == run);
  }
}

}  // namespace
}  // namespace linkherd::storage
