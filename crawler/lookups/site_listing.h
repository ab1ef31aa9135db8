// Reads the addresses of a site that one of its documents lists: a sitemap, a feed, a home page, a folder page or the
// page of a 404. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "crawler/lookups/address_ranking.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

struct SiteListing {
  std::vector<ListedAddress> addresses;  // pages on the registrable domain of the document, without repetitions
  std::vector<parser::Url> sitemaps;     // that a sitemap index names
  std::vector<parser::Url> feeds;        // that a page names by rel=alternate
  std::vector<parser::Url> elsewhere;    // pages on other domains; at most 500
};

// `text` is decoded. Reads at most 50,000 addresses. Returns an empty listing if the document is neither HTML nor XML.
SiteListing read_site_listing(std::string_view text, const parser::Url& document);

}  // namespace linkherd::crawler
