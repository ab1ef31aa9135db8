// Extracts title, authors, dates and more from a page. Collects candidates from all sources, then chooses one per field
// by agreement and trust.
#pragma once

#include <string>
#include <vector>

#include "parser/html/html_document.h"
#include "parser/metadata/metadata.h"
#include "parser/metadata/page_headers.h"
#include "parser/timestamp.h"
#include "parser/url/url.h"

namespace linkherd::parser {

// A candidate with its source, its trust, and the reason why it was chosen or not. `linkherd metadata --explain` shows
// it.
struct ExplainedCandidate {
  std::string field;  // name as in Metadata; also "editor", "translator" and "origin"
  std::string value;  // authors joined by "; "
  std::string source;
  double confidence = 0.0;  // trust in the source; for the chosen candidate, agreement of sources increases it
  std::string verdict;      // "chosen", or the reason why it was not chosen; may be empty
};

// Returns the metadata of a page.
// - `url` is the URL of the page, or null if unknown. Site rules need it.
// - `now`: dates more than a day after it are ignored.
// - `headers`: "yesterday" counts as a date only if they contain the time of the fetch.
// - `explanation` receives all candidates unless it is null.
// - `harvest`: authors and dates are extracted only for Harvest::full.
Metadata extract_metadata(const HtmlDocument& document, const Url* url, Timestamp now, const PageHeaders& headers = {},
                          std::vector<ExplainedCandidate>* explanation = nullptr, Harvest harvest = Harvest::full);

}  // namespace linkherd::parser
