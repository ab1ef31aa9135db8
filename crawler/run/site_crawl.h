// Controls a crawl of sites. Decides which links belong to them, how their pages are read and which pages are followed.
// Leaves out links that may have no end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "crawler/run/link_table.h"
#include "crawler/run/link_table_builder.h"
#include "crawler/sources/link_filter.h"
#include "parser/html/text_signature.h"
#include "parser/timestamp.h"
#include "parser/url/url.h"
#include "storage/link_id.h"
#include "storage/snapshot.h"
#include "storage/verdict.h"

namespace linkherd::crawler {

// Returns true if links can be read from the page.
bool has_links(const storage::Snapshot& page);

// Decides which URLs belong to the crawled sites. Thread-safe.
class SiteScope {
 public:
  // `follow`: URLs that it excludes are outside. If null, URLs with another origin than those of `start` are outside.
  // `lists`: how pages are planned; the objects it refers to must outlive this object.
  SiteScope(const std::vector<parser::Url>& start, const LinkFilter* follow, LinkTableOptions lists);
  SiteScope(const SiteScope&) = delete;
  SiteScope& operator=(const SiteScope&) = delete;

  bool contains(const parser::Url& url) const;
  bool is_start(const parser::Url& link) const { return starts_.find(storage::LinkId::of(link)).has_value(); }
  // Number of distinct start pages, which are the first links of the table.
  std::size_t start_count() const { return starts_.size(); }

  // Returns the links of a page that was fetched for `link`, or nullopt if the page is not part of the sites. If a
  // start page redirects to another origin, that origin belongs to the sites from then on.
  std::optional<LinkTable> read(const parser::Url& link, const parser::Url& page, std::string_view text);
  bool may_be_read(const parser::Url& link, const parser::Url& page) const;

  const LinkTableOptions& lists() const { return lists_; }
  void add_origin(const parser::Url& url);

 private:
  const LinkFilter* follow_;
  LinkTableOptions lists_;
  storage::LinkIdTable starts_;
  mutable std::mutex mutex_;  // protects `origins_`
  std::set<std::string, std::less<>> origins_;
};

// The state of a crawl. Not thread-safe.
class SiteCrawl {
 public:
  struct Limits {
    std::size_t max_pages = 10'000;                     // pages to follow
    std::optional<std::uint32_t> depth = std::nullopt;  // maximum steps from the start pages; nullopt: no limit
    std::size_t max_links = 1'000'000;                  // links of all pages together
    std::size_t max_occurrences = 10'000'000;
  };

  struct Counts {
    std::size_t pages = 0;         // followed
    std::size_t beyond_pages = 0;  // not followed because of max_pages
    std::size_t beyond_depth = 0;
    std::size_t beyond_links = 0;
    std::size_t repeated = 0;   // not followed, because the page is known under another query
    std::size_t cut = 0;        // followed, but longer than the part of a page that is read
    std::size_t endless = 0;    // links not fetched, because there may be endlessly many of them
    std::size_t forbidden = 0;  // links not fetched, because robots.txt disallows them
  };

  // `scope` must outlive this object.
  SiteCrawl(SiteScope& scope, const Limits& limits, Timestamp now) : scope_(scope), limits_(limits), now_(now) {
    step_end_ = scope.start_count();
  }

  SiteScope& scope() const { return scope_; }
  const Counts& counts() const { return counts_; }
  bool has_read(const parser::Url& start) const { return read_starts_.find(storage::LinkId::of(start)).has_value(); }

  // Returns the verdict of a link that is not fetched because there may be endlessly many like it, or nullopt. Must be
  // called once per link.
  std::optional<storage::Verdict> verdict_if_excluded(const parser::Url& link);

  // Returns the links of the body of a page that was fetched for `link`, or nullopt if the page is not part of the
  // sites or cannot be read.
  std::optional<LinkTable> links_on(const parser::Url& link, const storage::Snapshot& page,
                                    std::string_view body) const;

  // Records that robots.txt disallows a link.
  void forbid(const parser::Url& link);

  // Returns true if the links of this page should be added to `table`, which has the links and occurrences found so
  // far. The page must be alive. Must be called once per page.
  bool follow(const parser::Url& link, const storage::Snapshot& page, const LinkTable& table);

  // Returns how many of the `total` links may be taken now. With a depth limit, all pages of a step must end before the
  // links they lead to are taken. Every link is therefore reached by its shortest path.
  std::size_t end_of_step(std::size_t taken, std::size_t total);
  void took(std::size_t index);
  void ended(std::size_t index);

 private:
  struct Variant {
    parser::TextSignature text;
    std::uint64_t title = 0;  // hashes of the texts; 0: none
    std::uint64_t canonical = 0;
  };
  struct Path {
    std::vector<Variant> variants;  // followed pages that differ only in their query
    std::size_t repeated = 0;
  };

  bool repeats_another(const parser::Url& page, const storage::Snapshot& snapshot);

  SiteScope& scope_;
  Limits limits_;
  Timestamp now_;
  Counts counts_;
  storage::LinkIdTable followed_;     // by final URL of the page
  storage::LinkIdTable read_starts_;  // start pages that were read, by link
  storage::LinkIdTable seen_;         // links of the sites, without session IDs
  std::unordered_map<storage::LinkId, Path> paths_;
  std::unordered_map<std::string, std::size_t> calendars_;  // number of links taken, by calendar_of()
  std::uint32_t step_ = 0;
  std::size_t step_end_ = 0;
  std::vector<bool> is_pending_;  // by index of the link
  std::size_t pending_ = 0;
};

}  // namespace linkherd::crawler
