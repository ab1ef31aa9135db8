// FetchResult to Verdict: pure rules, first match wins, each named. A refusal is `blocked`, never dead; a complete
// status line means that the host lives, whatever happened to the body.
#pragma once

#include <cstddef>
#include <string_view>

#include "crawler/fetch/http/fetch_result.h"
#include "storage/verdict.h"

namespace linkherd::crawler {

// What of a page's content the rules look at; empty where there was no HTML.
struct PageEvidence {
  std::string_view title;       // the text of <title>
  std::string_view html;        // decoded, as received
  std::size_t text_length = 0;  // code points of visible text
  std::string_view text;        // the beginning of the main text
  std::size_t main_length = 0;  // code points of the main text
  bool is_article = false;      // with a date or a byline
};

class RuleSet;

// The verdict on one look. Dead and suspect ones still have to be confirmed by a second look (see needs_confirmation).
storage::Verdict classify(const FetchResult& result, const PageEvidence& page, const RuleSet& pages);
storage::Verdict classify(const FetchResult& result, const PageEvidence& page);  // by the built-in rules of pages

// Whether `verdict` only counts once it is seen again on a fresh connection.
bool needs_confirmation(const storage::Verdict& verdict);

// The verdict after both looks: that of both where they agree; what the second saw otherwise, with the first as
// evidence.
storage::Verdict confirmed(const storage::Verdict& first, const storage::Verdict& second, Duration apart);

}  // namespace linkherd::crawler
