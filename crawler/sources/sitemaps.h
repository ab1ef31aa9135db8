// Reads the sitemaps of sites: the ones that robots.txt names, /sitemap.xml, and the ones that these name in turn. The
// number and size of sitemaps are bounded, whatever a site answers.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/sources/source.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

// Reads the sitemaps of all sites. `sites` has any page of each site. `take` receives each sitemap that lists pages.
// Returns a line for each named sitemap that was not read, or not completely.
std::vector<std::string> read_sitemaps(const std::vector<parser::Url>& sites, const FetchLists& fetch,
                                       const std::function<void(InputDocument)>& take);

// Returns the addresses in the "Sitemap:" lines of a robots.txt, as written.
std::vector<std::string> sitemaps_in_robots(std::string_view text);

}  // namespace linkherd::crawler
