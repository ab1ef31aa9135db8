// Plants all sites of the seed lists in a SmallInternet, and states what a run on the lists must find. Every link has
// an ordinary page, except the special cases. Pages and expectations come from the same tables.
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
  std::optional<Harvest> harvest;  // nullopt if there is no page with metadata
};

// `url` has no fragment. Throws if nothing is planted at it.
Expectation expectation_of(const std::string& url);

// Returns every URL of the five lists in the folder, in order and with repetitions. It reads only the syntax that these
// lists use: text after "](" in Markdown, and lines that start with "http" in plain text.
std::vector<std::string> written_links(const std::string& folder);

// Converts a URL to the form in reports: absolute, without fragment.
std::string checked_url(const std::string& written);

}  // namespace linkherd::tests
