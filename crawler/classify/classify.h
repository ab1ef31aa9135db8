// Classifies a FetchResult into a Verdict by an ordered list of named rules; the first match wins. Pure functions. A
// refused request is `blocked`, never dead. A complete status line proves that the host is alive, whatever happened to
// the body.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "crawler/fetch/http/fetch_result.h"
#include "storage/verdict.h"

namespace linkherd::crawler {

// The page content that the rules use; empty if the answer was not HTML.
struct PageEvidence {
  std::string_view title;       // the text of <title>
  std::string_view html;        // decoded, as received
  std::size_t text_length = 0;  // code points of visible text
  std::string_view text;        // the start of the main text
  std::size_t main_length = 0;  // code points of the main text
  bool is_article = false;      // has a date or a byline
};

class RuleSet;

// Returns the verdict of one request. Dead and suspect verdicts must be confirmed by a second one (see
// needs_confirmation).
storage::Verdict classify(const FetchResult& result, const PageEvidence& page, const RuleSet& pages);
storage::Verdict classify(const FetchResult& result, const PageEvidence& page);  // uses the built-in page rules

// The verdict of the status alone, whatever the page says.
storage::Verdict by_status(const FetchResult& result);

// Returns true if `verdict` only counts if a second request on a fresh connection confirms it.
bool needs_confirmation(const storage::Verdict& verdict);

// Combines the verdicts of both requests: if they agree, that verdict; otherwise the second one, with the first as
// evidence.
storage::Verdict confirmed(const storage::Verdict& first, const storage::Verdict& second, Duration apart);

// The verdict of a 404 behind which people may see a page.
storage::Verdict doubt_404(std::string evidence);

// --- texts that several rules use in the evidence of a verdict

// Returns true if the final URL differs from the first one. A redirect to a cookie page and back is not a move.
bool was_moved(const FetchResult& result);

// "HTTP 404", or "HTTP 404 at https://b.example/ after 2 redirects".
std::string answer_phrase(const FetchResult& result);

}  // namespace linkherd::crawler
