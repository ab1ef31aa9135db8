// Implements `check --recursive`: the crawl of the sites that the inputs name, from its options to its summary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "crawler/cli/command.h"
#include "crawler/run/link_table_builder.h"
#include "crawler/run/site_crawl.h"
#include "crawler/sources/link_filter.h"
#include "crawler/sources/source.h"
#include "parser/timestamp.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

struct SiteOptions {
  bool recursive = false;
  std::string follow;  // a pattern; empty: the origins of the inputs
  std::size_t max_pages = SiteCrawl::Limits().max_pages;
  std::optional<std::uint32_t> depth;
};

class SiteCheck {
 public:
  // `inputs`: the start pages. `lists`: how their links are planned; the objects it refers to must outlive this object.
  // Throws InputError for an input that is not a URL.
  SiteCheck(const SiteOptions& options, const std::vector<std::string>& inputs, const LinkTableOptions& lists,
            Timestamp now);

  // Returns the start pages and the pages in the sitemaps of their sites.
  LinkTable plan(const FetchLists& fetch, const Streams& streams, bool quiet);

  SiteCrawl& crawl() { return crawl_; }
  // Call after the run. Returns what was crawled and what was not.
  std::string describe() const;
  // Call after the run. Returns the start pages that could not be read, one per line.
  std::vector<std::string> unread() const;

 private:
  SiteOptions options_;
  std::vector<parser::Url> start_;
  std::optional<LinkFilter> follow_;
  SiteScope scope_;
  SiteCrawl crawl_;
};

}  // namespace linkherd::crawler
