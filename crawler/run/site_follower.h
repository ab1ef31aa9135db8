// Follows the pages of a crawled site during a run: adds the links of each page to the links of the run, and decides
// which of them may be fetched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "crawler/run/page_analysis.h"
#include "crawler/run/run_links.h"
#include "crawler/run/site_crawl.h"
#include "storage/snapshot.h"
#include "storage/store.h"

namespace linkherd::crawler {

// Used by one thread.
class SiteFollower {
 public:
  // Called with the index of a link that got occurrences; the link may be new.
  using OnChanged = std::function<void(std::size_t index)>;

  // `store` may be null. All must outlive this object.
  SiteFollower(SiteCrawl& site, RunLinks& links, const storage::Store* store, OnChanged on_changed)
      : site_(site), links_(links), store_(store), on_changed_(std::move(on_changed)) {}

  // Returns how many links of the table may be taken, if `taken` are. See SiteCrawl::end_of_step().
  std::size_t end_of_step(std::size_t taken) { return site_.end_of_step(taken, links_.size()); }

  // Gives a link a verdict if it must not be fetched, because there may be endlessly many like it. Call it once per
  // link.
  void exclude(std::size_t index);
  // Records that a link is about to be fetched. Returns why: it is listed, or was found on a page of the site.
  Purpose start(std::size_t index);

  // Adds the links of a page that was fetched, and records that its link has ended.
  void add_links(std::size_t index, AnalyzedPage& page);
  // Reads the links of a page that is not fetched from its stored body. Returns false if the page should be followed
  // but the store has no body.
  bool add_stored_links(std::size_t index, const storage::Snapshot& snapshot);

 private:
  void follow(const parser::Url& link, const storage::Snapshot& snapshot, const LinkTable& found);
  parser::Url url(std::size_t index) const { return parser::Url::parse(links_.href_to_fetch(index)).value(); }

  SiteCrawl& site_;
  RunLinks& links_;
  const storage::Store* store_;
  const OnChanged on_changed_;
};

}  // namespace linkherd::crawler
