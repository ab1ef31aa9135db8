// Searches the new addresses of dead pages, and proves them. Makes requests for the run to send, and evaluates their
// responses. Does no I/O.
//
// Sources are tried in the order of their cost, and the search of a page ends with the first candidate that is sure:
// 1. addresses that are known without a request: rules for the host, explanations of its other moves, addresses that
//    the last good copy or the 404 page names, and other links of the same entries;
// 2. listings of the site, which all of its dead pages share: sitemaps, home page, feeds, and folders above the page.
//
// For example, https://example.org/old/kerning answers 404. Its sitemap lists /library/kerning-tables, which ranks
// first. That page has the same title and 97 % of the text, and its neighbour /library/ligatures has 12 %: sure.
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

#include "crawler/fetch/http/fetch_request.h"
#include "crawler/lookups/address_ranking.h"
#include "crawler/lookups/learned_moves.h"
#include "crawler/lookups/move_rules.h"
#include "crawler/lookups/relocation_proof.h"
#include "parser/url/url.h"
#include "storage/relocation.h"
#include "storage/snapshot.h"

namespace linkherd::crawler {

using storage::RelocationSource;

// A dead page, and what is known of it.
struct DeadPage {
  std::size_t index = 0;  // of the link in the link table
  parser::Url url;
  std::optional<storage::Snapshot> last_good = {};  // the newest snapshot in which the page existed
  std::string main_text = {};                       // of its stored body; may be empty
  std::vector<std::string> link_texts = {};
  // Addresses that a page names as the new one, such as in a notice, with `old_page` or `not_found_page` as the source.
  std::vector<std::pair<parser::Url, RelocationSource>> named_addresses = {};
  std::vector<ListedAddress> not_found_links = {};  // of the page that is now at the old address
  std::vector<parser::Url> entry_links = {};        // the other links of its entries
  bool is_host_gone = false;                        // the host has no address; no request is sent to it
  bool is_remembered = true;                        // false: `last_good` was made from the texts of links
};

struct FoundRelocation {
  std::size_t index = 0;  // of the dead link
  parser::Url url;
  RelocationSource source = RelocationSource::other_pages;
  RelocationProof proof;
};

// The response to a request of the search. Refers to values that the caller owns.
struct RelocationResponse {
  const parser::Url& requested;
  const storage::Snapshot& snapshot;
  std::string_view body;  // decoded content; in the charset that the snapshot names
};

struct RelocationLimits {
  std::size_t max_pages = 200;        // dead pages per run
  std::size_t max_requests = 5;       // per dead page
  std::size_t max_site_requests = 6;  // per host, shared by its dead pages
  std::size_t max_listed_pages = 2;   // candidates of listings that are requested, per dead page
};

// Not thread-safe.
class RelocationSearch {
 public:
  // `rules` must outlive this object.
  explicit RelocationSearch(const MoveRuleSet& rules = MoveRuleSet::built_in(), RelocationLimits limits = {})
      : rules_(rules), limits_(limits) {}

  // Adds a move that was seen in this run, such as a permanent redirect.
  void note_move(const parser::Url& from, const parser::Url& to) { moves_.add(from, to); }

  // Returns false if the limit of pages is reached.
  bool add(DeadPage page);

  // Returns the requests to send now, with a purpose of relocation. Each URL is requested once.
  std::vector<FetchRequest> take_requests() { return std::exchange(requests_, {}); }
  void handle_response(const RelocationResponse& response);

  bool is_done() const { return pending_.empty() && pending_documents_.empty() && requests_.empty(); }

  // Returns the best candidate of each page that has one. Call it once, when the search is done or is given up.
  std::vector<FoundRelocation> take_results();

  std::size_t request_count() const { return request_count_; }

 private:
  struct Candidate {
    parser::Url url;
    RelocationSource source = RelocationSource::other_pages;
    std::size_t explaining_moves = 0;
  };
  // A requested page, as far as it is compared.
  struct KnownPage {
    parser::Url final_url;
    storage::Snapshot snapshot;
    std::string main_text;
    std::vector<parser::Url> neighbours;  // links of the page to the same folder
  };
  struct Compared {
    RelocationSource source = RelocationSource::other_pages;
    std::size_t explaining_moves = 0;
    const KnownPage* page = nullptr;
    double rival_similarity = 0.0;
    RelocationProof proof;
  };
  struct Search {
    DeadPage page;
    std::deque<Candidate> candidates = {};
    std::optional<Candidate> current = std::nullopt;  // the requested candidate
    std::unordered_set<std::string> tried = {};       // identities of addresses
    std::vector<Compared> compared = {};
    std::size_t requests = 0;
    bool verifies = false;  // the last compared page is sure, unless its neighbour is as similar
    bool has_read_listings = false;
    bool is_done = false;
  };
  // The listings of an origin.
  struct Site {
    std::deque<std::pair<parser::Url, RelocationSource>> documents;  // to request
    RelocationSource current = RelocationSource::sitemap;            // of the requested document
    std::unordered_set<std::string> known;                           // hrefs of all documents
    std::vector<ListedAddress> addresses;
    std::vector<RelocationSource> sources;  // of the addresses
    std::vector<std::size_t> waiting;       // indices of searches
    std::size_t requests = 0;
    bool is_started = false;
    bool is_complete = false;
  };

  static MovedPage moved_page(const DeadPage& page);
  static std::optional<RelocationProof> prove(const DeadPage& page, const PageVersion& found,
                                              const RelocationContext& context);
  void advance(std::size_t index);
  void add_known_addresses(Search& search);
  void add_listed_addresses(Search& search, const Site& site);
  static void add_candidate(Search& search, Candidate candidate);
  void handle_page(const std::string& href, const std::vector<std::size_t>& searches,
                   const RelocationResponse& response, std::string_view text);
  void handle_candidate(std::size_t index, const KnownPage& page);
  void handle_neighbour(std::size_t index, const KnownPage& neighbour);
  void verify_neighbour(std::size_t index);
  void start_site(Site& site, const parser::Url& dead);
  static void add_document(Site& site, parser::Url url, RelocationSource source, bool is_next = false);
  void advance_site(const std::string& origin);
  void read_document(Site& site, const RelocationResponse& response, std::string_view text);
  void send(const parser::Url& url);
  // Requests a page for a search, unless its response is known. Returns true if it is known.
  bool request(const parser::Url& url, std::size_t index);

  const MoveRuleSet& rules_;
  RelocationLimits limits_;
  LearnedMoves moves_;
  std::vector<Search> searches_;
  std::unordered_map<std::string, Site> sites_;                        // by origin
  std::unordered_map<std::string, KnownPage> pages_;                   // by requested href
  std::unordered_map<std::string, std::vector<std::size_t>> pending_;  // searches by the href they wait for
  std::unordered_map<std::string, std::string> pending_documents_;     // origins by the href of the document
  std::vector<FetchRequest> requests_;
  std::size_t request_count_ = 0;
};

}  // namespace linkherd::crawler
