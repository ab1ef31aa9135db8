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
constexpr std::size_t max_unanswered = 100'000;
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
    host.answer = known.probe;
  }
}

bool FollowUps::hold(AnalyzedPage& page, bool may_ask, Timestamp now) {
  note_host(page);
  return compare_with_host(page, may_ask, now) || ask_site_api(page, may_ask, now) || ask_other_branch(page, may_ask) ||
         ask_home_page(page, may_ask);
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
    host->answer = {probe.fetched_at, says_nothing ? 0 : probe.status, probe.final_url, answer.features};
  }
  if (answer.request.purpose() == Purpose::home)
    homes_[std::hash<std::string>()(host_of(answer.url))] = answer.snapshot.status;
  std::vector<AnalyzedPage> pages;
  auto waiting = waiting_.extract(answer.request.id());
  if (waiting.empty()) return pages;
  const storage::Snapshot found = answer.snapshot;
  const Reply* const reply =
      answer.request.purpose() == Purpose::site_api ? &keep_reply(std::move(answer), now) : nullptr;
  for (Waiting& one : waiting.mapped()) {
    --held_;
    held_bytes_ -= one.page.bytes();
    if (one.question && reply != nullptr) {
      settle_by_site_api(*one.question, *reply, one.page);
    } else if (one.branch) {
      const auto at = parser::Url::parse(found.final_url);
      if (is_there(found.verdict) && at && at->path().ends_with(one.branch->path))
        one.page.snapshot.facts.push_back(std::move(one.branch->fact));
    } else if (one.home) {
      ask_home_page(one.page, false);
    } else if (host != nullptr) {
      settle_by_host(*host, one.page);
    }
    pages.push_back(std::move(one.page));
  }
  return pages;
}

void FollowUps::settle_by_host(const Host& host, AnalyzedPage& page) const {
  storage::Verdict verdict =
      apply_probe({page.url, page.snapshot, page.features, page.whole, *page.by_status, can_ask_hosts_},
                  host.answer ? &*host.answer : nullptr, host.home ? &*host.home : nullptr);
  page.by_status.reset();
  page.snapshot.verdict = std::move(verdict);
  if (is_there(page.snapshot.verdict)) return;
  page.snapshot.metadata = {};
  page.snapshot.main_text = {};
}

bool FollowUps::compare_with_host(AnalyzedPage& page, bool may_ask, Timestamp now) {
  const bool is_home = is_root(page.url) && page.snapshot.status == 200;
  if (!is_home && !page.by_status) return false;
  const std::string name = host_of(page.url);
  if (hosts_.size() >= max_hosts && !hosts_.contains(name)) {
    if (page.by_status) settle_by_host({}, page);
    return false;
  }
  Host& host = hosts_[name];
  if (is_home) host.home = page.features;
  if (!page.by_status) return false;
  const bool is_answered = host.answer || (host.asked && !waiting_.contains(*host.asked));
  if (!may_ask || !can_ask_hosts_ || is_answered || !has_room_for(page)) {
    settle_by_host(host, page);
    return false;
  }
  if (!host.asked) {
    const auto url = parser::Url::parse(probe_href(page.url, now)).value();
    request_ = Request{FetchRequest::follow_up(Purpose::probe, url), std::nullopt};
    host.asked = request_->request.id();
    host.origin = url.origin();
  }
  add(*host.asked, {.page = std::move(page)});
  return true;
}

bool FollowUps::ask_site_api(AnalyzedPage& page, bool may_ask, Timestamp now) {
  if (site_apis_ == nullptr || !may_ask || page.has_asked_site_api || !is_worth_a_site_api(page.snapshot, harvest_))
    return false;
  page.has_asked_site_api = true;
  if (unanswered_.contains(page.request.id()) || !has_room_for(page)) return false;
  std::optional<SiteApiRequest> question = site_apis_->question(page.url, page.snapshot.redirects, page.oembed);
  if (!question) return false;
  const auto paused = paused_.find(question->site_api->name);
  if (paused != paused_.end() && paused->second - now > max_pause) return false;
  const auto url = parser::Url::parse(question->href).value();
  const storage::LinkId id = storage::LinkId::of(url);
  const auto known = replies_.find(id);
  if (known != replies_.end() && (known->second.is_confirmation || !page.request.is_confirmation())) {
    settle_by_site_api(*question, known->second, page);
    return false;
  }
  if (!waiting_.contains(id)) {
    std::vector<std::string> lines;
    for (const auto& [name, value] : question->site_api->headers) lines.push_back(fmt::format("{}: {}", name, value));
    request_ =
        Request{FetchRequest::follow_up(Purpose::site_api, url, std::move(lines), page.request.is_confirmation()), {}};
    if (paused != paused_.end()) request_->not_before = paused->second;
  }
  add(id, {.page = std::move(page), .question = std::move(question)});
  return true;
}

