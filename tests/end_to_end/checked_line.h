// Parses the output of `check --format jsonl`.
#pragma once

#include <string>
#include <vector>

#include "tests/end_to_end/harvest.h"
#include "tests/end_to_end/special_cases.h"

namespace linkherd::tests {

struct Duplicate {
  std::string layer;
  bool is_certain = false;
  std::vector<std::string> with;  // URLs as written
};

// One line of `check --format jsonl`.
struct CheckedLine {
  std::string url;
  std::string final_url;
  std::string health;
  std::string reason;
  std::string rule;
  std::string evidence;
  int status = 0;
  bool is_from_store = false;
  int strikes = 0;
  std::vector<Hop> redirects;
  std::vector<std::string> occurrences;  // "file:line"
  Harvest harvest;
  std::vector<Duplicate> duplicates;
};

// Throws if a line is not a JSON object of the documented form.
std::vector<CheckedLine> checked_lines(const std::string& jsonl);
// Returns the line of a URL. Throws if no line has it.
const CheckedLine& line_of(const std::vector<CheckedLine>& lines, const std::string& url);

}  // namespace linkherd::tests
