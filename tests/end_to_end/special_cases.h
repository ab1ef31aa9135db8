// The links of the seed lists, and a few more, that do not serve an ordinary page: how their servers behave, and what a
// run must find.
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
  std::vector<Page> answers{};  // of the final URL, one per request; if empty, its ordinary page
  bool has_page = false;        // the final page is an ordinary page with metadata
};

// Returns the cases of the seed lists and of planted.md (see planted_list).
std::vector<SpecialCase> special_cases();

// Returns an additional list: variants of links of the seed lists, and cases that these lists do not have.
std::string planted_list();

}  // namespace linkherd::tests
