// `check --recursive`: the crawl of the sites that the inputs name, from its options to what is said of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "crawler/cli/command.h"
#include "crawler/run/planner.h"
#include "crawler/run/site_crawl.h"
#include "crawler/sources/link_filter.h"
#include "crawler/sources/source.h"
#include "parser/timestamp.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

struct SiteOptions {
  bool recursive = false;
  std::string follow;  // a pattern; empty: the origins of the inputs
  std::size_t max_pages = CrawlLimits().max_pages;
  std::optional<std::uint32_t> depth;
};

// To be called when the options of inputs have been added.
void add_site_options(CLI::App& app, SiteOptions& options);

// The settings that can change a verdict, a line each; empty without --recursive.
std::string describe_site_options(const SiteOptions& options);

class SiteCheck {
 public:
  // `inputs`: the start pages. `lists`: how their links are planned; what it refers to outlives this. Throws InputError
  // for an input that is no URL.
  SiteCheck(const SiteOptions& options, const std::vector<std::string>& inputs, const PlanOptions& lists,
            Timestamp now);

  // The start pages, and the pages in the sitemaps of their sites.
  Plan plan(const FetchLists& fetch, const Streams& streams, bool quiet);

  SiteCrawl& crawl() { return crawl_; }
  // After the run: what was crawled, and what not.
  std::string describe() const;
  // After the run: the start pages that gave no page, a line each.
  std::vector<std::string> unread() const;

 private:
  SiteOptions options_;
  std::vector<parser::Url> start_;
  std::optional<LinkFilter> follow_;
  SiteScope scope_;
  SiteCrawl crawl_;
};

}  // namespace linkherd::crawler
