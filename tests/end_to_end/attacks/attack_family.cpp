#include "tests/end_to_end/attacks/attack_family.h"

#include <algorithm>
#include <iostream>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace linkherd::tests {
namespace {

// Far above the limits of docs/security.md, so that a busy machine fails no test, and far below the cost of a
// successful attack.
constexpr std::chrono::milliseconds max_cpu = std::chrono::minutes(1);
constexpr std::size_t max_memory_kib = std::size_t{2} << 20;
constexpr int bad_usage = 3;
constexpr int max_exit_code = 4;

double seconds(std::chrono::milliseconds time) { return static_cast<double>(time.count()) / 1000; }

}  // namespace

AttackFamily::~AttackFamily() {
  std::cout << fmt::format("| {:32} | {:6} | {:7.1f} | {:7.1f} | {:6} | {} |\n", name_, inputs_, seconds(worst_cpu_),
                           seconds(worst_wall_), worst_memory_kib_ >> 10U,
                           broken_.empty() ? "held" : "FAILED: " + broken_.front());
}

ProgramResult AttackFamily::run(const std::filesystem::path& folder, const std::vector<std::string>& words,
                                std::size_t inputs) {
  ProgramResult result = run_linkherd(folder, words);
  note(result, inputs);
  return result;
}

void AttackFamily::note(const ProgramResult& result, std::size_t inputs) {
  inputs_ += inputs;
  worst_cpu_ = std::max(worst_cpu_, result.cpu);
  worst_wall_ = std::max(worst_wall_, result.elapsed);
  worst_memory_kib_ = std::max(worst_memory_kib_, result.max_memory_kib);
  CAPTURE(result.err);
  expect(!result.has_timed_out, "did not end");
  expect(result.signal == 0 || result.has_timed_out, fmt::format("ended by signal {}", result.signal));
  expect(result.exit_code != bad_usage || may_refuse_, "was refused, so nothing was tried: " + result.err);
  expect(result.exit_code <= max_exit_code, fmt::format("exit code {}", result.exit_code));
  expect(result.cpu < max_cpu, fmt::format("{} ms of CPU", result.cpu.count()));
#ifndef LINKHERD_SANITIZED
  expect(result.max_memory_kib < max_memory_kib, fmt::format("{} KiB of memory", result.max_memory_kib));
#endif
}

void AttackFamily::expect(bool is_harmless, const std::string& what) {
  INFO(name_, ": ", what);
  CHECK(is_harmless);
  if (!is_harmless) broken_.push_back(what);
}

}  // namespace linkherd::tests
