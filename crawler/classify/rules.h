// The rules of classify() that are code; rules that recognise pages by their content are data (page_rules.h). A rule
// that does not apply returns nullopt. Their order is in classify.cpp.
#pragma once

#include <optional>
#include <string>

#include "crawler/classify/classify.h"
#include "crawler/fetch/http/fetch_result.h"

namespace linkherd::crawler {

// failures.cpp: no answer, or an incomplete one.
std::optional<storage::Verdict> not_requested(const FetchResult& result);
std::optional<storage::Verdict> failed(const FetchResult& result);

// statuses.cpp: rules for the HTTP status. Apply to every answer.
std::optional<storage::Verdict> by_status(const FetchResult& result);

// Texts that several rules use in the evidence of a verdict.

// Returns true if the final URL differs from the first one. A redirect to a cookie page and back is not a move.
bool was_moved(const FetchResult& result);

// "HTTP 404", or "HTTP 404 at https://b.example/ after 2 redirects".
std::string answer_phrase(const FetchResult& result);

}  // namespace linkherd::crawler
