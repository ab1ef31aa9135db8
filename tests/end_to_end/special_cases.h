// The links of the seed lists, and a few more, whose pages do not simply exist: how their servers behave and what a run
// must find.
#pragma once

#include <string>
#include <vector>

#include "tests/support/page.h"

namespace linkherd::tests {

struct Hop {
  std::string from;
  int status = 0;
  std::string to;
  std::string kind = "http";

  bool operator==(const Hop&) const = default;
};

struct SpecialCase {
  std::string url;  // without fragment
  std::string health;
  std::string reason;
  std::vector<Hop> hops{};      // the planted redirects
  std::vector<Page> answers{};  // of where they end, one after the other; none: its ordinary page
  bool has_page = false;        // what is harvested in the end is an ordinary page
};

// Cases in the seed lists, and those of planted.md (see planted_list), which the lists lack.
std::vector<SpecialCase> special_cases();

// A further list: twins of links of the seed lists, and cases that they lack.
std::string planted_list();

}  // namespace linkherd::tests
