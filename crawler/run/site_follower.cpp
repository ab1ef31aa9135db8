#include "crawler/run/site_follower.h"

#include <string>

#include "storage/link_history.h"

namespace linkherd::crawler {

void SiteFollower::exclude(std::size_t index) {
  if (links_.has_verdict(index)) return;
  if (const std::optional<storage::Verdict> verdict = site_.verdict_if_excluded(url(index)))
    links_.set_verdict(index, *verdict);
}

Purpose SiteFollower::start(std::size_t index) {
  const parser::Url link = url(index);
  const bool is_start = site_.scope().is_start(link);
  if (!is_start && !site_.scope().contains(link)) return Purpose::link;
  site_.took(index);
  return is_start ? Purpose::link : Purpose::found;
}

void SiteFollower::add_links(std::size_t index, AnalyzedPage& page) {
  if (!page.links) page.links = site_.links_on(page.url, page.snapshot, page.body);  // a worker does not know the site
  if (page.links && page_exists(page.snapshot.verdict)) follow(page.url, page.snapshot, *page.links);
  if (page.snapshot.verdict.reason == storage::reason::robots_disallowed) site_.forbid(page.url);
  site_.ended(index);
}

bool SiteFollower::add_stored_links(std::size_t index, const storage::Snapshot& snapshot) {
  if (!has_links(snapshot)) return true;
  const parser::Url link = url(index);
  const auto page = parser::Url::parse(snapshot.final_url);
  if (!page || !site_.scope().may_be_read(link, *page)) return true;
  const std::optional<std::string> body = storage::LinkHistory(*store_).body(snapshot.body_digest);
  if (!body) return false;
  if (const std::optional<LinkTable> found = site_.links_on(link, snapshot, *body)) follow(link, snapshot, *found);
  return true;
}

void SiteFollower::follow(const parser::Url& link, const storage::Snapshot& snapshot, const LinkTable& found) {
  if (!site_.follow(link, snapshot, links_.table())) return;
  for (const std::uint32_t index : links_.append(found)) on_changed_(index);
}

}  // namespace linkherd::crawler
