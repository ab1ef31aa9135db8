// Recognizes URLs that a site may generate without end (crawler traps). All functions are pure and examine one URL
// only.
#pragma once

#include <optional>
#include <string>

#include "parser/timestamp.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

// Returns why `url` looks generated from other URLs of its site, as a phrase for the report, or nullopt. Such a URL has
// one of these properties:
// - Its path repeats segments ("/a/b/a/b/a/b") or its query repeats parameters.
// - Its query is percent-encoded again and again.
// - It is very long.
// - It is a calendar page for a year after the next one.
std::optional<std::string> endless_address(const parser::Url& url, Timestamp now);

// Returns the URL of a calendar page with every number replaced by 0. All pages of a calendar have this text in common:
// /events/2031/05/ becomes /events/0/0/. Returns nullopt for other pages.
std::optional<std::string> calendar_of(const parser::Url& url);

// Returns the URL without its fragment and without its session ID, which is in the query or after ";" in the path.
// Returns nullopt if the URL has no session ID.
std::optional<std::string> without_session(const parser::Url& url);

}  // namespace linkherd::crawler
