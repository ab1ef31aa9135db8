// The sitemaps of sites: those that robots.txt names, /sitemap.xml, and those that these name in turn. Bounded,
// whatever a site answers.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/sources/source.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

struct Sitemaps {
  std::size_t read = 0;               // that list pages
  std::vector<std::string> problems;  // sitemaps that somebody names and that were not read, or not completely
};

// `sites`: any page of each. `take` gets each sitemap that lists pages.
Sitemaps read_sitemaps(const std::vector<parser::Url>& sites, const FetchLists& fetch,
                       const std::function<void(Seed)>& take);

// The addresses in the "Sitemap:" lines of a robots.txt, as they are written.
std::vector<std::string> sitemaps_in_robots(std::string_view text);

}  // namespace linkherd::crawler
