// The metadata that a planted page contains, and that a run must extract from it.
#pragma once

#include <string>
#include <vector>

namespace linkherd::tests {

struct Harvest {
  std::string title;
  std::vector<std::string> authors;
  std::string published;  // in the format of Metadata; empty if the page has no date

  bool operator==(const Harvest&) const = default;
};

}  // namespace linkherd::tests
