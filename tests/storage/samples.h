// Sample objects of the store for tests: plain ones by number, and random ones with awkward values in every field.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "storage/host_state.h"
#include "storage/link_result.h"
#include "storage/link_state.h"
#include "storage/run.h"

namespace linkherd::storage {

// Returns the alive link "https://example.org/<number>" with the body of sample_body().
CheckedLink sample_link(std::uint64_t number);
std::string sample_body(std::uint64_t number);

// Returns 2026-03-01 plus `seconds`.
Timestamp sample_time(std::int64_t seconds);
inline constexpr std::int64_t day = 86'400;  // for sample_time()

class RandomSamples {
 public:
  explicit RandomSamples(std::uint32_t seed) : random_(seed) {}

  parser::LinkOccurrence occurrence();
  parser::Metadata metadata();
  Verdict verdict();
  Snapshot snapshot();
  LinkState state();
  Relocation relocation();
  HostState host();
  Run run();
  LinkResult result();

 private:
  std::uint64_t below(std::uint64_t limit) {
    return std::uniform_int_distribution<std::uint64_t>(0, limit - 1)(random_);
  }
  bool coin() { return below(2) == 0; }
  double fraction() { return static_cast<double>(below(1'000'001)) / 1e6; }
  std::string text();       // valid UTF-8 with NUL, quotes, control characters, CJK and emoji
  std::string some_text();  // like text(), but never empty
  std::vector<std::string> texts();
  Timestamp time();
  std::optional<Timestamp> maybe_time();
  LinkId id();
  std::optional<parser::Field<std::string>> field();

  std::mt19937 random_;
};

}  // namespace linkherd::storage
