// A crawl of sites: which links belong to them, how their pages are read, which of these are followed, and what is left
// out because it may have no end.
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

#include "crawler/run/plan.h"
#include "crawler/run/planner.h"
#include "crawler/sources/link_filter.h"
#include "parser/html/text_signature.h"
#include "parser/timestamp.h"
#include "parser/url/url.h"
#include "storage/link_id.h"
#include "storage/snapshot.h"
#include "storage/verdict.h"

namespace linkherd::crawler {

// What belongs to the sites. Thread-safe.
class SiteScope {
 public:
  // `follow`: links in which it finds nothing are outside; null: those are that are not of an origin of `start`.
  // `lists`: how pages are planned; what it refers to outlives this.
  SiteScope(const std::vector<parser::Url>& start, const LinkFilter* follow, PlanOptions lists);
  SiteScope(const SiteScope&) = delete;
  SiteScope& operator=(const SiteScope&) = delete;

  bool contains(const parser::Url& url) const;
  bool is_start(const parser::Url& link) const { return starts_.find(storage::LinkId::of(link)).has_value(); }
  // Different start pages: the first links of the plan.
  std::size_t start_count() const { return starts_.size(); }

  // The links on a page that came for a link; nothing where the page is not of the sites. Where a start page is
  // redirected to another origin, that is the site.
  std::optional<Plan> read(const parser::Url& link, const parser::Url& page, std::string_view text);
  bool may_be_read(const parser::Url& link, const parser::Url& page) const;

  const PlanOptions& lists() const { return lists_; }
  void add_origin(const parser::Url& url);

 private:
  const LinkFilter* follow_;
  PlanOptions lists_;
  storage::LinkIdTable starts_;
  mutable std::mutex mutex_;  // of the next
  std::set<std::string, std::less<>> origins_;
};

struct CrawlLimits {
  std::size_t max_pages = 10'000;                     // that are followed
  std::optional<std::uint32_t> depth = std::nullopt;  // of these, in steps from the start pages; nullopt: any
  std::size_t max_links = 1'000'000;                  // that all pages together may lead to
  std::size_t max_occurrences = 10'000'000;
};

struct CrawlCounts {
  std::size_t pages = 0;         // followed
  std::size_t beyond_pages = 0;  // not, because of CrawlLimits …
  std::size_t beyond_depth = 0;
  std::size_t beyond_links = 0;
  std::size_t repeated = 0;   // … or because they are another page under another query
  std::size_t cut = 0;        // followed, but longer than what is read of a page
  std::size_t endless = 0;    // links that were not fetched, because there may be endlessly many …
  std::size_t forbidden = 0;  // … or because robots.txt asks for it
};

// The state of a crawl. Used by one thread.
class SiteCrawl {
 public:
  // `scope` outlives this.
  SiteCrawl(SiteScope& scope, const CrawlLimits& limits, Timestamp now) : scope_(scope), limits_(limits), now_(now) {
    step_end_ = scope.start_count();
  }

  SiteScope& scope() const { return scope_; }
  const CrawlCounts& counts() const { return counts_; }
  bool has_read(const parser::Url& start) const { return read_starts_.find(storage::LinkId::of(start)).has_value(); }

  // The verdict of a link that is not fetched, because it may be one of endlessly many. Called once a link.
  std::optional<storage::Verdict> leave_out(const parser::Url& link);

  // robots.txt forbids a link.
  void forbid(const parser::Url& link);

  // Whether the links of this page, which is there, are to be added to the plan, which has so many links and
  // occurrences. Called once a page.
  bool follow(const parser::Url& link, const storage::Snapshot& page, const Plan& plan);

  // With a limit on the depth, the links that pages of a step lead to are not taken before all of these have ended: so
  // every link is known by its shortest way. Returns how many links of `total` may be taken by now.
  std::size_t end_of_step(std::size_t taken, std::size_t total);
  void took(std::size_t number);
  void ended(std::size_t number);

 private:
  struct Variant {
    parser::TextSignature text;
    std::uint64_t title = 0;  // hashes; 0: none
    std::uint64_t canonical = 0;
  };
  struct Path {
    std::vector<Variant> variants;  // pages with other queries that were followed
    std::size_t repeated = 0;
  };

  bool repeats_another(const parser::Url& page, const storage::Snapshot& snapshot);

  SiteScope& scope_;
  CrawlLimits limits_;
  Timestamp now_;
  CrawlCounts counts_;
  storage::LinkIdTable followed_;     // by the address at which a page came in the end
  storage::LinkIdTable read_starts_;  // by their links
  storage::LinkIdTable seen_;         // links of the sites, without sessions
  std::unordered_map<storage::LinkId, Path> paths_;
  std::unordered_map<std::string, std::size_t> calendars_;  // links taken, by calendar_of()
  std::uint32_t step_ = 0;
  std::size_t step_end_ = 0;
  std::vector<bool> is_under_way_;  // by number of the link
  std::size_t under_way_ = 0;
};

}  // namespace linkherd::crawler
