// Title, authors, dates and more out of a page. Candidates from every source, then one choice a field by agreement and
// trust.
#pragma once

#include <string>
#include <vector>

#include "parser/html/html_document.h"
#include "parser/metadata/metadata.h"
#include "parser/metadata/page_headers.h"
#include "parser/timestamp.h"
#include "parser/url/url.h"

namespace linkherd::parser {

// A candidate that an extractor found: its source, how far that is trusted, and why it won or lost. What
// `linkherd metadata --explain` shows.
struct ExplainedCandidate {
  std::string field;  // as in Metadata; editor, translator and origin are parts that are kept apart from the authors
  std::string value;  // authors joined by "; "
  std::string source;
  double confidence = 0.0;  // of the source; agreement raises that of what is chosen
  std::string verdict;      // "chosen", or why it is not
};

// `url`: where the page came from, where that is known (site rules need it). `now`: dates past it by more than a day
// are no dates. `explanation`, where it is given, gets all candidates.
Metadata extract_metadata(const HtmlDocument& document, const Url* url, Timestamp now, const PageHeaders& headers = {},
                          std::vector<ExplainedCandidate>* explanation = nullptr);

}  // namespace linkherd::parser
