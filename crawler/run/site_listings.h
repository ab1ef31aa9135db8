// Reads the listings of sites with dead pages: sitemaps, home pages, feeds, and folders above dead pages. All dead
// pages of an origin share them. Makes requests for the run to send, and evaluates their responses. Does no I/O.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "crawler/lookups/address_ranking.h"
#include "parser/url/url.h"
#include "storage/relocation.h"
#include "storage/snapshot.h"

namespace linkherd::crawler {

// The listed pages of an origin.
struct OriginListing {
  std::vector<ListedAddress> addresses;            // at most 50,000
  std::vector<storage::RelocationSource> sources;  // of the addresses
  std::optional<AddressRanker> ranker;             // of the addresses; set if the listing is complete
  bool has_failed = false;                         // a document did not arrive, so addresses may be missing
};

// Not thread-safe.
class SiteListings {
 public:
  // `max_requests`: per origin.
  explicit SiteListings(std::size_t max_requests) : max_requests_(max_requests) {}

  // Returns the listing of the origin of a dead page if it is complete. Otherwise returns null, and handle_document()
  // will return `waiter`.
  const OriginListing* read(const parser::Url& dead, std::size_t waiter);
  // Returns the listing as far as it was read, or null if there is none.
  const OriginListing* find(const std::string& origin) const;

  // Returns documents to request. Each is requested once, for all origins that need it.
  std::vector<parser::Url> take_requests() { return std::exchange(requests_, {}); }
  bool is_pending() const { return !pending_.empty(); }
  bool is_awaited(const std::string& href) const { return pending_.contains(href); }
  // Returns true if the awaited document is a page with links: a home page or a folder.
  bool is_awaited_page(const std::string& href) const;

  // Reads an awaited document. `text` is decoded. Returns the waiters whose listing is complete now.
  std::vector<std::size_t> handle_document(const parser::Url& requested, const storage::Snapshot& snapshot,
                                           std::string_view text);

 private:
  struct Origin {
    OriginListing listing;
    std::deque<std::pair<parser::Url, storage::RelocationSource>> documents;  // to request
    std::unordered_set<std::string> known;                                    // hrefs of all documents
    std::vector<std::size_t> waiting;
    std::size_t requests = 0;
  };
  struct Awaited {
    std::string origin;
    storage::RelocationSource source;
  };

  static void add_document(Origin& origin, parser::Url url, storage::RelocationSource source, bool is_next = false);
  static void read_document(Origin& origin, storage::RelocationSource source, const parser::Url& requested,
                            const storage::Snapshot& snapshot, std::string_view text);
  // Requests the next document, or completes the listing. Returns the waiters of a listing that is complete now.
  std::vector<std::size_t> advance(const std::string& name);

  std::size_t max_requests_;
  std::unordered_map<std::string, Origin> origins_;
  std::unordered_map<std::string, std::vector<Awaited>> pending_;  // by the href of the document
  std::vector<parser::Url> requests_;
};

}  // namespace linkherd::crawler
