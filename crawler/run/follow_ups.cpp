#include "crawler/run/follow_ups.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "crawler/classify/classify.h"
#include "crawler/classify/soft_404_probe.h"
#include "crawler/classify/strikes.h"
#include "storage/link_id.h"

namespace linkherd::crawler {

namespace {

constexpr std::size_t max_hosts = 100'000;  // to remember; a list may name millions of hosts
constexpr std::size_t max_serving_hosts = 1'000'000;
constexpr std::size_t max_waiting = 10'000;
constexpr std::size_t max_waiting_bytes = std::size_t{32} << 20;
constexpr std::size_t max_links_without_reply = 100'000;
constexpr std::size_t max_reply_bytes = std::size_t{16} << 20;
constexpr auto max_pause = std::chrono::seconds(60);  // a site API that requests a longer pause is not queried again
constexpr auto validity = std::chrono::hours(24);

std::string host_of(const parser::Url& url) {
  std::string host(url.host());
  if (url.port()) host.append(1, ':').append(std::to_string(*url.port()));
  return host;
}

// Most pages were not redirected: their URL is parsed already.
std::optional<parser::Url> final_url_of(const AnalyzedPage& page) {
  if (page.snapshot.final_url == page.url.href()) return page.url;
  const auto url = parser::Url::parse(page.snapshot.final_url);
  return url ? std::optional(*url) : std::nullopt;
}

bool is_root(const parser::Url& url) { return url.path() == "/" && url.query().empty(); }

}  // namespace

void FollowUps::restore(const std::vector<storage::HostState>& hosts, Timestamp now) {
  for (const storage::HostState& known : hosts) {
    if (!known.probe || known.probe->at > now || now - known.probe->at >= validity) continue;
    const auto url = parser::Url::parse(known.origin);
    if (url.has_error()) continue;
    Host& host = hosts_[host_of(*url)];
    host.origin = known.origin;
    host.probe_result = known.probe;
  }
}

bool FollowUps::hold(AnalyzedPage& page, bool may_request, Timestamp now) {
  note_host(page);
  return compare_with_host(page, may_request, now) || request_site_api(page, may_request, now) ||
         request_other_branch(page, may_request) || request_home_page(page, may_request);
}

bool FollowUps::has_room_for(const AnalyzedPage& page) const {
  return held_ < max_waiting && held_bytes_ + page.bytes() <= max_waiting_bytes;
}

void FollowUps::add(const storage::LinkId& request, Waiting waiting) {
  ++held_;
  held_bytes_ += waiting.page.bytes();
  // the bytes are bounded here: with a lease, an exhausted budget would block the follow-up request
  waiting.page.lease = {};
  waiting_[request].push_back(std::move(waiting));
}

std::vector<AnalyzedPage> FollowUps::release(AnalyzedPage answer, Timestamp now) {
  Host* const host = answer.request.purpose() == Purpose::probe ? &hosts_[host_of(answer.url)] : nullptr;
  if (host != nullptr) {
    const storage::Snapshot& probe = answer.snapshot;
    // A bot wall or a path that robots.txt disallows is no evidence about missing pages. If the probe's page only may
    // be a wall, it is compared.
    const bool is_refused = probe.verdict.health == storage::Health::blocked && !answer.by_status;
    const bool says_nothing = is_refused || probe.verdict.health == storage::Health::skipped;
    host->probe_result = {probe.fetched_at, says_nothing ? 0 : probe.status, probe.final_url, answer.features};
  }
  if (answer.request.purpose() == Purpose::home)
    home_statuses_[std::hash<std::string>()(host_of(answer.url))] = answer.snapshot.status;
  std::vector<AnalyzedPage> pages;
  auto waiting = waiting_.extract(answer.request.id());
  if (waiting.empty()) return pages;
  const storage::Snapshot found = answer.snapshot;
  const SiteApiAnswer* const reply =
      answer.request.purpose() == Purpose::site_api ? &keep_reply(std::move(answer), now) : nullptr;
  for (Waiting& one : waiting.mapped()) {
    --held_;
    held_bytes_ -= one.page.bytes();
    if (one.site_api_request && reply != nullptr) {
      evaluate_by_site_api(*one.site_api_request, *reply, one.page);
    } else if (one.branch) {
      const auto at = parser::Url::parse(found.final_url);
      if (page_exists(found.verdict) && at && at->path().ends_with(one.branch->path))
        one.page.snapshot.facts.push_back(std::move(one.branch->fact));
    } else if (one.home) {
      request_home_page(one.page, false);
    } else if (host != nullptr) {
      evaluate_by_host(*host, one.page);
    }
    pages.push_back(std::move(one.page));
  }
  return pages;
}

void FollowUps::evaluate_by_host(const Host& host, AnalyzedPage& page) const {
  storage::Verdict verdict =
      apply_probe({page.url, page.snapshot, page.features, page.features_with_url, *page.by_status, can_probe_hosts_},
                  host.probe_result ? &*host.probe_result : nullptr, host.home ? &*host.home : nullptr);
  page.by_status.reset();
  page.snapshot.verdict = std::move(verdict);
  if (page_exists(page.snapshot.verdict)) return;
  page.snapshot.metadata = {};
  page.snapshot.main_text = {};
}

bool FollowUps::compare_with_host(AnalyzedPage& page, bool may_request, Timestamp now) {
  const bool is_home = is_root(page.url) && page.snapshot.status == 200;
  if (!is_home && !page.by_status) return false;
  const std::string name = host_of(page.url);
  if (hosts_.size() >= max_hosts && !hosts_.contains(name)) {
    if (page.by_status) evaluate_by_host({}, page);
    return false;
  }
  Host& host = hosts_[name];
  if (is_home) host.home = page.features;
  if (!page.by_status) return false;
  const bool is_answered = host.probe_result || (host.probe_id && !waiting_.contains(*host.probe_id));
  if (!may_request || !can_probe_hosts_ || is_answered || !has_room_for(page)) {
    evaluate_by_host(host, page);
    return false;
  }
  if (!host.probe_id) {
    const auto url = parser::Url::parse(probe_href(page.url, now)).value();
    request_ = Request{FetchRequest::follow_up(Purpose::probe, url), std::nullopt};
    host.probe_id = request_->request.id();
    host.origin = url.origin();
  }
  add(*host.probe_id, {.page = std::move(page)});
  return true;
}

bool FollowUps::request_site_api(AnalyzedPage& page, bool may_request, Timestamp now) {
  if (site_apis_ == nullptr || !may_request || page.has_requested_site_api ||
      !is_worth_a_site_api(page.snapshot, harvest_))
    return false;
  page.has_requested_site_api = true;
  if (links_without_reply_.contains(page.request.id()) || !has_room_for(page)) return false;
  std::optional<SiteApiRequest> site_api_request =
      site_apis_->make_request(page.url, page.snapshot.redirects, page.oembed);
  if (!site_api_request) return false;
  const auto paused = paused_.find(site_api_request->site_api->name);
  if (paused != paused_.end() && paused->second - now > max_pause) return false;
  const auto url = parser::Url::parse(site_api_request->href).value();
  const storage::LinkId id = storage::LinkId::of(url);
  const auto known = replies_.find(id);
  if (known != replies_.end() && (known->second.is_confirmation || !page.request.is_confirmation())) {
    evaluate_by_site_api(*site_api_request, known->second, page);
    return false;
  }
  if (!waiting_.contains(id)) {
    std::vector<std::string> lines;
    for (const auto& [name, value] : site_api_request->site_api->headers)
      lines.push_back(fmt::format("{}: {}", name, value));
    request_ =
        Request{FetchRequest::follow_up(Purpose::site_api, url, std::move(lines), page.request.is_confirmation()), {}};
    if (paused != paused_.end()) request_->not_before = paused->second;
  }
  add(id, {.page = std::move(page), .site_api_request = std::move(site_api_request)});
  return true;
}

// Asks only for the confirmation of a missing file, because the link becomes dead then.
bool FollowUps::request_other_branch(AnalyzedPage& page, bool may_request) {
  const storage::Snapshot& found = page.snapshot;
  const bool is_missing = found.status == 404 && found.verdict.health == storage::Health::dead;
  if (!may_request || page.has_requested_branch || !page.request.is_confirmation() || !is_missing) return false;
  page.has_requested_branch = true;
  std::optional<OtherBranch> branch = other_branch(page.url);
  if (!branch || !has_room_for(page)) return false;
  const storage::LinkId id = storage::LinkId::of(branch->url);
  if (!waiting_.contains(id)) request_ = Request{FetchRequest::follow_up(Purpose::branch, branch->url), {}};
  add(id, {.page = std::move(page), .branch = std::move(branch)});
  return true;
}

void FollowUps::note_host(const AnalyzedPage& page) {
  const std::optional<parser::Url> url = final_url_of(page);
  if (!url) return;
  const std::size_t host = std::hash<std::string>()(host_of(*url));
  const int status = page.snapshot.status;
  const bool is_served = page_exists(page.snapshot.verdict) || (status >= 200 && status < 400);
  if (is_served && hosts_with_pages_.size() < max_serving_hosts) hosts_with_pages_.insert(host);
  if (status == 404 && !is_root(*url) && hosts_with_404_.size() < max_hosts) hosts_with_404_.insert(host);
  if (is_root(*url) && status != 0 && home_statuses_.size() < max_hosts) home_statuses_[host] = status;
}

bool FollowUps::has_lost_everything(std::size_t host) const {
  const auto home = home_statuses_.find(host);
  return home != home_statuses_.end() && home->second == 404 && hosts_with_404_.contains(host) &&
         !hosts_with_pages_.contains(host);
}

// A web site whose links were alive and that now answers 404 to everything is probably out of order or refuses
// linkherd. Hosts of files and interfaces never had a home page; their 404 pages are empty or not HTML. Asks only for
// the confirmation of a link, because the link becomes dead then.
bool FollowUps::request_home_page(AnalyzedPage& page, bool may_request) {
  storage::Snapshot& found = page.snapshot;
  const bool is_missing = found.status == 404 && found.verdict.health == storage::Health::dead &&
                          found.verdict.rule == "status" && !found.charset.empty();  // set if the page was read as HTML
  if (!is_missing || !page.has_host_lost_it || !page.request.is_confirmation() || !can_probe_hosts_) return false;
  const std::optional<parser::Url> url = final_url_of(page);
  if (!url) return false;
  const std::size_t host = std::hash<std::string>()(host_of(*url));
  if (has_lost_everything(host)) {
    found.verdict = doubt_404("HTTP 404, like all pages of the host, which had pages in an earlier run.");
    found.verdict.rule = rule_lost_host;
    return false;
  }
  if (!may_request || page.has_requested_home || home_statuses_.contains(host) || hosts_with_pages_.contains(host) ||
      !has_room_for(page))
    return false;
  page.has_requested_home = true;
  const auto home = parser::Url::parse(url->origin() + "/");
  if (!home) return false;
  // the scheme of the first such page decides between http and https
  const auto [asked, is_new] = home_requests_.try_emplace(host, storage::LinkId::of(*home));
  if (is_new) request_ = Request{FetchRequest::follow_up(Purpose::home, *home), {}};
  if (!is_new && !waiting_.contains(asked->second)) return false;
  add(asked->second, {.page = std::move(page), .home = true});
  return true;
}

const FollowUps::SiteApiAnswer& FollowUps::keep_reply(AnalyzedPage answer, Timestamp now) {
  const storage::Snapshot& found = answer.snapshot;
  SiteApiAnswer reply{.status = found.status,
                      .at = now,
                      .remark = found.verdict.evidence,
                      .is_confirmation = answer.request.is_confirmation()};
  if (found.is_body_complete) reply.body = std::move(answer.body);
  const std::size_t bytes = sizeof reply + (reply.body ? reply.body->size() : 0);
  if (reply_bytes_ + bytes > max_reply_bytes) {
    replies_.clear();
    reply_bytes_ = 0;
  }
  reply_bytes_ += bytes;
  return replies_.insert_or_assign(answer.request.id(), std::move(reply)).first->second;
}

void FollowUps::evaluate_by_site_api(const SiteApiRequest& site_api_request, const SiteApiAnswer& reply,
                                     AnalyzedPage& page) {
  SiteApiResult result;
  if (reply.body) result = read_site_api_reply(site_api_request, reply.status, *reply.body, reply.at);
  if (result.pause > Duration::zero()) paused_[site_api_request.site_api->name] = reply.at + result.pause;
  if (result.kind == SiteApiResult::Kind::unknown && links_without_reply_.size() < max_links_without_reply)
    links_without_reply_.insert(page.request.id());
  if (!apply_result(site_api_request, result, reply.remark, page.snapshot)) return;
  page.body.clear();
  page.visible = {};
}

void FollowUps::add_to(std::vector<storage::HostState>& hosts) const {
  std::unordered_map<std::string_view, std::size_t> positions;
  for (std::size_t i = 0; i < hosts.size(); ++i) positions.emplace(hosts[i].origin, i);
  std::vector<storage::HostState> others;
  for (const auto& [name, host] : hosts_) {
    if (!host.probe_result) continue;
    const auto position = positions.find(host.origin);
    storage::HostState& state = position != positions.end() ? hosts[position->second] : others.emplace_back();
    state.origin = host.origin;
    state.probe = host.probe_result;
  }
  hosts.insert(hosts.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
}

}  // namespace linkherd::crawler
