// Finds the addresses that a page names as the new ones of itself or of its project. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "crawler/lookups/address_ranking.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

// Returns at most five addresses, the strongest first:
// - links of a notice, such as "This page has moved to …";
// - the canonical address, if it is another one;
// - a repository at a forge that has the name of the site or of the page, such as github.com/example/kerning for
//   https://kerning.example.org/.
// `text` is the decoded page at `url`. Returns nothing if it is not HTML.
std::vector<ListedAddress> find_named_addresses(std::string_view text, const parser::Url& url);

}  // namespace linkherd::crawler
