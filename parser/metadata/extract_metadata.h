// Title, authors, dates and more out of a page. Candidates from every source, then one choice a field by agreement and
// trust.
#pragma once

#include <vector>

#include "parser/html/html_document.h"
#include "parser/metadata/explain.h"
#include "parser/metadata/metadata.h"
#include "parser/metadata/page_headers.h"
#include "parser/timestamp.h"
#include "parser/url/url.h"

namespace linkherd::parser {

// `url`: where the page came from, where that is known (site rules need it). `now`: dates past it by more than a day
// are no dates.
Metadata extract_metadata(const HtmlDocument& document, const Url* url, Timestamp now);

// The same with what the server said beside the page, and with all candidates where `explanation` is given.
Metadata extract_metadata(const HtmlDocument& document, const Url* url, Timestamp now, const PageHeaders& headers,
                          std::vector<ExplainedCandidate>* explanation = nullptr);

}  // namespace linkherd::parser
