// Extracts title, authors, dates and more from a page: collects candidates from all sources, then chooses one per
// field by agreement and trust.
#pragma once

#include <string>
#include <vector>

#include "parser/html/html_document.h"
#include "parser/metadata/metadata.h"
#include "parser/metadata/page_headers.h"
#include "parser/timestamp.h"
#include "parser/url/url.h"

namespace linkherd::parser {

// A candidate with its source, its trust, and why it was chosen or not. Shown by `linkherd metadata --explain`.
struct ExplainedCandidate {
  std::string field;  // as in Metadata; editor, translator and origin are separate from the authors
  std::string value;  // authors joined by "; "
  std::string source;
  double confidence = 0.0;  // of the source; agreement of sources raises that of the chosen one
  std::string verdict;      // "chosen", or the reason why not
};

// `url`: the URL of the page if known (required for site rules). Dates more than a day after `now` are ignored,
// and "yesterday" is one only where the headers say when the page was fetched.
// `explanation`: if not null, receives all candidates. Without a full harvest there are no authors and no dates.
Metadata extract_metadata(const HtmlDocument& document, const Url* url, Timestamp now, const PageHeaders& headers = {},
                          std::vector<ExplainedCandidate>* explanation = nullptr, Harvest harvest = Harvest::full);

}  // namespace linkherd::parser
