// Runs attacks of one kind against the real program and records the cost of the worst one. The destructor prints one
// line with the number of inputs and that cost.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/end_to_end/linkherd_run.h"

namespace linkherd::tests {

class AttackFamily {
 public:
  // `may_refuse`: exit code 3 is a valid result, because the program may refuse the command line or the configuration.
  // Otherwise exit code 3 means that the attack did not take place.
  explicit AttackFamily(std::string name, bool may_refuse = false) : name_(std::move(name)), may_refuse_(may_refuse) {}
  ~AttackFamily();
  AttackFamily(const AttackFamily&) = delete;
  AttackFamily& operator=(const AttackFamily&) = delete;

  // Runs `linkherd WORDS...`. The program must exit by itself with one of its exit codes, and within the limits of
  // docs/security.md. `inputs` is the number of hostile inputs of this run.
  ProgramResult run(const std::filesystem::path& folder, const std::vector<std::string>& words, std::size_t inputs = 1);
  void note(const ProgramResult& result, std::size_t inputs = 1);
  // Records the outcome of an attack. Fails the test case if the attack had an effect.
  void expect(bool is_harmless, const std::string& what);

 private:
  const std::string name_;
  const bool may_refuse_;
  std::size_t inputs_ = 0;
  std::vector<std::string> broken_;  // descriptions of attacks that had an effect
  std::chrono::milliseconds worst_cpu_{}, worst_wall_{};
  std::size_t worst_memory_kib_ = 0;
};

}  // namespace linkherd::tests
