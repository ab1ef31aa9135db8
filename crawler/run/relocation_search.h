// Searches for the new addresses of dead pages, and proves them. Makes requests for the run to send, and evaluates
// their responses. Does no I/O.
//
// Sources are tried in the order of their cost, and the search of a page ends with the first candidate that is sure:
// 1. addresses that are known without a request: rules for the host, explanations of its other moves, addresses that
//    the last good copy or the 404 page names, and other links of the same entries;
// 2. GitHub's API, for dead pages of GitHub and for sites of projects that GitHub hosts;
// 3. redirects in a web archive. The archive also has the last good copy of pages that linkherd never saw;
// 4. listings of the site, which all of its dead pages share: sitemaps, home page, feeds, and folders above the page.
//
// A candidate is sure only after it was compared with a neighbour: another page of the same folder, or the response to
// a path that cannot exist. Otherwise all pages of one template would be sure.
//
// For example, https://example.org/old/kerning answers 404. Its sitemap lists /library/kerning-tables, which ranks
// first. That page has the same title and 97 % of the text, and its neighbour /library/ligatures has 12 %: sure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "crawler/fetch/http/fetch_request.h"
#include "crawler/lookups/address_ranking.h"
#include "crawler/lookups/archive.h"
#include "crawler/lookups/github_lookups.h"
#include "crawler/lookups/github_repositories.h"
#include "crawler/lookups/learned_moves.h"
#include "crawler/lookups/move_rules.h"
#include "crawler/lookups/relocation_proof.h"
#include "crawler/run/service_lookups.h"
#include "crawler/run/site_listings.h"
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
  std::vector<ListedAddress> old_page_links = {};   // of its stored body
  std::vector<ListedAddress> not_found_links = {};  // of the page that is now at the old address
  std::vector<parser::Url> entry_links = {};        // the other links of its entries
  bool is_host_gone = false;                        // the host has no address; no request is sent to it
  bool is_remembered = true;                        // false: `last_good` was made from the texts of links
};

// Reads the main text, the links and the named addresses of the last good copy. `text` is decoded, `url` its address.
void read_old_page(std::string_view text, const parser::Url& url, DeadPage& page);

struct FoundRelocation {
  std::size_t index = 0;  // of the dead link
  parser::Url url;
  RelocationSource source = RelocationSource::other_pages;
  RelocationProof proof;
};

struct RelocationOptions {
  std::shared_ptr<const MoveRuleSet> rules = {};  // null: the built-in rules
  std::optional<Archive> archive = {};            // queried about dead pages; nullopt: not queried
  std::optional<GithubApi> github = {};           // likewise; the token may be empty
  std::size_t max_pages = 200;                    // dead pages per run
  std::size_t max_requests = 5;                   // per dead page, those to archives and APIs included
  std::size_t max_site_requests = 6;              // per origin, shared by its dead pages
  std::size_t max_listed_pages = 2;               // candidates of listings that are requested, per dead page
  std::size_t max_archive_requests = 4;           // in flight
};

// Not thread-safe.
class RelocationSearch {
 public:
  explicit RelocationSearch(RelocationOptions options = {});

  // Adds a move that was seen in this run, such as a permanent redirect.
  void note_move(const parser::Url& from, const parser::Url& to) { moves_.add(from, to); }

  // Returns false if the limit of pages is reached.
  bool add(DeadPage page);

  // Returns the requests to send now, with a purpose of relocation.
  std::vector<FetchRequest> take_requests();
  // `content` is the decoded content of the body, in the charset that the snapshot names.
  void handle_response(const parser::Url& requested, const storage::Snapshot& snapshot, std::string_view content);

  bool is_done() const {
    return pending_.empty() && !listings_.is_pending() && !lookups_.is_pending() && requests_.empty();
  }

  // Returns the indices of the dead pages whose search has ended, and to which no service or host failed to answer.
  std::vector<std::size_t> complete() const;

  // Returns the best candidate of each page whose search has ended with one. Call it once, when the search is done or
  // is given up.
  std::vector<FoundRelocation> take_results();

