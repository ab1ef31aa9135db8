// Measures how well entries are distinguished from unrelated pages: the real program checks saved pages first with
// their own titles as entries and then with the titles of others.
#pragma once

#include <string>
#include <vector>

#include "tests/end_to_end/verdict_cases.h"

namespace linkherd::tests {

// `pages`: of read_saved_pages(). Prints as text: of the own titles, and of those that stand in another language, which
// were suspected; of the shuffled ones, once between pages of one language and once between all, how many were found,
// and those that were not.
std::string entry_figures(std::vector<VerdictCase> pages);

}  // namespace linkherd::tests