// Asks only for the confirmation of a missing file, because the link becomes dead then.
bool FollowUps::ask_other_branch(AnalyzedPage& page, bool may_ask) {
  const storage::Snapshot& found = page.snapshot;
  const bool is_missing = found.status == 404 && found.verdict.health == storage::Health::dead;
  if (!may_ask || page.has_asked_branch || !page.request.is_confirmation() || !is_missing) return false;
  page.has_asked_branch = true;
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
  const bool is_served = is_there(page.snapshot.verdict) || (status >= 200 && status < 400);
  if (is_served && serving_.size() < max_serving_hosts) serving_.insert(host);
  if (status == 404 && !is_root(*url) && missing_.size() < max_hosts) missing_.insert(host);
  if (is_root(*url) && status != 0 && homes_.size() < max_hosts) homes_[host] = status;
}

bool FollowUps::has_lost_everything(std::size_t host) const {
  const auto home = homes_.find(host);
  return home != homes_.end() && home->second == 404 && missing_.contains(host) && !serving_.contains(host);
}

// A web site whose links were alive and that now answers 404 to everything is probably out of order or refuses
// linkherd. Hosts of files and interfaces never had a home page; their 404 pages are empty or not HTML. Asks only for
// the confirmation of a link, because the link becomes dead then.
bool FollowUps::ask_home_page(AnalyzedPage& page, bool may_ask) {
  storage::Snapshot& found = page.snapshot;
  const bool is_missing = found.status == 404 && found.verdict.health == storage::Health::dead &&
                          found.verdict.rule == "status" && !found.charset.empty();  // set if the page was read as HTML
  if (!is_missing || !page.has_host_lost_it || !page.request.is_confirmation() || !can_ask_hosts_) return false;
  const std::optional<parser::Url> url = final_url_of(page);
  if (!url) return false;
  const std::size_t host = std::hash<std::string>()(host_of(*url));
  if (has_lost_everything(host)) {
    found.verdict = doubt_404("HTTP 404, like all pages of the host, which had pages in an earlier run.");
    found.verdict.rule = rule_lost_host;
    return false;
  }
  if (!may_ask || page.has_asked_home || homes_.contains(host) || serving_.contains(host) || !has_room_for(page))
    return false;
  page.has_asked_home = true;
  const auto home = parser::Url::parse(url->origin() + "/");
  if (!home) return false;
  // the scheme of the first such page decides between http and https
  const auto [asked, is_new] = home_requests_.try_emplace(host, storage::LinkId::of(*home));
  if (is_new) request_ = Request{FetchRequest::follow_up(Purpose::home, *home), {}};
  if (!is_new && !waiting_.contains(asked->second)) return false;
  add(asked->second, {.page = std::move(page), .home = true});
  return true;
}

const FollowUps::Reply& FollowUps::keep_reply(AnalyzedPage answer, Timestamp now) {
  const storage::Snapshot& found = answer.snapshot;
  Reply reply{.status = found.status,
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

void FollowUps::settle_by_site_api(const SiteApiRequest& question, const Reply& reply, AnalyzedPage& page) {
  SiteApiResult statement;
  if (reply.body) statement = read_site_api_reply(question, {reply.status, *reply.body}, reply.at);
  if (statement.pause > Duration::zero()) paused_[question.site_api->name] = reply.at + statement.pause;
  if (statement.kind == SiteApiResult::Kind::unknown && unanswered_.size() < max_unanswered)
    unanswered_.insert(page.request.id());
  if (!settle(question, statement, reply.remark, page.snapshot)) return;
  page.body.clear();
  page.visible = {};
}

void FollowUps::add_to(std::vector<storage::HostState>& hosts) const {
  std::unordered_map<std::string_view, std::size_t> positions;
  for (std::size_t i = 0; i < hosts.size(); ++i) positions.emplace(hosts[i].origin, i);
  std::vector<storage::HostState> others;
  for (const auto& [name, host] : hosts_) {
    if (!host.answer) continue;
    const auto position = positions.find(host.origin);
    storage::HostState& state = position != positions.end() ? hosts[position->second] : others.emplace_back();
    state.origin = host.origin;
    state.probe = host.answer;
  }
  hosts.insert(hosts.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
}

}  // namespace linkherd::crawler
