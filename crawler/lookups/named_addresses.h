// Finds the addresses that a page names as its new ones. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "crawler/lookups/address_ranking.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

// Returns at most five addresses, the strongest first:
// - links of a notice, such as "This page has moved to …";
// - the canonical address, if it is another one.
// `text` is the decoded page at `url`. Returns nothing if it is not HTML.
std::vector<ListedAddress> find_named_addresses(std::string_view text, const parser::Url& url);

}  // namespace linkherd::crawler
