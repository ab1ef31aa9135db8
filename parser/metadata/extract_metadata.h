// Title, authors, dates and more out of a page. Candidates from every source, then one choice a field by agreement and
// trust.
#pragma once

#include <optional>

#include "parser/html/html_document.h"
#include "parser/metadata/metadata.h"
#include "parser/timestamp.h"
#include "parser/url/url.h"

namespace linkherd::parser {

// `url`: where the page came from, where that is known (site rules need it). `now`: dates past it by more than a day
// are no dates.
Metadata extract_metadata(const HtmlDocument& document, const Url* url, Timestamp now);

}  // namespace linkherd::parser
