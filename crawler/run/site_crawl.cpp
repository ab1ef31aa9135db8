#include "crawler/run/site_crawl.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "crawler/run/crawler_traps.h"
#include "parser/html/charset.h"
#include "parser/url/credentials.h"

namespace linkherd::crawler {
namespace {

using parser::Url;

constexpr std::size_t max_calendar_pages = 400;  // per calendar: a year of days, or thirty years of months
constexpr std::size_t max_variants = 100;        // per path: pages that others are compared with
constexpr std::size_t max_repeats = 10;          // per path; after that its other queries are not fetched
constexpr double same_text = 0.8;

storage::LinkId path_id(const Url& page) {
  const std::string_view href = page.href_without_fragment();
  return storage::LinkId::of_text(href.substr(0, std::min(href.find('?'), href.size())));
}

std::uint64_t hash_of(std::string_view text) { return text.empty() ? 0 : std::hash<std::string_view>()(text) | 1U; }

}  // namespace

bool has_links(const storage::Snapshot& page) { return page_exists(page.verdict) && !page.charset.empty(); }

SiteScope::SiteScope(const std::vector<Url>& start, const LinkFilter* follow, LinkTableOptions lists)
    : follow_(follow), lists_(std::move(lists)) {
  lists_.site = this;
  for (const Url& url : start) {
    starts_.add(storage::LinkId::of(url));
    origins_.insert(url.origin());
  }
}

bool SiteScope::contains(const Url& url) const {
  if (!url.is_http()) return false;
  if (follow_ != nullptr) return !follow_->excludes(url.href(), url.href());
  const std::scoped_lock lock(mutex_);
  return origins_.contains(url.origin());
}

void SiteScope::add_origin(const Url& url) {
  const std::scoped_lock lock(mutex_);
  origins_.insert(url.origin());
}

bool SiteScope::may_be_read(const Url& link, const Url& page) const {
  return is_start(link) || (contains(link) && contains(page));
}

std::optional<LinkTable> SiteScope::read(const Url& link, const Url& page, std::string_view text) {
  if (!may_be_read(link, page)) return std::nullopt;
  if (is_start(link)) add_origin(page);
  InputDocument list;
  list.base_url = parser::without_credentials(page);  // a login applies only to the page it was given for
  list.file = list.base_url->href_without_fragment();
  list.text = text;
  list.format = parser::DocumentFormat::html;
  return read_link_table(list, lists_);
}

std::optional<storage::Verdict> SiteCrawl::verdict_if_excluded(const Url& link) {
  if (!scope_.contains(link) || scope_.is_start(link)) return std::nullopt;
  std::optional<std::string> why = endless_address(link, now_);
  const std::optional<std::string> plain = without_session(link);
  const bool is_new = seen_.add(plain ? storage::LinkId::of_text(*plain) : storage::LinkId::of(link)).is_new;
  if (!why && plain && !is_new) why = "the page was found with another session ID";
  if (!why) {
    const std::optional<std::string> calendar = calendar_of(link);
    if (calendar && ++calendars_[*calendar] > max_calendar_pages)
      why = fmt::format("the calendar has more than {} pages", max_calendar_pages);
  }
  if (!why && link.has_query()) {
    const auto path = paths_.find(path_id(link));
    if (path != paths_.end() && path->second.repeated >= max_repeats)
      why = fmt::format("{} other queries of this path returned pages that were already known", max_repeats);
  }
  if (!why) return std::nullopt;
  ++counts_.endless;
  return storage::without_request(storage::Health::skipped, storage::reason::crawler_trap, "trap", std::move(*why));
}

void SiteCrawl::forbid(const Url& link) {
  ++counts_.forbidden;
  // the start page has a response, but nothing to read
  if (scope_.is_start(link)) read_starts_.add(storage::LinkId::of(link));
}

std::optional<LinkTable> SiteCrawl::links_on(const Url& link, const storage::Snapshot& page,
                                             std::string_view body) const {
  if (body.empty() || !has_links(page)) return std::nullopt;
  const auto final_url = Url::parse(page.final_url);
  if (!final_url || !scope_.may_be_read(link, *final_url)) return std::nullopt;
  return scope_.read(link, *final_url, parser::decode_html(body, page.charset).text);
}

bool SiteCrawl::follow(const Url& link, const storage::Snapshot& snapshot, const LinkTable& table) {
  const Result<Url> page = Url::parse(snapshot.final_url);
  if (!page || !scope_.may_be_read(link, *page)) return false;
  if (scope_.is_start(link)) read_starts_.add(storage::LinkId::of(link));
  if (!followed_.add(storage::LinkId::of(*page)).is_new) return false;
  if (limits_.depth && step_ > *limits_.depth) return ++counts_.beyond_depth, false;
  if (repeats_another(*page, snapshot)) return ++counts_.repeated, false;
  // Start pages are followed first, so room is reserved for them: pages of a sitemap may arrive earlier.
  const std::size_t to_come = scope_.start_count() - read_starts_.size();
  if (counts_.pages + to_come >= limits_.max_pages) return ++counts_.beyond_pages, false;
  if (table.size() >= limits_.max_links || table.occurrence_count() >= limits_.max_occurrences)
    return ++counts_.beyond_links, false;
  ++counts_.pages;
  if (!snapshot.is_body_complete) ++counts_.cut;
  return true;
}

// Returns true if a followed page of the same path has the same text and title. The same canonical URL and nearly the
// same text also count. Short texts are not compared.
bool SiteCrawl::repeats_another(const Url& page, const storage::Snapshot& snapshot) {
  const parser::Metadata& metadata = snapshot.metadata;
  const Variant variant{snapshot.main_text, hash_of(metadata.title ? metadata.title->value : std::string()),
                        hash_of(metadata.canonical ? metadata.canonical->value : std::string())};
  Path& path = paths_[path_id(page)];
  const bool is_repeated = std::ranges::any_of(path.variants, [&variant](const Variant& other) {
    if (!variant.text.is_comparable() || !other.text.is_comparable()) return false;
    if (variant.text == other.text && variant.title == other.title) return true;
    return variant.canonical != 0 && variant.canonical == other.canonical &&
           parser::similarity(variant.text.minhash, other.text.minhash) >= same_text;
  });
  if (is_repeated) {
    ++path.repeated;
  } else if (path.variants.size() < max_variants) {
    path.variants.push_back(variant);
  }
  return is_repeated;
}

std::size_t SiteCrawl::end_of_step(std::size_t taken, std::size_t total) {
  if (!limits_.depth) return total;
  if (taken == step_end_ && pending_ == 0 && taken < total) {
    ++step_;
    step_end_ = total;
  }
  return step_end_;
}

void SiteCrawl::took(std::size_t index) {
  if (is_pending_.size() <= index) is_pending_.resize(index + 1);
  is_pending_[index] = true;
  ++pending_;
}

void SiteCrawl::ended(std::size_t index) {
  if (index >= is_pending_.size() || !is_pending_[index]) return;
  is_pending_[index] = false;
  --pending_;
}

}  // namespace linkherd::crawler
