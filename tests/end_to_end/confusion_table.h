// Runs the real program on the labelled set and compares its verdicts with the labels.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/end_to_end/verdict_cases.h"

namespace linkherd::tests {

enum class Found { alive, blocked, suspect, dead, other };
inline constexpr std::array<std::string_view, 5> found_names{"alive", "blocked", "suspect", "dead", "other"};

struct EvaluatedCase {
  const VerdictCase* of = nullptr;
  Found found = Found::other;
  bool right = false;
  std::string verdict;  // "dead http_404 (status)"
  std::string evidence;
  std::string language;  // declared by the page, without the region; may be empty
};

// Runs the program on all cases, once per simulated day, for as many days as the cases require.
std::vector<EvaluatedCase> evaluate(const std::vector<VerdictCase>& cases);

struct Confusion {
  std::array<std::array<int, 5>, 4> counts{};  // by label and Found
  std::array<int, 4> right{};                  // by label

  int count(Label label) const;
  int count(Label label, Found found) const;
};
Confusion confusion_of(const std::vector<EvaluatedCase>& evaluated);

std::string table_text(const Confusion& confusion);
// Returns one line for each case whose verdict does not match its label.
std::string wrong_verdicts(const std::vector<EvaluatedCase>& evaluated);

}  // namespace linkherd::tests
