// Plants all sites of the seed lists in a small internet: an ordinary page for every link except the special cases. The
// expected results of a run come from the same tables.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/end_to_end/harvest.h"
#include "tests/end_to_end/special_cases.h"
#include "tests/support/small_internet.h"

namespace linkherd::tests {

void plant_sites(SmallInternet& internet);

struct Expectation {
  std::string health;
  std::string reason;
  std::vector<Hop> hops;
  std::optional<Harvest> harvest;  // nothing where there is no page to harvest
};

// `url` without fragment. Throws where nothing is planted there.
Expectation expectation_of(const std::string& url);

// Every URL that is written in the five lists in the folder, in order, with its repetitions. A list's own way of
// writing links is all that is read: what follows "](" in Markdown, lines that start with "http" in plain text.
std::vector<std::string> written_links(const std::string& folder);

// As a run names it: absolute, without fragment.
std::string checked_url(const std::string& written);

}  // namespace linkherd::tests
