#include "crawler/run/relocation_search.h"

#include <algorithm>
#include <utility>

#include "crawler/lookups/site_listing.h"
#include "crawler/sources/sitemaps.h"
#include "parser/html/charset.h"
#include "parser/html/html_document.h"
#include "parser/html/main_text.h"
#include "parser/url/canonical.h"
#include "parser/utf8.h"
#include "storage/verdict.h"

namespace linkherd::crawler {

namespace {

constexpr std::size_t max_main_text_bytes = std::size_t{64} << 10;  // that are compared
constexpr std::size_t max_neighbours = 50;                          // that are kept of a page
constexpr std::size_t max_named_sitemaps = 2;                       // per document
constexpr std::size_t max_feeds = 1;                                // per document
constexpr std::size_t max_folders = 2;                              // above a dead page
constexpr double min_ranking_score = 0.8;                           // of a listed address that is worth a request
constexpr std::size_t max_link_text_bytes = 512;                    // of a text that stands for an unknown title

// Addresses of one page have the same identity.
std::string identity_of(const parser::Url& url) {
  return parser::canonical_form(url, parser::CanonicalLayer::equivalent).url;
}

std::string_view folder_of(const parser::Url& url) {
  std::string_view path = url.path();
  if (path.ends_with('/')) path.remove_suffix(1);
  return path.substr(0, path.rfind('/') + 1);
}

std::optional<parser::Url> resolve(std::string_view target, const parser::Url& base) {
  Result<parser::Url> url = parser::Url::parse(target, base);
  if (url.has_error()) return std::nullopt;
  return std::move(*url);
}

// The folders above a page, nearest first. The home page is none.
std::vector<parser::Url> folders_above(const parser::Url& url) {
  std::vector<parser::Url> folders;
  for (std::string path(folder_of(url)); path.size() > 1 && folders.size() < max_folders;) {
    if (auto folder = resolve(path, url)) folders.push_back(std::move(*folder));
    path.pop_back();
    path.resize(path.rfind('/') + 1);
  }
  return folders;
}

// Without a snapshot, the texts of links stand for the title.
storage::Snapshot snapshot_from_link_texts(const std::vector<std::string>& texts) {
  storage::Snapshot snapshot;
  const auto longest = std::ranges::max_element(texts, {}, &std::string::size);
  if (longest != texts.end())
    snapshot.metadata.title =
        parser::Field<std::string>{std::string(truncate_utf8(*longest, max_link_text_bytes)), "link", 0.5};
  return snapshot;
}

}  // namespace

bool RelocationSearch::add(DeadPage page) {
  if (searches_.size() >= limits_.max_pages) return false;
  if (!page.last_good) {
    page.last_good = snapshot_from_link_texts(page.link_texts);
    page.is_remembered = false;
  }
  page.main_text.resize(truncate_utf8(page.main_text, max_main_text_bytes).size());
  Search search{.page = std::move(page)};
  search.tried.insert(identity_of(search.page.url));
  add_known_addresses(search);
  searches_.push_back(std::move(search));
  advance(searches_.size() - 1);
  return true;
}

void RelocationSearch::add_candidate(Search& search, Candidate candidate) {
  if (!candidate.url.is_http() || !search.tried.insert(identity_of(candidate.url)).second) return;
  search.candidates.push_back(std::move(candidate));
}

void RelocationSearch::add_known_addresses(Search& search) {
  const DeadPage& page = search.page;
  if (std::optional<parser::Url> url = rules_.apply(page.url))
    add_candidate(search, {std::move(*url), RelocationSource::host_rule});
  for (ExplainedAddress& address : moves_.explain(page.url))
    add_candidate(search, {std::move(address.url), RelocationSource::other_pages, address.moves});
  for (const auto& [url, source] : page.named_addresses) add_candidate(search, {url, source});
  const auto add_best = [&](const std::vector<ListedAddress>& addresses, RelocationSource source) {
    const AddressRanking ranking = rank_addresses(moved_page(page), addresses, 1);
    if (ranking.is_confident) add_candidate(search, {addresses[ranking.best[0].index].url, source});
  };
  add_best(page.not_found_links, RelocationSource::not_found_page);
  std::vector<ListedAddress> entry_links;
  for (const parser::Url& url : page.entry_links) entry_links.push_back({url, {}});
  add_best(entry_links, RelocationSource::entry);
}

MovedPage RelocationSearch::moved_page(const DeadPage& page) {
  const auto& title = page.last_good->metadata.title;
  return {page.url, title ? title->value : std::string(), page.link_texts};
}

void RelocationSearch::advance(std::size_t index) {
  Search& search = searches_[index];
  while (!search.is_done) {
    if (search.verifies) return verify_neighbour(index);
    const bool has_budget = search.requests < limits_.max_requests;
    if (!search.candidates.empty()) {
      search.current = std::move(search.candidates.front());
      search.candidates.pop_front();
      const std::string href(search.current->url.href_without_fragment());
      if (!pages_.contains(href) && !has_budget) continue;
      if (!request(search.current->url, index)) return;
      handle_candidate(index, pages_.at(href));
      continue;
    }
    search.current.reset();
    if (search.has_read_listings || !has_budget) {
      search.is_done = true;
      return;
    }
    const std::string origin = search.page.url.origin();
    Site& site = sites_[origin];
    if (!site.is_started) start_site(site, search.page.url);
    if (!site.is_complete) {
      site.waiting.push_back(index);
      if (site.waiting.size() == 1) advance_site(origin);
      return;
    }
    add_listed_addresses(search, site);
    search.has_read_listings = true;
  }
}

bool RelocationSearch::request(const parser::Url& url, std::size_t index) {
  const std::string href(url.href_without_fragment());
  if (pages_.contains(href)) return true;
  ++searches_[index].requests;
  std::vector<std::size_t>& waiting = pending_[href];
  waiting.push_back(index);
  if (waiting.size() == 1 && !pending_documents_.contains(href)) send(url);
  return false;
}

void RelocationSearch::send(const parser::Url& url) {
  requests_.push_back(FetchRequest::follow_up(Purpose::relocation, url));
  ++request_count_;
}

void RelocationSearch::handle_response(const RelocationResponse& response) {
  const std::string href(response.requested.href_without_fragment());
  const std::string text = parser::decode_html(response.body, response.snapshot.charset).text;
  const auto document = pending_documents_.extract(href);
  if (const auto waiting = pending_.extract(href); !waiting.empty())
    handle_page(href, waiting.mapped(), response, text);
  if (document.empty()) return;
  read_document(sites_.at(document.mapped()), response, text);
  advance_site(document.mapped());
}

void RelocationSearch::handle_page(const std::string& href, const std::vector<std::size_t>& searches,
                                   const RelocationResponse& response, std::string_view text) {
  KnownPage page{.final_url = resolve(response.snapshot.final_url, response.requested).value_or(response.requested),
                 .snapshot = response.snapshot,
                 .main_text = {},
                 .neighbours = {}};
  if (storage::page_exists(page.snapshot.verdict)) {
    page.main_text = parser::main_text(parser::HtmlDocument::parse(text), max_main_text_bytes).text;
    for (ListedAddress& address : read_site_listing(text, page.final_url).addresses) {
      if (page.neighbours.size() < max_neighbours && address.url.origin() == page.final_url.origin() &&
          folder_of(address.url) == folder_of(page.final_url) &&
          identity_of(address.url) != identity_of(page.final_url))
        page.neighbours.push_back(std::move(address.url));
    }
  }
  const KnownPage& known = pages_.insert_or_assign(href, std::move(page)).first->second;
  for (const std::size_t index : searches) {
    if (searches_[index].verifies) {
      handle_neighbour(index, known);
    } else {
      handle_candidate(index, known);
    }
    advance(index);
  }
}

void RelocationSearch::handle_candidate(std::size_t index, const KnownPage& page) {
  Search& search = searches_[index];
  const Candidate candidate = std::move(*std::exchange(search.current, std::nullopt));
  const PageVersion found{page.final_url, page.snapshot, page.main_text};
  std::optional<RelocationProof> proof = prove(search.page, found, {.explaining_moves = candidate.explaining_moves});
  if (!proof) return;
  search.verifies = proof->level == RelocationLevel::sure;
  search.compared.push_back({.source = candidate.source,
                             .explaining_moves = candidate.explaining_moves,
                             .page = &page,
                             .proof = std::move(*proof)});
}

std::optional<RelocationProof> RelocationSearch::prove(const DeadPage& page, const PageVersion& found,
                                                       const RelocationContext& context) {
  const PageVersion old_page{page.url, *page.last_good, page.main_text};
  std::optional<RelocationProof> proof = prove_relocation(old_page, found, context);
  if (proof && !page.is_remembered) proof->level = RelocationLevel::possibly;
  return proof;
}

// A page that is as similar as its neighbour is only proven to have the same template.
void RelocationSearch::verify_neighbour(std::size_t index) {
  Search& search = searches_[index];
  const KnownPage& found = *search.compared.back().page;
  if (found.neighbours.empty() || search.requests >= limits_.max_requests) {
    search.verifies = false;
    search.is_done = true;
    return;
  }
  const parser::Url& neighbour = found.neighbours.front();
  if (!request(neighbour, index)) return;
  handle_neighbour(index, pages_.at(std::string(neighbour.href_without_fragment())));
  advance(index);
}

void RelocationSearch::handle_neighbour(std::size_t index, const KnownPage& neighbour) {
  Search& search = searches_[index];
  search.verifies = false;
  Compared& best = search.compared.back();
  const PageVersion old_page{search.page.url, *search.page.last_good, search.page.main_text};
  best.rival_similarity =
      text_similarity(old_page, {neighbour.final_url, neighbour.snapshot, neighbour.main_text}).value_or(0.0);
  const PageVersion found{best.page->final_url, best.page->snapshot, best.page->main_text};
  auto proof =
      prove(search.page, found, {.explaining_moves = best.explaining_moves, .rival_similarity = best.rival_similarity});
  if (proof) best.proof = std::move(*proof);
  search.is_done = best.proof.level == RelocationLevel::sure;
}

void RelocationSearch::start_site(Site& site, const parser::Url& dead) {
  site.is_started = true;
  const auto add = [&](std::string_view target, RelocationSource source) {
    if (auto url = resolve(target, dead)) add_document(site, std::move(*url), source);
  };
  add("/robots.txt", RelocationSource::sitemap);
  add("/sitemap.xml", RelocationSource::sitemap);
  add("/", RelocationSource::home);
  for (parser::Url& folder : folders_above(dead)) add_document(site, std::move(folder), RelocationSource::folder);
}

void RelocationSearch::add_document(Site& site, parser::Url url, RelocationSource source, bool is_next) {
  if (!url.is_http() || !site.known.insert(std::string(url.href_without_fragment())).second) return;
  if (is_next) {
    site.documents.emplace_front(std::move(url), source);
  } else {
    site.documents.emplace_back(std::move(url), source);
  }
}

void RelocationSearch::advance_site(const std::string& origin) {
  Site& site = sites_.at(origin);
  if (!site.documents.empty() && site.requests < limits_.max_site_requests) {
    const auto& [url, source] = site.documents.front();
    site.current = source;
    const std::string href(url.href_without_fragment());
    pending_documents_.insert_or_assign(href, origin);
    if (!pending_.contains(href)) send(url);
    site.documents.pop_front();
    ++site.requests;
    return;
  }
  site.is_complete = true;
  for (const std::size_t index : std::exchange(site.waiting, {})) advance(index);
}

void RelocationSearch::read_document(Site& site, const RelocationResponse& response, std::string_view text) {
  const RelocationSource source = site.current;
  if (response.snapshot.status != 200 || response.body.empty()) return;
  const parser::Url final_url = resolve(response.snapshot.final_url, response.requested).value_or(response.requested);
  if (response.requested.path() == "/robots.txt") {
    std::size_t count = 0;
    for (const std::string& named : sitemaps_in_robots(text)) {
      if (count++ == max_named_sitemaps) break;
      if (auto url = resolve(named, final_url)) add_document(site, std::move(*url), RelocationSource::sitemap, true);
    }
    return;
  }
  SiteListing listing = read_site_listing(text, final_url);
  for (std::size_t i = 0; i < std::min(listing.sitemaps.size(), max_named_sitemaps); ++i)
    add_document(site, std::move(listing.sitemaps[i]), RelocationSource::sitemap, true);
  for (std::size_t i = 0; i < std::min(listing.feeds.size(), max_feeds); ++i)
    add_document(site, std::move(listing.feeds[i]), RelocationSource::feed, true);
  for (ListedAddress& address : listing.addresses) {
    site.addresses.push_back(std::move(address));
    site.sources.push_back(source);
  }
}

void RelocationSearch::add_listed_addresses(Search& search, const Site& site) {
  const AddressRanking ranking = rank_addresses(moved_page(search.page), site.addresses, limits_.max_listed_pages);
  for (const RankedAddress& address : ranking.best) {
    if (address.score >= min_ranking_score)
      add_candidate(search, {site.addresses[address.index].url, site.sources[address.index]});
  }
}

std::vector<FoundRelocation> RelocationSearch::take_results() {
  std::unordered_map<std::string, std::size_t> ends;  // dead pages by the page that is their best candidate
  std::vector<std::pair<const Search*, const Compared*>> best;
  for (const Search& search : searches_) {
    const auto strongest = std::ranges::max_element(search.compared, [](const Compared& one, const Compared& other) {
      return std::pair(one.proof.level, one.proof.similarity) < std::pair(other.proof.level, other.proof.similarity);
    });
    if (strongest == search.compared.end()) continue;
    best.emplace_back(&search, &*strongest);
    ++ends[identity_of(strongest->page->final_url)];
  }
  std::vector<FoundRelocation> results;
  for (const auto& [search, compared] : best) {
    RelocationContext context{.explaining_moves = compared->explaining_moves,
                              .rival_similarity = compared->rival_similarity,
                              .is_shared = ends.at(identity_of(compared->page->final_url)) > 1};
    for (const Compared& other : search->compared) {
      if (&other != compared)
        context.rival_similarity = std::max(context.rival_similarity, other.proof.similarity.value_or(0.0));
    }
    const KnownPage& page = *compared->page;
    auto proof = prove(search->page, {page.final_url, page.snapshot, page.main_text}, context);
    if (proof) results.push_back({search->page.index, page.final_url, compared->source, std::move(*proof)});
  }
  return results;
}

}  // namespace linkherd::crawler