 private:
  struct Response {
    const parser::Url& requested;
    const storage::Snapshot& snapshot;
    std::string_view body;
  };
  struct Candidate {
    parser::Url url;
    RelocationSource source = RelocationSource::other_pages;
    std::size_t explaining_moves = 0;
    bool is_renamed_repository = false;
    bool is_only_file_of_name = false;
    std::string repository = {};  // identity of the repository that names the candidate as its home page
  };
  // A requested page, as far as it is compared.
  struct KnownPage {
    parser::Url final_url;
    std::string identity;  // of the final URL
    storage::Snapshot snapshot;
    std::string main_text;
    std::vector<parser::Url> neighbours;        // links of the page to the same folder
    std::unordered_set<std::string> elsewhere;  // identities of linked pages on other domains
  };
  struct Compared {
    Candidate candidate;
    const KnownPage* page = nullptr;
    RelocationProof proof;
    double neighbour_similarity = 0.0;
    bool is_verified = false;  // a neighbour was compared
  };
  // The sources in their order.
  enum class Step : std::uint8_t { archived_copy, known_addresses, github, archived_redirect, listings, end };
  struct Search {
    DeadPage page;
    std::string identity;  // of the dead URL
    Step step = Step::archived_copy;
    std::deque<Candidate> candidates = {};
    std::optional<Candidate> current = std::nullopt;  // the requested candidate
    std::unordered_set<std::string> tried = {};       // identities of addresses
    std::vector<Compared> compared = {};
    std::optional<PageCaptures> captures = std::nullopt;  // nullopt: not known yet
    std::size_t requests = 0;
    bool is_verifying = false;   // the last compared page is sure, unless its neighbour is as similar
    bool is_incomplete = false;  // a host or a service did not answer
    bool is_done = false;
  };
  struct Repository {
    std::optional<GithubRepository> properties;  // nullopt: it does not exist, or is not visible
    std::vector<std::string> files;
  };

  static MovedPage moved_page(const DeadPage& page);
  std::optional<RelocationProof> prove(const Search& search, const Compared& compared,
                                       const RelocationContext& context) const;
  static std::optional<parser::Url> original_of(const KnownPage& page, const parser::Url& dead);
  RelocationContext context_of(const Search& search, const Compared& compared) const;
  bool is_same_project(const Search& search, const Compared& compared) const;
  double rival_similarity(const Search& search, const Compared& compared) const;

  void advance(std::size_t index);
  // Does a step of the search. Returns false if the search waits for a response.
  bool take_step(std::size_t index);
  bool has_budget(const Search& search) const { return search.requests < options_.max_requests; }
  bool may_request(const parser::Url& url) const { return !gone_hosts_.contains(std::string(url.host())); }
  bool may_be_new_address(const Search& search, const parser::Url& url) const;
  void add_candidate(Search& search, Candidate candidate) const;
  void add_known_addresses(Search& search);
  void add_explained_addresses(Search& search) const;
  void add_project(Search& search) const;
  void add_listed_addresses(Search& search, const OriginListing& listing) const;

  bool ask_for_copy(std::size_t index);
  bool ask_for_redirect(std::size_t index);
  bool ask_for_captures(std::size_t index);
  bool may_ask_archive(const Search& search) const;
  bool ask_github(std::size_t index);
  std::optional<GithubLink> find_repository(const Search& search) const;
  // Sends a request, unless its response is awaited already. Returns false if the budget is used up.
  bool ask(LookupKind kind, FetchRequest request, std::size_t index);
  void handle_lookup(const ServiceLookup& lookup, const std::string& href, const Response& response);
  void read_captures(Search& search, const Response& response) const;
  void read_copy(Search& search, const Response& response) const;
  void read_archived_redirect(Search& search, const Response& response);

  void handle_page(const std::string& href, const std::vector<std::size_t>& searches, const Response& response,
                   std::string_view text);
  void handle_candidate(std::size_t index, const KnownPage& page);
  void verify(std::size_t index);
  void handle_neighbour(std::size_t index, const KnownPage& neighbour);
  const KnownPage* known_neighbour(const KnownPage& page) const;
  parser::Url choose_neighbour(const KnownPage& page) const;

  bool wait_for_listings(std::size_t index);
  void send_documents();
  void send(const parser::Url& url);
  // Requests a page for a search, unless its response is known. Returns true if it is known.
  bool request(const parser::Url& url, std::size_t index);

  RelocationOptions options_;
  std::string github_host_;
  LearnedMoves moves_;
  SiteListings listings_;
  ServiceLookups lookups_;
  std::vector<Search> searches_;
  std::unordered_set<std::string> gone_hosts_;
  std::unordered_map<std::string, KnownPage> pages_;                             // by requested href
  std::unordered_map<std::string, std::vector<const KnownPage*>> folders_;       // existing pages by origin and folder
  std::unordered_map<std::string, Repository> repositories_;                     // by the href of the request
  std::unordered_map<std::string, std::unordered_set<std::string>> redirected_;  // dead pages by archived target
  std::unordered_map<std::string, std::vector<std::size_t>> pending_;            // searches by the href they wait for
  std::vector<FetchRequest> requests_;
  Timestamp now_;  // of the latest response
};

}  // namespace linkherd::crawler
