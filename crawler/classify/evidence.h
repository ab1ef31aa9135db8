// Phrases that several rules put into a verdict's evidence.
#pragma once

#include <string>

#include "crawler/fetch/fetch_result.h"

namespace linkherd::crawler {

// Whether the chain ended at another URL than it began at; a round trip through a cookie page is none.
bool was_moved(const FetchResult& result);

// "HTTP 404", or "HTTP 404 at https://b.example/ after 2 redirects".
std::string answer_phrase(const FetchResult& result);

}  // namespace linkherd::crawler
