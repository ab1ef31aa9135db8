#include "crawler/run/relocation_search.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "crawler/classify/soft_404_probe.h"
#include "crawler/lookups/named_addresses.h"
#include "crawler/lookups/site_listing.h"
#include "parser/ascii.h"
#include "parser/html/charset.h"
#include "parser/html/html_document.h"
#include "parser/html/main_text.h"
#include "parser/html/text_signature.h"
#include "parser/inflate.h"
#include "parser/metadata/extract_metadata.h"
#include "parser/url/canonical.h"
#include "parser/url/host_labels.h"
#include "parser/utf8.h"
#include "storage/verdict.h"

namespace linkherd::crawler {

namespace {

constexpr std::size_t max_main_text_bytes = std::size_t{64} << 10;  // that are compared
constexpr std::size_t max_neighbours = 50;                          // that are kept of a page
constexpr std::size_t max_sitemap_bytes = std::size_t{16} << 20;    // of a compressed sitemap
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

bool is_home(const parser::Url& url) { return url.path().size() <= 1 && !url.has_query(); }

// Hosts of these names have copies of pages before they are published.
bool is_staging_host(const parser::Url& url) {
  constexpr std::array<std::string_view, 10> labels{"staging", "stage", "stg", "test",    "testing",
                                                    "preview", "qa",    "uat", "sandbox", "preprod"};
  return parser::is_one_of(labels, url.host().substr(0, url.host().find('.')));
}

std::string folder_key(const parser::Url& url) { return url.origin() + std::string(folder_of(url)); }

// Returns true if the response shows whether a page exists, unlike a refusal or a timeout.
bool tells_of_page(const storage::Snapshot& snapshot) {
  const storage::Health health = snapshot.verdict.health;
  return snapshot.status != 0 && (storage::page_exists(snapshot.verdict) || health == storage::Health::dead ||
                                  health == storage::Health::suspect);
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

void read_old_page(std::string_view text, const parser::Url& url, DeadPage& page) {
  page.main_text = parser::main_text(parser::HtmlDocument::parse(text), max_main_text_bytes).text;
  SiteListing listing = read_site_listing(text, url);
  page.old_page_links = std::move(listing.addresses);
  for (parser::Url& address : listing.elsewhere) page.old_page_links.push_back({std::move(address), {}});
  for (ListedAddress& address : find_named_addresses(text, url))
    page.named_addresses.emplace_back(std::move(address.url), RelocationSource::old_page);
}

RelocationSearch::RelocationSearch(RelocationOptions options)
    : options_(std::move(options)), listings_(options_.max_site_requests), lookups_(options_.max_archive_requests) {
  if (options_.github) github_host_ = github_host(options_.github->url);
}

bool RelocationSearch::add(DeadPage page) {
  if (searches_.size() >= options_.max_pages) return false;
  if (!page.last_good) {
    page.last_good = snapshot_from_link_texts(page.link_texts);
    page.is_remembered = false;
  }
  page.main_text.resize(truncate_utf8(page.main_text, max_main_text_bytes).size());
  if (page.is_host_gone) gone_hosts_.insert(std::string(page.url.host()));
  Search search{.page = std::move(page), .identity = {}};
  search.identity = identity_of(search.page.url);
  search.tried.insert(search.identity);
  searches_.push_back(std::move(search));
  advance(searches_.size() - 1);
  return true;
}

std::vector<FetchRequest> RelocationSearch::take_requests() {
  std::vector<FetchRequest> requests = lookups_.take_requests();
  std::ranges::move(std::exchange(requests_, {}), std::back_inserter(requests));
  return requests;
}

bool RelocationSearch::may_be_new_address(const Search& search, const parser::Url& url) const {
  const bool has_login = !url.username().empty() || !url.password().empty();
  return url.is_http() && !has_login && may_request(url) &&
         (!is_staging_host(url) || url.host() == search.page.url.host());
}

void RelocationSearch::add_candidate(Search& search, Candidate candidate) const {
  if (!may_be_new_address(search, candidate.url)) return;
  if (search.tried.insert(identity_of(candidate.url)).second) search.candidates.push_back(std::move(candidate));
}

void RelocationSearch::add_known_addresses(Search& search) {
  const DeadPage& page = search.page;
  const MoveRuleSet& rules = options_.rules ? *options_.rules : MoveRuleSet::built_in();
  if (std::optional<parser::Url> url = rules.apply(page.url))
    add_candidate(search, {std::move(*url), RelocationSource::host_rule});
  add_explained_addresses(search);
  for (const auto& [url, source] : page.named_addresses) add_candidate(search, {url, source});
  const auto add_best = [&](const std::vector<ListedAddress>& addresses, RelocationSource source) {
    const AddressRanking ranking = rank_addresses(moved_page(page), addresses, 1);
    if (ranking.is_confident) add_candidate(search, {addresses[ranking.best[0].index].url, source});
  };
  add_best(page.old_page_links, RelocationSource::old_page);
  add_best(page.not_found_links, RelocationSource::not_found_page);
  std::vector<ListedAddress> entry_links;
  for (const parser::Url& url : page.entry_links) entry_links.push_back({url, {}});
  add_best(entry_links, RelocationSource::entry);
  add_project(search);
}

void RelocationSearch::add_explained_addresses(Search& search) const {
  for (ExplainedAddress& address : moves_.explain(search.page.url))
    add_candidate(search, {std::move(address.url), RelocationSource::other_pages, address.moves});
}

// Adds the repository of a dead site, or the site of a dead repository.
void RelocationSearch::add_project(Search& search) const {
  const DeadPage& page = search.page;
  const std::string name = repository_name(page.url);
  const auto add = [&](const parser::Url& url, RelocationSource source) {
    const bool fits = name.empty() ? has_name_of_site(repository_name(url), page.url) : has_name_of_site(name, url);
    if (fits) add_candidate(search, {url, source});
    return fits;
  };
  for (const ListedAddress& link : page.old_page_links) {
    if (add(link.url, RelocationSource::old_page)) return;
  }
  for (const parser::Url& url : page.entry_links) {
    if (add(url, RelocationSource::entry)) return;
  }
}

MovedPage RelocationSearch::moved_page(const DeadPage& page) {
  const auto& title = page.last_good->metadata.title;
  return {page.url, title ? title->value : std::string(), page.link_texts};
}

void RelocationSearch::advance(std::size_t index) {
  Search& search = searches_[index];
  while (!search.is_done) {
    if (search.is_verifying) return verify(index);
    if (search.candidates.empty()) {
      if (!take_step(index)) return;
      continue;
    }
    search.current = std::move(search.candidates.front());
    search.candidates.pop_front();
    const std::string href(search.current->url.href_without_fragment());
    if (!pages_.contains(href) && (!has_budget(search) || !may_request(search.current->url))) continue;
    if (!request(search.current->url, index)) return;
    handle_candidate(index, pages_.at(href));
  }
}

// A step is finished before the next one begins. Each function returns false while it waits for a response.
bool RelocationSearch::take_step(std::size_t index) {
  Search& search = searches_[index];
  search.current.reset();
  switch (search.step) {
    case Step::archived_copy:
      if (!ask_for_copy(index)) return false;
      search.step = Step::known_addresses;
      return true;
    case Step::known_addresses:
      add_known_addresses(search);
      search.step = Step::github;
      return true;
    case Step::github:
      if (!ask_github(index)) return false;
      search.step = Step::archived_redirect;
      return true;
    case Step::archived_redirect:
      if (!ask_for_redirect(index)) return false;
      add_explained_addresses(search);  // other pages may have been found since
      search.step = Step::listings;
      return true;
    case Step::listings:
      if (!wait_for_listings(index)) return false;
      search.step = Step::end;
      return true;
    case Step::end: search.is_done = true; return true;
  }
  return true;
}

bool RelocationSearch::ask(LookupKind kind, FetchRequest request, std::size_t index) {
  Search& search = searches_[index];
  if (!has_budget(search)) return false;
  if (lookups_.add(kind, std::move(request), index)) ++search.requests;
  return true;
}

bool RelocationSearch::may_ask_archive(const Search& search) const {
  const parser::Url& url = search.page.url;
  return options_.archive && lookups_.may_ask_archive() && url.username().empty() && url.password().empty() &&
         options_.archive->may_know(url);
}

bool RelocationSearch::ask_for_captures(std::size_t index) {
  const DeadPage& page = searches_[index].page;
  const auto last_good = page.is_remembered ? std::optional(page.last_good->fetched_at) : std::nullopt;
  return ask(LookupKind::captures,
             FetchRequest::follow_up(Purpose::relocation_lookup, options_.archive->captures(page.url, last_good)),
             index);
}

// Returns true if there is nothing to wait for.
bool RelocationSearch::ask_for_copy(std::size_t index) {
  Search& search = searches_[index];
  if (search.page.is_remembered || !may_ask_archive(search)) return true;
  if (!search.captures) return !ask_for_captures(index);
  const std::string date = std::exchange(search.captures->copy, {});
  if (date.empty()) return true;
  return !ask(LookupKind::copy,
              FetchRequest::follow_up(Purpose::relocation_lookup, options_.archive->capture(search.page.url, date)),
              index);
}

bool RelocationSearch::ask_for_redirect(std::size_t index) {
  Search& search = searches_[index];
  if (!may_ask_archive(search)) return true;
  if (!search.captures) return !ask_for_captures(index);
  const std::string date = std::exchange(search.captures->redirect, {});
  if (date.empty()) return true;
  return !ask(LookupKind::redirect,
              FetchRequest::follow_up(Purpose::relocation_lookup, options_.archive->capture(search.page.url, date)),
              index);
}

// Returns the repository of a dead page of GitHub, or that of the project of a dead site.
std::optional<GithubLink> RelocationSearch::find_repository(const Search& search) const {
  const DeadPage& page = search.page;
  if (auto link = github_link(page.url, github_host_)) return link->name.empty() ? std::nullopt : std::move(link);
  const auto find = [&](const parser::Url& url) {
    auto link = github_link(url, github_host_);
    if (link && (link->kind != GithubKind::repository || !has_name_of_site(link->name, page.url))) link.reset();
    return link;
  };
  for (const ListedAddress& listed : page.old_page_links) {
    if (auto link = find(listed.url)) return link;
  }
  for (const parser::Url& url : page.entry_links) {
    if (auto link = find(url)) return link;
  }
  return std::nullopt;
}

bool RelocationSearch::ask_github(std::size_t index) {
  if (!options_.github || !lookups_.may_ask_github()) return true;
  Search& search = searches_[index];
  const std::optional<GithubLink> link = find_repository(search);
  if (!link) return true;
  FetchRequest request = request_repository(*options_.github, *link);
  const auto known = repositories_.find(std::string(request.href()));
  if (known == repositories_.end()) return !ask(LookupKind::repository, std::move(request), index);
  if (!known->second.properties) return true;
  const GithubRepository& repository = *known->second.properties;
  const std::string name = fmt::format("{}/{}", link->owner, link->name);
  const bool is_of_page = github_link(search.page.url, github_host_).has_value();
  const bool is_renamed = !parser::equals_ignoring_case(repository.full_name, parser::to_ascii_lower(name));
  if (is_of_page && is_renamed) {
    auto url = parser::Url::parse(fmt::format("https://{}/{}{}", github_host_, repository.full_name, link->rest));
    if (url.has_value())
      add_candidate(search,
                    {.url = std::move(*url), .source = RelocationSource::github, .is_renamed_repository = true});
  }
  if (repository.homepage && (!is_of_page || link->kind == GithubKind::repository)) {
    auto url = parser::Url::parse(fmt::format("https://{}/{}", github_host_, repository.full_name));
    if (url.has_value())
      add_candidate(search,
                    {.url = *repository.homepage, .source = RelocationSource::github, .repository = identity_of(*url)});
  }
  if (!is_of_page || link->kind != GithubKind::file) return true;
  FetchRequest files_request = request_files(*options_.github, repository);
  const auto files = repositories_.find(std::string(files_request.href()));
  if (files == repositories_.end()) return !ask(LookupKind::files, std::move(files_request), index);
  const std::vector<ListedAddress> named = files_named_like(*link, files->second.files, repository, github_host_);
  const AddressRanking ranking = rank_addresses(moved_page(search.page), named, 1);
  if (named.size() == 1 || ranking.is_confident)
    add_candidate(search, {.url = named[ranking.best[0].index].url,
                           .source = RelocationSource::github,
                           .is_only_file_of_name = named.size() == 1});
  return true;
}

bool RelocationSearch::request(const parser::Url& url, std::size_t index) {
  const std::string href(url.href_without_fragment());
  if (pages_.contains(href)) return true;
  ++searches_[index].requests;
  std::vector<std::size_t>& waiting = pending_[href];
  waiting.push_back(index);
  if (waiting.size() == 1 && !listings_.is_awaited(href)) send(url);
  return false;
}

void RelocationSearch::send(const parser::Url& url) {
  requests_.push_back(FetchRequest::follow_up(Purpose::relocation, url));
}

void RelocationSearch::handle_response(const parser::Url& requested, const storage::Snapshot& snapshot,
                                       std::string_view content) {
  const Response response{requested, snapshot, content};
  const std::string href(response.requested.href_without_fragment());
  now_ = response.snapshot.fetched_at;
  if (const std::optional<ServiceLookup> lookup = lookups_.take(href, response.snapshot))
    return handle_lookup(*lookup, href, response);
  const std::string unpacked =
      parser::is_gzip(response.body) ? parser::gunzip(response.body, max_sitemap_bytes).text : std::string();
  const std::string_view body = unpacked.empty() ? response.body : std::string_view(unpacked);
  const std::string text = parser::decode_html(body, response.snapshot.charset).text;
  const bool is_page = listings_.is_awaited_page(href);
  const auto waiting = pending_.extract(href);
  if (!waiting.empty() || (is_page && !pages_.contains(href)))
    handle_page(href, waiting.empty() ? std::vector<std::size_t>() : waiting.mapped(), response, text);
  for (const std::size_t index : listings_.handle_document(response.requested, response.snapshot, text)) advance(index);
  send_documents();
}

void RelocationSearch::handle_lookup(const ServiceLookup& lookup, const std::string& href, const Response& response) {
  if (lookup.kind == LookupKind::repository || lookup.kind == LookupKind::files) {
    Repository& known = repositories_[href];
    const bool has_answer = response.snapshot.status == 200;
    if (has_answer && lookup.kind == LookupKind::repository) known.properties = read_repository(response.body);
    if (has_answer && lookup.kind == LookupKind::files) known.files = read_files(response.body);
  }
  for (const std::size_t index : lookup.waiting) {
    Search& search = searches_[index];
    if (is_temporary_failure(response.snapshot)) search.is_incomplete = true;
    if (lookup.kind == LookupKind::captures) read_captures(search, response);
    if (lookup.kind == LookupKind::copy) read_copy(search, response);
    if (lookup.kind == LookupKind::redirect) read_archived_redirect(search, response);
    advance(index);
  }
  for (const std::size_t index : lookups_.take_dropped()) {
    searches_[index].is_incomplete = true;
    advance(index);
  }
}

void RelocationSearch::read_captures(Search& search, const Response& response) const {
  search.captures.emplace();
  if (response.snapshot.status != 200) return;
  auto captures = options_.archive->read_captures(response.body, search.page.url, now_);
  if (captures.has_value()) search.captures = std::move(*captures);
}

// The archived page takes the place of the last good snapshot.
void RelocationSearch::read_copy(Search& search, const Response& response) const {
  const storage::Snapshot& answer = response.snapshot;
  DeadPage& page = search.page;
  const auto final_url = resolve(answer.final_url, response.requested);
  const auto captured = final_url ? options_.archive->captured_url(*final_url) : std::nullopt;
  if (answer.status != 200 || !captured || identity_of(*captured) != search.identity) return;
  const std::string text = parser::decode_html(response.body, answer.charset).text;
  const auto document = parser::HtmlDocument::parse(text);
  storage::Snapshot copy;
  copy.status = answer.status;
  copy.metadata = parser::extract_metadata(document, &page.url, now_);
  copy.main_text = parser::compute_signature(parser::main_text(document, max_main_text_bytes).text);
  if (!copy.metadata.title || !copy.main_text.was_read()) return;
  page.last_good = std::move(copy);
  page.is_remembered = true;
  read_old_page(text, page.url, page);
}

// A target that other pages of the host share is that of a soft 404.
void RelocationSearch::read_archived_redirect(Search& search, const Response& response) {
  std::optional<parser::Url> target = options_.archive->redirect_target(response.snapshot, search.page.url);
  if (!target || is_home(*target)) return;
  std::unordered_set<std::string>& pages = redirected_[identity_of(*target)];
  pages.insert(search.identity);
  if (pages.size() == 1) add_candidate(search, {std::move(*target), RelocationSource::archive});
}

void RelocationSearch::handle_page(const std::string& href, const std::vector<std::size_t>& searches,
                                   const Response& response, std::string_view text) {
  KnownPage page{.final_url = resolve(response.snapshot.final_url, response.requested).value_or(response.requested),
                 .identity = {},
                 .snapshot = response.snapshot,
                 .main_text = {},
                 .neighbours = {},
                 .elsewhere = {}};
  page.identity = identity_of(page.final_url);
  const bool exists = storage::page_exists(page.snapshot.verdict);
  if (exists) {
    page.main_text = parser::main_text(parser::HtmlDocument::parse(text), max_main_text_bytes).text;
    SiteListing listing = read_site_listing(text, page.final_url);
    for (ListedAddress& address : listing.addresses) {
      if (page.neighbours.size() < max_neighbours && address.url.origin() == page.final_url.origin() &&
          folder_of(address.url) == folder_of(page.final_url) && identity_of(address.url) != page.identity)
        page.neighbours.push_back(std::move(address.url));
    }
    for (const parser::Url& url : listing.elsewhere) page.elsewhere.insert(identity_of(url));
  }
  const KnownPage& known = pages_.insert_or_assign(href, std::move(page)).first->second;
  if (exists) folders_[folder_key(known.final_url)].push_back(&known);
  for (const std::size_t index : searches) {
    if (searches_[index].is_verifying) {
      handle_neighbour(index, known);
    } else {
      handle_candidate(index, known);
    }
    advance(index);
  }
}

void RelocationSearch::handle_candidate(std::size_t index, const KnownPage& page) {
  Search& search = searches_[index];
  if (page.snapshot.verdict.health == storage::Health::unreachable) search.is_incomplete = true;
  if (!search.current || page.identity == search.identity) return;
  Compared compared{.candidate = std::move(*std::exchange(search.current, std::nullopt)), .page = &page, .proof = {}};
  if (std::optional<parser::Url> original = original_of(page, search.page.url)) {
    if (!may_be_new_address(search, *original) || !search.tried.insert(identity_of(*original)).second) return;
    search.candidates.push_front(std::move(compared.candidate));
    search.candidates.front().url = std::move(*original);
    return;
  }
  std::optional<RelocationProof> proof = prove(search, compared, context_of(search, compared));
  if (!proof) return;
  search.is_verifying = proof->level == RelocationLevel::sure;
  compared.proof = std::move(*proof);
  search.compared.push_back(std::move(compared));
}

// Returns the canonical address of a page that is a copy: one on another host. A page that moved may still name the
// dead host, so that one does not count.
std::optional<parser::Url> RelocationSearch::original_of(const KnownPage& page, const parser::Url& dead) {
  const auto& canonical = page.snapshot.metadata.canonical;
  if (!canonical || !storage::page_exists(page.snapshot.verdict)) return std::nullopt;
  std::optional<parser::Url> url = resolve(canonical->value, page.final_url);
  const auto host_of = [](const parser::Url& one) { return parser::without_www(one.host()); };
  if (!url || !url->is_http() || host_of(*url) == host_of(page.final_url) || host_of(*url) == host_of(dead))
    return std::nullopt;
  return url;
}

RelocationContext RelocationSearch::context_of(const Search& search, const Compared& compared) const {
  const auto redirected = redirected_.find(identity_of(compared.candidate.url));
  const bool is_only_redirect = compared.candidate.source == RelocationSource::archive &&
                                redirected != redirected_.end() && redirected->second.size() == 1;
  const bool has_redirect = is_only_redirect || compared.candidate.is_renamed_repository;
  return {.source = compared.candidate.source,
          .has_redirect = has_redirect,
          .explaining_moves = compared.candidate.explaining_moves,
          .rival_similarity = compared.neighbour_similarity,
          .is_only_file_of_name = compared.candidate.is_only_file_of_name,
          .is_same_project = is_same_project(search, compared)};
}

bool RelocationSearch::is_same_project(const Search& search, const Compared& compared) const {
  const KnownPage& page = *compared.page;
  if (!compared.candidate.repository.empty()) return page.elsewhere.contains(compared.candidate.repository);
  const std::string dead_name = repository_name(search.page.url);
  const bool has_same_name = dead_name.empty() ? has_name_of_site(repository_name(page.final_url), search.page.url)
                                               : has_name_of_site(dead_name, page.final_url);
  return has_same_name && page.elsewhere.contains(search.identity) &&
         std::ranges::any_of(search.page.old_page_links, [&](const ListedAddress& link) {
           return identity_of(link.url) == identity_of(compared.candidate.url) ||
                  identity_of(link.url) == page.identity;
         });
}

std::optional<RelocationProof> RelocationSearch::prove(const Search& search, const Compared& compared,
                                                       const RelocationContext& context) const {
  const DeadPage& page = search.page;
  const PageVersion old_page{page.url, *page.last_good, page.main_text};
  const PageVersion found{compared.page->final_url, compared.page->snapshot, compared.page->main_text};
  std::optional<RelocationProof> proof = prove_relocation(old_page, found, context);
  if (proof && !page.is_remembered) proof->level = RelocationLevel::possibly;
  return proof;
}

// A page that is as similar as its neighbour is only proven to have the same template.
void RelocationSearch::verify(std::size_t index) {
  Search& search = searches_[index];
  const KnownPage& found = *search.compared.back().page;
  if (const KnownPage* neighbour = known_neighbour(found)) {
    handle_neighbour(index, *neighbour);
    return advance(index);
  }
  const parser::Url neighbour = choose_neighbour(found);
  const std::string href(neighbour.href_without_fragment());
  if (!pages_.contains(href) && (!has_budget(search) || !may_request(neighbour))) {
    search.is_verifying = false;
    search.is_done = true;
    return;
  }
  if (!request(neighbour, index)) return;
  handle_neighbour(index, pages_.at(href));
  advance(index);
}

// Returns a page of the same folder that was requested before, or null.
const RelocationSearch::KnownPage* RelocationSearch::known_neighbour(const KnownPage& page) const {
  const auto folder = folders_.find(folder_key(page.final_url));
  if (folder == folders_.end()) return nullptr;
  const auto other = std::ranges::find_if(
      folder->second, [&](const KnownPage* one) { return one->identity != page.identity && !is_home(one->final_url); });
  return other == folder->second.end() ? nullptr : *other;
}

parser::Url RelocationSearch::choose_neighbour(const KnownPage& page) const {
  // The first links of a page often lead to pages of another kind, such as "about".
  if (!page.neighbours.empty()) return page.neighbours[page.neighbours.size() / 2];
  if (const OriginListing* const listing = listings_.find(page.final_url.origin())) {
    for (const ListedAddress& address : listing->addresses) {
      if (address.url.origin() == page.final_url.origin() && folder_of(address.url) == folder_of(page.final_url) &&
          address.url.path() != folder_of(address.url) && identity_of(address.url) != page.identity)
        return address.url;
    }
  }
  return parser::Url::parse(probe_href(page.final_url, now_)).value();
}

void RelocationSearch::handle_neighbour(std::size_t index, const KnownPage& neighbour) {
  Search& search = searches_[index];
  search.is_verifying = false;
  Compared& best = search.compared.back();
  const PageVersion old_page{search.page.url, *search.page.last_good, search.page.main_text};
  const PageVersion other{neighbour.final_url, neighbour.snapshot, neighbour.main_text};
  // A neighbour that redirects to the candidate, as all pages of a soft 404 do, is no other page.
  best.neighbour_similarity =
      neighbour.identity == best.page->identity ? 1.0 : text_similarity(old_page, other).value_or(0.0);
  best.is_verified = tells_of_page(neighbour.snapshot);
  std::optional<RelocationProof> proof = prove(search, best, context_of(search, best));
  if (!proof) {
    search.compared.pop_back();
    return;
  }
  best.proof = std::move(*proof);
  search.is_done = best.is_verified && best.proof.level == RelocationLevel::sure;
  if (search.is_done) moves_.add(search.page.url, best.page->final_url);
}

// Returns true if the listings of the site were read, or cannot be.
bool RelocationSearch::wait_for_listings(std::size_t index) {
  Search& search = searches_[index];
  if (!has_budget(search) || !may_request(search.page.url)) return true;
  const OriginListing* const listing = listings_.read(search.page.url, index);
  send_documents();
  if (listing == nullptr) return false;
  if (listing->has_failed) search.is_incomplete = true;
  add_explained_addresses(search);
  add_listed_addresses(search, *listing);
  return true;
}

void RelocationSearch::send_documents() {
  for (const parser::Url& url : listings_.take_requests()) {
    if (!pending_.contains(std::string(url.href_without_fragment()))) send(url);
  }
}

void RelocationSearch::add_listed_addresses(Search& search, const OriginListing& listing) const {
  const AddressRanking ranking = listing.ranker->rank(moved_page(search.page), options_.max_listed_pages);
  for (const RankedAddress& address : ranking.best) {
    if (address.score >= min_ranking_score)
      add_candidate(search, {listing.addresses[address.index].url, listing.sources[address.index]});
  }
}

std::vector<std::size_t> RelocationSearch::complete() const {
  std::vector<std::size_t> indices;
  for (const Search& search : searches_) {
    if (search.is_done && !search.is_incomplete) indices.push_back(search.page.index);
  }
  return indices;
}

std::vector<FoundRelocation> RelocationSearch::take_results() {
  std::unordered_map<std::string, std::unordered_set<std::string>> ends;     // dead pages by their candidate
  std::unordered_map<std::uint64_t, std::unordered_set<std::string>> texts;  // canonical addresses by text
  for (const auto& [href, page] : pages_) {
    if (!page.snapshot.main_text.was_read()) continue;
    const auto& canonical = page.snapshot.metadata.canonical;
    const auto original = canonical ? resolve(canonical->value, page.final_url) : std::nullopt;
    texts[page.snapshot.main_text.digest].insert(original ? identity_of(*original) : page.identity);
  }
  for (const Search& search : searches_) {
    const auto strongest = std::ranges::max_element(search.compared, [](const Compared& one, const Compared& other) {
      return std::pair(one.proof.level, one.proof.similarity) < std::pair(other.proof.level, other.proof.similarity);
    });
    if (strongest != search.compared.end() && strongest->proof.level >= RelocationLevel::newer)
      ends[strongest->page->identity].insert(search.identity);
  }
  const auto final_proof = [&](const Search& search, const Compared& compared) {
    const KnownPage& page = *compared.page;
    RelocationContext context = context_of(search, compared);
    const auto same_text = texts.find(page.snapshot.main_text.digest);
    const auto end = ends.find(page.identity);
    context.is_shared =
        (end != ends.end() && end->second.size() > 1) || (same_text != texts.end() && same_text->second.size() > 1);
    context.rival_similarity = std::max(context.rival_similarity, rival_similarity(search, compared));
    context.similarity = &compared.proof.similarity;
    std::optional<RelocationProof> proof = prove(search, compared, context);
    if (proof && proof->level == RelocationLevel::sure && !compared.is_verified)
      proof->level = RelocationLevel::probably;
    return proof;
  };
  std::vector<FoundRelocation> results;
  for (const Search& search : searches_) {
    if (!search.is_done) continue;
    std::optional<FoundRelocation> found;
    for (const Compared& compared : search.compared) {
      std::optional<RelocationProof> proof = final_proof(search, compared);
      if (proof && (!found || std::pair(found->proof.level, found->proof.similarity) <
                                  std::pair(proof->level, proof->similarity)))
        found =
            FoundRelocation{search.page.index, compared.page->final_url, compared.candidate.source, std::move(*proof)};
    }
    if (found) results.push_back(std::move(*found));
  }
  return results;
}

// Returns the highest similarity between the dead page and another page of the candidate's site, and between the
// candidate and another dead page.
double RelocationSearch::rival_similarity(const Search& search, const Compared& compared) const {
  const DeadPage& page = search.page;
  const KnownPage& found = *compared.page;
  double highest = 0.0;
  // There may be many rivals, so their signatures are compared.
  const auto compare = [&highest](const storage::Snapshot& one, const storage::Snapshot& other) {
    if (one.main_text.is_comparable() && other.main_text.is_comparable())
      highest = std::max(highest, parser::similarity(one.main_text.minhash, other.main_text.minhash));
  };
  for (const Compared& other : search.compared) {
    if (other.page->identity != found.identity) highest = std::max(highest, other.proof.similarity.value_or(0.0));
  }
  if (const auto folder = folders_.find(folder_key(found.final_url)); folder != folders_.end()) {
    for (const KnownPage* other : folder->second) {
      if (other->identity != found.identity) compare(*page.last_good, other->snapshot);
    }
  }
  for (const Search& other : searches_) {
    if (other.identity != search.identity && other.page.url.host() == page.url.host())
      compare(*other.page.last_good, found.snapshot);
  }
  return highest;
}

}  // namespace linkherd::crawler
