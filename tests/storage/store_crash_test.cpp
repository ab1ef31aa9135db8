// Tests a writer that is killed or loses power or its disk, and a second writer: acknowledged data stays, and each gets
// a one-line error.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include <doctest/doctest.h>

#include "storage/link_history.h"
#include "storage/run_results.h"
#include "storage/store.h"
#include "storage/verification.h"
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

// Waits until the writer has written `lines` lines.
void wait_for_lines(RunningProgram& writer, std::size_t lines) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < deadline && writer.running()) {
    const std::string output = writer.stdout_so_far();
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

TEST_CASE("a killed writer loses nothing that was acknowledged") {
  const TempDir dir;
  std::mt19937 random(11);
  std::set<std::uint64_t> promised;
  for (std::uint64_t round = 0; round < 6; ++round) {
    RunningProgram writer = start_writer(dir / "store", round * 1'000'000);
    wait_for_lines(writer, std::uniform_int_distribution<std::size_t>(1, 250)(random));
    writer.signal(SIGKILL);
    const tests::ProgramResult result = writer.wait();
    REQUIRE_MESSAGE(result.signal == SIGKILL, result.err);
    CHECK(result.out.starts_with("run 1\n"));  // every run is resumed
    for (const std::uint64_t number : acknowledged(result.out)) promised.insert(number);

    const auto store = Store::open(dir / "store");
    const Run run = store->latest_run().value();
    CHECK(run.state == RunState::open);
    for (const std::uint64_t number : promised) {
      const CheckedLink expected = sample_link(number);
      REQUIRE(LinkHistory(*store).state(expected.result.id) == expected.state);
      REQUIRE(RunResults(*store, run).find(expected.result.id) == expected.result);
      REQUIRE(LinkHistory(*store).snapshots(expected.result.id, 2).size() == 1);
      REQUIRE((LinkHistory(*store).body(expected.state.snapshot.body_digest) == sample_body(number)));
    }
    // Every stored result is complete: it has its state, its body and its history.
    std::size_t finished = 0;
    RunResults(*store, run).for_each_link([&](const CheckedLink& link) {
      ++finished;
      CHECK(link.result.finished);
      CHECK_FALSE(link.state.snapshot.body_digest.empty());
      return true;
    });
    CHECK(finished >= promised.size());
  }
  CHECK(promised.size() >= 6);
}

// The output of a writer with a fault.
struct Said {
  std::vector<std::uint64_t> written;
  std::uint64_t synced = 0;  // all links up to this number are synced
};

Said words_of(const std::string& output) {
  constexpr std::string_view synced = "synced ";
  Said said;
  std::istringstream lines(output.substr(0, output.rfind('\n') + 1));
  std::string line;
  std::getline(lines, line);  // "run 1"
  while (std::getline(lines, line)) {
    if (line.starts_with(synced)) {
      said.synced = std::stoull(line.substr(synced.size()));
    } else {
      said.written.push_back(std::stoull(line));
    }
  }
  return said;
}

tests::ProgramResult run_with_fault(const std::filesystem::path& store, const std::string& fault,
                                    std::uint64_t milliseconds) {
  return start_writer(store, 0, {"0", fault, std::to_string(milliseconds)}).wait();
}

bool is_forgotten(std::uint64_t number) { return number % 60 == 29 || number % 60 == 30; }

// Every existing link is complete, and verify() finds no damage. Returns the missing links except forgotten ones.
std::set<std::uint64_t> missing_links(const std::filesystem::path& path, const Said& said) {
  const auto store = Store::open(path);
  for (const std::string& loss : store->losses()) FAIL_CHECK(loss);
  std::set<std::uint64_t> missing;
  for (std::uint64_t number = 0; number <= said.written.back(); ++number) {
    CAPTURE(number);
    const CheckedLink expected = sample_link(number);
    const std::optional<LinkState> state = LinkHistory(*store).state(expected.result.id);
    if (!state && !is_forgotten(number)) missing.insert(number);
    if (!state) continue;
    CHECK(state == expected.state);
    CHECK((LinkHistory(*store).body(expected.state.snapshot.body_digest) == sample_body(number)));
  }
  store->publish();
  const Verification found = verify(*store);
  for (const std::string& problem : found.problems) FAIL_CHECK(problem);
  return missing;
}

TEST_CASE("a power failure keeps all synced data and a consistent prefix of the rest") {
  std::mt19937 random(std::random_device{}());
  for (int round = 0; round < 6; ++round) {
    const TempDir dir;
    const std::uint64_t milliseconds = std::uniform_int_distribution<std::uint64_t>(5, 400)(random);
    CAPTURE(milliseconds);
    const tests::ProgramResult result = run_with_fault(dir / "store", "power", milliseconds);
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Said said = words_of(result.out);
    if (said.written.empty()) continue;
    const std::set<std::uint64_t> missing = missing_links(dir / "store", said);
    if (missing.empty()) continue;
    CHECK(*missing.begin() > said.synced);
    for (std::uint64_t number = *missing.begin(); number <= said.written.back(); ++number) {
      CHECK((missing.contains(number) || is_forgotten(number)));
    }
  }
}

TEST_CASE("a failing disk is an error each time and loses nothing that was acknowledged") {
  std::mt19937 random(std::random_device{}());
  for (const std::string fault : {"write", "read"}) {
    CAPTURE(fault);
    for (int round = 0; round < 3; ++round) {
      const TempDir dir;
      const std::uint64_t milliseconds = std::uniform_int_distribution<std::uint64_t>(50, 400)(random);
      CAPTURE(milliseconds);
      const tests::ProgramResult result = run_with_fault(dir / "store", fault, milliseconds);
      CAPTURE(result.err);
      if (words_of(result.out).written.empty()) continue;  // the machine was too slow to open the store
      REQUIRE(result.exit_code == 0);
      CHECK(result.err.starts_with("store " + (dir / "store").string() + " "));
      CHECK(std::ranges::count(result.err, '\n') == 50);
      const Said said = words_of(result.out);
      const std::set<std::uint64_t> missing = missing_links(dir / "store", said);
      for (const std::uint64_t number : said.written) CHECK_FALSE(missing.contains(number));
    }
  }
}

TEST_CASE("a second writer gets one line that names the owner of the store") {
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
