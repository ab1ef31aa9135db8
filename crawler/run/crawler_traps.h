// Addresses by which a site may go on for ever: pure rules over one address.
#pragma once

#include <optional>
#include <string>

#include "parser/timestamp.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

// Why an address looks as if a site had made it out of the ones before, in words; nothing for others. It repeats path
// segments ("/a/b/a/b/a/b") or parameters, escapes its query again and again, is very long, or is a page of a calendar
// that lies more than a year ahead.
std::optional<std::string> endless_address(const parser::Url& url, Timestamp now);

// A page of a calendar, such as /events/2031/05/ or /?month=2031-05: the address with one mark for each number, which
// all pages of the calendar have in common. Nothing for other pages.
std::optional<std::string> calendar_of(const parser::Url& url);

// The address without fragment and without the id of a session, in the query or behind ";" in the path. Nothing where
// there is none.
std::optional<std::string> without_session(const parser::Url& url);

}  // namespace linkherd::crawler
