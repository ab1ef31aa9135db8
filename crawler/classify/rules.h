// The rules behind classify(), each in the file that has its name. A rule that does not apply gives nothing, and the
// next one is asked; their order is in classify.cpp.
#pragma once

#include <optional>
#include <string>

#include "crawler/classify/classify.h"
#include "crawler/fetch/http/fetch_result.h"

namespace linkherd::crawler {

using Rule = std::optional<storage::Verdict> (*)(const FetchResult& result, const PageEvidence& page);

// failures.cpp: no answer came, or none that counts.
std::optional<storage::Verdict> not_our_turn(const FetchResult& result, const PageEvidence& page);
std::optional<storage::Verdict> failed(const FetchResult& result, const PageEvidence& page);

// bot_walls.cpp: an answer to bots instead of the page.
std::optional<storage::Verdict> bot_wall(const FetchResult& result, const PageEvidence& page);

// login_wall.cpp: redirected to a page for signing in.
std::optional<storage::Verdict> login_wall(const FetchResult& result, const PageEvidence& page);

// soft_404.cpp: "not found" behind a status that says otherwise.
std::optional<storage::Verdict> soft_not_found(const FetchResult& result, const PageEvidence& page);

// statuses.cpp: what the status says. Applies to every answer.
std::optional<storage::Verdict> by_status(const FetchResult& result, const PageEvidence& page);

// Phrases that several rules put into a verdict's evidence.

// Whether the chain ended at another URL than it began at; a round trip through a cookie page is none.
bool was_moved(const FetchResult& result);

// "HTTP 404", or "HTTP 404 at https://b.example/ after 2 redirects".
std::string answer_phrase(const FetchResult& result);

}  // namespace linkherd::crawler
