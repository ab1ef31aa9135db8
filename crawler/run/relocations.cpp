#include "crawler/run/relocations.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "crawler/lookups/named_addresses.h"
#include "crawler/lookups/site_listing.h"
#include "parser/html/charset.h"
#include "parser/url/credentials.h"
#include "storage/link_history.h"

namespace linkherd::crawler {

namespace {

using storage::Relocation;
using storage::Snapshot;

constexpr std::chrono::days search_interval{30};  // a link is not searched more often
constexpr std::size_t max_read_occurrences = 32;  // of a dead link whose texts and entries are read
constexpr std::size_t max_read_entry_links = 10;  // per dead link
constexpr std::size_t max_not_found_page_bytes = std::size_t{128} << 10;  // that are read, of each
constexpr std::size_t max_not_found_links = 5;                            // per page, the best ones
constexpr std::size_t max_read_snapshots = 32;  // of a link that are searched for the last good one

bool was_searched_recently(const std::optional<Relocation>& last, Timestamp now) {
  return last && last->searched_at <= now && now - last->searched_at < search_interval;
}

bool is_not_found_page(const Snapshot& snapshot) { return snapshot.status == 404 || snapshot.status == 410; }

bool is_host_gone(const storage::Verdict& verdict) {
  return verdict.reason == storage::reason::dns_not_found || verdict.reason == storage::reason::dns_no_address;
}

std::string decoded_text(std::string_view body, const std::string& charset) {
  return parser::decode_html(body, charset).text;
}

// An entry of an input document.
using Entry = std::pair<std::string, std::uint32_t>;  // file and number

Entry entry_of(const parser::LinkOccurrence& occurrence) { return {occurrence.file, occurrence.entry}; }

// Adds the other links of their entries to dead pages.
void add_entry_links(const LinkTable& table, std::vector<DeadPage>& pages) {
  std::map<Entry, std::vector<DeadPage*>> entries;
  for (DeadPage& page : pages) {
    for (const parser::LinkOccurrence& occurrence : table.occurrences(page.index, max_read_occurrences)) {
      if (occurrence.entry != 0) entries[entry_of(occurrence)].push_back(&page);
    }
  }
  if (entries.empty()) return;
  for (std::size_t link = 0; link < table.size(); ++link) {
    const auto url = parser::Url::parse(table.href(link));
    if (!url) continue;
    table.for_each_occurrence(link, [&](const parser::LinkOccurrence& occurrence) {
      const auto entry = occurrence.entry == 0 ? entries.end() : entries.find(entry_of(occurrence));
      if (entry == entries.end()) return true;
      for (DeadPage* const page : entry->second) {
        if (page->index != link && page->entry_links.size() < max_read_entry_links) page->entry_links.push_back(*url);
      }
      return true;
    });
  }
}

}  // namespace

Relocations::Relocations(const RelocationOptions& options, const storage::Store* store)
    : store_(store), max_pages_(options.max_pages), search_(options) {}

void Relocations::note_page(const AnalyzedPage& page) {
  const Snapshot& snapshot = page.snapshot;
  if (page_exists(snapshot.verdict)) {
    if (snapshot.verdict.reason != storage::reason::moved_permanently) return;
    const auto to = parser::Url::parse(snapshot.final_url);
    if (to.has_value()) search_.note_move(page.url, *to);
    return;
  }
  if (!is_not_found_page(snapshot) || page.body.empty() || not_found_pages_.size() >= max_pages_) return;
  const auto final_url = parser::Url::parse(snapshot.final_url);
  if (final_url.has_error()) return;
  const std::string_view body = page.body;
  const std::string text = decoded_text(body.substr(0, max_not_found_page_bytes), snapshot.charset);
  NotFoundPage& kept = not_found_pages_[page.request.id()];
  kept.named = find_named_addresses(text, *final_url);
  SiteListing listing = read_site_listing(text, *final_url);
  const AddressRanking ranking = rank_addresses({page.url, {}, {}}, listing.addresses, max_not_found_links);
  for (const RankedAddress& address : ranking.best) kept.links.push_back(std::move(listing.addresses[address.index]));
}

void Relocations::start(const RunLinks& links, std::span<const std::uint32_t> dead, Timestamp now) {
  std::vector<DeadPage> pages;
  for (const std::uint32_t index : dead) {
    const storage::CheckedLink link = links.at(index);
    if (link.result.verdict.health != storage::Health::dead) continue;
    const bool was_searched = was_searched_recently(link.state.relocation, now);
    if (was_searched) note_known_move(links, index, *link.state.relocation);
    if (pages.size() + known_.size() >= max_pages_ || (was_searched && link.state.relocation->url.empty())) continue;
    std::optional<DeadPage> page = describe(links, index, link);
    if (!page) continue;
    const auto known = was_searched ? parser::Url::parse(link.state.relocation->url) : Error{"not searched"};
    if (known) {
      request_known(*known, std::move(*page));
    } else {
      pages.push_back(std::move(*page));
    }
  }
  add_entry_links(links.table(), pages);
  for (DeadPage& page : pages) search_.add(std::move(page));
}

void Relocations::note_known_move(const RunLinks& links, std::size_t index, const Relocation& relocation) {
  const auto from = parser::Url::parse(links.href_to_fetch(index));
  const auto to = parser::Url::parse(relocation.url);
  if (relocation.level == storage::RelocationLevel::sure && from && to) search_.note_move(*from, *to);
}

void Relocations::request_known(const parser::Url& url, DeadPage page) {
  std::vector<DeadPage>& pages = known_[std::string(url.href_without_fragment())];
  if (pages.empty()) requests_.push_back(FetchRequest::follow_up(Purpose::relocation, url));
  pages.push_back(std::move(page));
}

std::vector<FetchRequest> Relocations::take_requests() {
  std::vector<FetchRequest> requests = search_.take_requests();
  for (FetchRequest& request : std::exchange(requests_, {})) requests.push_back(std::move(request));
  return requests;
}

// Returns nullopt if the link is no web page.
std::optional<DeadPage> Relocations::describe(const RunLinks& links, std::size_t index,
                                              const storage::CheckedLink& link) const {
  const auto url = parser::Url::parse(links.href_to_fetch(index));
  if (url.has_error() || !url->is_http()) return std::nullopt;
  DeadPage page{.index = index, .url = *url};
  page.is_host_gone = is_host_gone(link.result.verdict);
  for (parser::LinkOccurrence& occurrence : links.table().occurrences(index, max_read_occurrences)) {
    if (!occurrence.text.empty()) page.link_texts.push_back(std::move(occurrence.text));
  }
  if (const auto kept = not_found_pages_.find(links.id(index)); kept != not_found_pages_.end()) {
    page.not_found_links = kept->second.links;
    for (const ListedAddress& address : kept->second.named)
      page.named_addresses.emplace_back(address.url, storage::RelocationSource::not_found_page);
  }
  read_last_good_copy(link.state, page);
  return page;
}

// The latest snapshot of a dead link keeps the metadata and the signature of the last good one.
void Relocations::read_last_good_copy(const storage::LinkState& state, DeadPage& page) const {
  if (!state.last_alive) return;
  page.last_good = state.snapshot;
  page.last_good->fetched_at = *state.last_alive;
  if (store_ == nullptr) return;
  const storage::LinkHistory history(*store_);
  const std::vector<Snapshot> snapshots = history.snapshots(state.id, max_read_snapshots);
  const auto good = std::ranges::find_if(snapshots, [](const Snapshot& one) { return page_exists(one.verdict); });
  if (good == snapshots.end()) return;
  page.last_good = *good;
  const std::optional<std::string> body = history.body(good->body_digest);
  const auto url = parser::Url::parse(good->final_url);
  if (!body || url.has_error()) return;
  read_old_page(decoded_text(*body, good->charset), *url, page);
}

void Relocations::handle_response(const AnalyzedPage& page) {
  if (auto known = known_.extract(std::string(page.url.href_without_fragment())); !known.empty()) {
    const bool is_dead = page.snapshot.verdict.health == storage::Health::dead;
    for (std::size_t i = 0; is_dead && i < known.mapped().size(); ++i) search_.add(std::move(known.mapped()[i]));
  }
  search_.handle_response(page.url, page.snapshot, page.body);
}

std::vector<std::pair<std::size_t, Relocation>> Relocations::take_results(Timestamp now) {
  std::vector<std::pair<std::size_t, Relocation>> results;
  std::set<std::size_t> with_result;
  for (FoundRelocation& found : search_.take_results()) {
    with_result.insert(found.index);
    results.emplace_back(found.index, Relocation{.url = std::string(parser::mask_password(found.url.href())),
                                                 .level = found.proof.level,
                                                 .source = found.source,
                                                 .similarity = found.proof.similarity,
                                                 .evidence = std::move(found.proof.evidence),
                                                 .searched_at = now});
  }
  for (const std::size_t index : search_.complete()) {
    if (with_result.contains(index)) continue;
    Relocation none;
    none.searched_at = now;
    results.emplace_back(index, std::move(none));
  }
  return results;
}

}  // namespace linkherd::crawler
