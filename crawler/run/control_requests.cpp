#include "crawler/run/control_requests.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "crawler/classify/calibration.h"
#include "storage/link_id.h"

namespace linkherd::crawler {

namespace {

constexpr std::size_t most_hosts = 100'000;  // that are remembered; a list may name millions
constexpr std::size_t most_held = 1000;
constexpr std::size_t most_held_bytes = std::size_t{32} << 20;
constexpr auto validity = std::chrono::hours(24);

std::string host_of(const parser::Url& url) {
  std::string host(url.host());
  if (url.port()) host.append(1, ':').append(std::to_string(*url.port()));
  return host;
}

bool is_root(const parser::Url& url) { return url.path() == "/" && url.query().empty(); }

}  // namespace

void ControlRequests::restore(const std::vector<storage::HostState>& hosts, Timestamp now) {
  for (const storage::HostState& known : hosts) {
    if (!known.control || known.control->at > now || now - known.control->at >= validity) continue;
    const auto url = parser::Url::parse(known.origin);
    if (url.has_error()) continue;
    Host& host = hosts_[host_of(*url)];
    host.origin = known.origin;
    host.answer = known.control;
    host.asked = true;
  }
}

void ControlRequests::settle(const Host& host, AnalyzedPage& page) {
  storage::Verdict verdict = calibrated({page.url, page.snapshot, page.looks, *page.by_status},
                                        host.answer ? &*host.answer : nullptr, host.home ? &*host.home : nullptr);
  page.snapshot.verdict = std::move(verdict);
  if (!is_there(page.snapshot.verdict)) page.snapshot.metadata = {};
}

bool ControlRequests::hold(AnalyzedPage& page, bool may_ask, Timestamp now) {
  const bool is_home = is_root(page.url) && page.snapshot.status == 200;
  if (!is_home && !page.by_status) return false;
  const std::string name = host_of(page.url);
  if (hosts_.size() >= most_hosts && !hosts_.contains(name)) {
    if (page.by_status) settle({}, page);
    return false;
  }
  Host& host = hosts_[name];
  if (is_home) host.home = page.looks;
  if (!page.by_status) return false;
  const bool is_full = held_ >= most_held || held_bytes_ + page.bytes() > most_held_bytes;
  if (!may_ask || is_full || (host.asked && host.waiting.empty())) {
    settle(host, page);
    return false;
  }
  if (!host.asked) {
    const auto url = parser::Url::parse(control_href(page.url, now)).value();
    request_ = FetchRequest::control(storage::LinkId::of(url), url.href());
    host.asked = true;
    host.origin = url.origin();
  }
  ++held_;
  held_bytes_ += page.bytes();
  page.lease = {};  // its bytes are bounded here: a budget that is used up would hold back the control request
  host.waiting.push_back(std::move(page));
  return true;
}

std::vector<AnalyzedPage> ControlRequests::release(const AnalyzedPage& control) {
  Host& host = hosts_[host_of(control.url)];
  const storage::Snapshot& found = control.snapshot;
  // A wall, and a path that may not be asked for, say nothing of missing pages.
  const bool says_nothing =
      found.verdict.health == storage::Health::blocked || found.verdict.health == storage::Health::skipped;
  host.answer = {found.fetched_at, says_nothing ? 0 : found.status, found.final_url, control.looks};
  std::vector<AnalyzedPage> pages = std::exchange(host.waiting, {});
  for (AnalyzedPage& page : pages) {
    --held_;
    held_bytes_ -= page.bytes();
    settle(host, page);
  }
  return pages;
}

void ControlRequests::add_to(std::vector<storage::HostState>& hosts) const {
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < hosts.size(); ++i) places.emplace(hosts[i].origin, i);
  std::vector<storage::HostState> others;
  for (const auto& [name, host] : hosts_) {
    if (!host.answer) continue;
    const auto place = places.find(host.origin);
    storage::HostState& state = place != places.end() ? hosts[place->second] : others.emplace_back();
    state.origin = host.origin;
    state.control = host.answer;
  }
  hosts.insert(hosts.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
}

}  // namespace linkherd::crawler
