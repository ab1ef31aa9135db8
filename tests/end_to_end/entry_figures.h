// Measures how well the program detects pages that do not match their entries. Runs the real program on saved pages:
// first with their own titles as entries, then with the titles of other pages.
#pragma once

#include <string>
#include <vector>

#include "tests/end_to_end/verdict_cases.h"

namespace linkherd::tests {

// Takes the pages of read_saved_pages() and returns the figures as text. For own titles, and for own titles in another
// language, it counts false suspicions. For shuffled titles it counts the detected ones and lists the others. Titles
// are shuffled once within each language and once across all languages.
std::string entry_figures(std::vector<VerdictCase> pages);

}  // namespace linkherd::tests
