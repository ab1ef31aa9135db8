#include "crawler/run/site_listings.h"

#include <algorithm>
#include <iterator>

#include "crawler/lookups/site_listing.h"
#include "crawler/sources/sitemaps.h"

namespace linkherd::crawler {

namespace {

using storage::RelocationSource;

constexpr std::size_t max_addresses_of_origin = 50'000;
constexpr std::size_t max_named_sitemaps = 2;  // per document
constexpr std::size_t max_feeds = 1;           // per document
constexpr std::size_t max_folders = 2;         // above a dead page

// The folders above a page, nearest first. Excludes the home page.
std::vector<parser::Url> folders_above(const parser::Url& url) {
  std::string path(url.path());
  if (path.ends_with('/')) path.pop_back();
  path.resize(path.rfind('/') + 1);
  std::vector<parser::Url> folders;
  while (path.size() > 1 && folders.size() < max_folders) {
    if (auto folder = parser::Url::parse(path, url)) folders.push_back(std::move(*folder));
    path.pop_back();
    path.resize(path.rfind('/') + 1);
  }
  return folders;
}

bool has_no_answer(const storage::Snapshot& snapshot) {
  return snapshot.status == 0 || snapshot.status == 429 || snapshot.status >= 500;
}

}  // namespace

const OriginListing* SiteListings::read(const parser::Url& dead, std::size_t waiter) {
  const std::string name = dead.origin();
  const auto [found, is_new] = origins_.try_emplace(name);
  Origin& origin = found->second;
  if (origin.listing.ranker) return &origin.listing;
  if (is_new) {
    const auto add = [&](std::string_view target, RelocationSource source) {
      if (auto url = parser::Url::parse(target, dead)) add_document(origin, std::move(*url), source);
    };
    add("/robots.txt", RelocationSource::sitemap);
    add("/sitemap.xml", RelocationSource::sitemap);
    add("/", RelocationSource::home);
  }
  for (parser::Url& folder : folders_above(dead)) add_document(origin, std::move(folder), RelocationSource::folder);
  origin.waiting.push_back(waiter);
  if (is_new) advance(name);  // there is a document to request, so no listing is complete yet
  return nullptr;
}

const OriginListing* SiteListings::find(const std::string& origin) const {
  const auto found = origins_.find(origin);
  return found == origins_.end() ? nullptr : &found->second.listing;
}

bool SiteListings::is_awaited_page(const std::string& href) const {
  const auto found = pending_.find(href);
  return found != pending_.end() && std::ranges::any_of(found->second, [](const Awaited& awaited) {
           return awaited.source == RelocationSource::home || awaited.source == RelocationSource::folder;
         });
}

void SiteListings::add_document(Origin& origin, parser::Url url, RelocationSource source, bool is_next) {
  if (!url.is_http() || !origin.known.insert(std::string(url.href_without_fragment())).second) return;
  if (is_next) {
    origin.documents.emplace_front(std::move(url), source);
  } else {
    origin.documents.emplace_back(std::move(url), source);
  }
}

std::vector<std::size_t> SiteListings::advance(const std::string& name) {
  Origin& origin = origins_.at(name);
  if (!origin.documents.empty() && origin.requests < max_requests_) {
    auto [url, source] = std::move(origin.documents.front());
    origin.documents.pop_front();
    ++origin.requests;
    std::vector<Awaited>& awaited = pending_[std::string(url.href_without_fragment())];
    awaited.push_back({name, source});
    if (awaited.size() == 1) requests_.push_back(std::move(url));
    return {};
  }
  origin.listing.ranker.emplace(origin.listing.addresses);
  return std::exchange(origin.waiting, {});
}

std::vector<std::size_t> SiteListings::handle_document(const parser::Url& requested, const storage::Snapshot& snapshot,
                                                       std::string_view text) {
  std::vector<std::size_t> ready;
  const auto awaited = pending_.extract(std::string(requested.href_without_fragment()));
  if (awaited.empty()) return ready;
  for (const Awaited& one : awaited.mapped()) {
    read_document(origins_.at(one.origin), one.source, requested, snapshot, text);
    std::ranges::copy(advance(one.origin), std::back_inserter(ready));
  }
  return ready;
}

void SiteListings::read_document(Origin& origin, RelocationSource source, const parser::Url& requested,
                                 const storage::Snapshot& snapshot, std::string_view text) {
  if (has_no_answer(snapshot)) origin.listing.has_failed = true;
  if (snapshot.status != 200 || text.empty()) return;
  const auto parsed = parser::Url::parse(snapshot.final_url, requested);
  const parser::Url& final_url = parsed ? *parsed : requested;
  if (requested.path() == "/robots.txt") {
    std::vector<std::string> named = sitemaps_in_robots(text);
    named.resize(std::min(named.size(), max_named_sitemaps));
    for (const std::string& sitemap : named) {
      if (auto url = parser::Url::parse(sitemap, final_url))
        add_document(origin, std::move(*url), RelocationSource::sitemap, true);
    }
    return;
  }
  SiteListing listing = read_site_listing(text, final_url);
  for (std::size_t i = 0; i < std::min(listing.sitemaps.size(), max_named_sitemaps); ++i)
    add_document(origin, std::move(listing.sitemaps[i]), RelocationSource::sitemap, true);
  for (std::size_t i = 0; i < std::min(listing.feeds.size(), max_feeds); ++i)
    add_document(origin, std::move(listing.feeds[i]), RelocationSource::feed, true);
  for (ListedAddress& address : listing.addresses) {
    if (origin.listing.addresses.size() == max_addresses_of_origin) return;
    origin.listing.addresses.push_back(std::move(address));
    origin.listing.sources.push_back(source);
  }
}

}  // namespace linkherd::crawler
