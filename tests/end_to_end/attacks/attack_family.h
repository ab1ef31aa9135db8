// Runs attacks of one kind on the real program and measures the most expensive one. Prints one line with both at its
// end.
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
  // `may_refuse`: that a command line or a configuration is refused (exit code 3) is an answer to such attacks. Else
  // it means that the attack was not tried.
  explicit AttackFamily(std::string name, bool may_refuse = false) : name_(std::move(name)), may_refuse_(may_refuse) {}
  ~AttackFamily();
  AttackFamily(const AttackFamily&) = delete;
  AttackFamily& operator=(const AttackFamily&) = delete;

  // Runs `linkherd WORDS...`. Whatever it is given, it must exit by itself with one of its exit codes, and within the
  // limits of docs/security.md. `inputs`: how many hostile inputs are in it.
  ProgramResult run(const std::filesystem::path& folder, const std::vector<std::string>& words, std::size_t inputs = 1);
  void note(const ProgramResult& result, std::size_t inputs = 1);
  // Notes whether an attack was without effect, and fails the test case if not.
  void expect(bool is_harmless, const std::string& what);

 private:
  const std::string name_;
  const bool may_refuse_;
  std::size_t inputs_ = 0;
  std::vector<std::string> broken_;  // what had an effect
  std::chrono::milliseconds worst_cpu_{}, worst_wall_{};
  std::size_t worst_memory_kib_ = 0;
};

}  // namespace linkherd::tests
