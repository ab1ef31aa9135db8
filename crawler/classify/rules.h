// The rules behind classify() that are code; those that know a page by its marks are data (page_rules.h). A rule that
// does not apply gives nothing, and the next one is asked; their order is in classify.cpp.
#pragma once

#include <optional>
#include <string>

#include "crawler/classify/classify.h"
#include "crawler/fetch/http/fetch_result.h"

namespace linkherd::crawler {

// failures.cpp: no answer came, or none that counts.
std::optional<storage::Verdict> not_our_turn(const FetchResult& result);
std::optional<storage::Verdict> failed(const FetchResult& result);

// statuses.cpp: what the status says. Applies to every answer.
std::optional<storage::Verdict> by_status(const FetchResult& result);

// Phrases that several rules put into a verdict's evidence.

// Whether the chain ended at another URL than it began at; a round trip through a cookie page is none.
bool was_moved(const FetchResult& result);

// "HTTP 404", or "HTTP 404 at https://b.example/ after 2 redirects".
std::string answer_phrase(const FetchResult& result);

}  // namespace linkherd::crawler
