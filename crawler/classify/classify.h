// Classifies a FetchResult into a Verdict by an ordered list of rules. The first match wins. Pure functions.
//
// The order is:
// 1. No request was made (robots.txt, deadline, outage): `skipped` or `deferred`.
// 2. A page rule for bot walls matches: `blocked`, even if the redirects form a loop.
// 3. No complete answer arrived: the table in fetch/http/failure.h decides.
// 4. Another page rule matches (login page, "not found" page, parked domain): it overrides the status.
// 5. A page rule for weak signs of a wall matches.
// 6. An empty 202, or a 404 that browsers may show as a page: `suspect`.
// 7. The status alone decides.
//
// For example, a short 200 page titled "Page not found" is `suspect` by rule 4, and a 403 is `blocked` by rule 7. A
// refused request is never dead. A status line proves that the host is alive, whatever happened to the body.
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

// Returns the verdict of one request. Dead and suspect verdicts need a confirmation (see needs_confirmation).
storage::Verdict classify(const FetchResult& result, const PageEvidence& page, const RuleSet& pages);
storage::Verdict classify(const FetchResult& result, const PageEvidence& page);  // uses the built-in page rules

// Returns the verdict of the status alone, whatever the page says.
storage::Verdict by_status(const FetchResult& result);

// Returns true if `verdict` only counts after a confirmation: a second request on a new connection.
bool needs_confirmation(const storage::Verdict& verdict);

// Combines the verdicts of both requests. If they agree, that verdict counts; otherwise the second one, with the first
// as evidence. `apart` is the time between them.
storage::Verdict confirmed(const storage::Verdict& first, const storage::Verdict& second, Duration apart);

// Returns the verdict of a 404 that browsers may show as a page.
storage::Verdict doubt_404(std::string evidence);

// --- phrases that several rules use as evidence

// Returns true if the final URL differs from the first one. A redirect to a cookie page and back is not a move.
bool was_moved(const FetchResult& result);

// Returns a phrase such as "HTTP 404" or "HTTP 404 at https://b.example/ after 2 redirects".
std::string answer_phrase(const FetchResult& result);

}  // namespace linkherd::crawler
