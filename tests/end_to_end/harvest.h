// The metadata that a planted page states and a run must extract.
#pragma once

#include <string>
#include <vector>

namespace linkherd::tests {

struct Harvest {
  std::string title;
  std::vector<std::string> authors;
  std::string published;  // as Metadata has it; empty where the page states none

  bool operator==(const Harvest&) const = default;
};

}  // namespace linkherd::tests
