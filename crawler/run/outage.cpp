#include "crawler/run/outage.h"

#include <algorithm>
#include <utility>

#include "parser/url/registrable_domain.h"

namespace linkherd::crawler {

namespace {

constexpr std::size_t domains_for_outage = 10;

constexpr std::size_t domains_for_portal = 5;
constexpr std::size_t most_held_pages = 1000;
constexpr std::size_t most_held_page_bytes = std::size_t{32} << 20;

// "Network Authentication Required" (RFC 6585) is said by the network, not by the host. No host has this name.
constexpr std::string_view network_itself = "511";

struct Place {
  std::string host;
  std::string text;  // host and path: the query says where the visitor wanted to go
};

// Where the link's own host, or what answered in its place, sent the visitor: for the time being, to another domain.
// Its text is empty where nowhere.
Place first_place(const AnalyzedPage& page) {
  if (page.snapshot.redirects.empty()) {
    return {{}, page.snapshot.status == 511 ? std::string(network_itself) : std::string()};
  }
  const storage::Redirect& first = page.snapshot.redirects.front();
  if (first.status != 302 && first.status != 303 && first.status != 307) return {};
  const auto to = parser::Url::parse(first.to);
  if (!to || !to->is_http()) return {};
  const std::string domain = parser::registrable_domain(page.url);
  if (parser::registrable_domain(*to) == domain) return {};
  // A sign-on or a consent that several sites share sends the visitor back; a portal keeps him.
  const auto end = parser::Url::parse(page.snapshot.final_url);
  if (end && parser::registrable_domain(*end) == domain) return {};
  return {std::string(to->host()), std::string(to->host()).append(to->path())};
}

// Of what every link depends on: the name servers and the proxy.
bool is_failure_of_service(FailureKind failure) {
  switch (failure) {
    case FailureKind::dns_timeout:
    case FailureKind::dns_untrusted:
    case FailureKind::proxy_unreachable:
    case FailureKind::proxy_login:
    case FailureKind::proxy_silent: return true;
    default: return false;
  }
}

}  // namespace

bool is_outage(const ContactTally& tally, double share, bool settled) {
  if (tally.domains == 0) return false;
  if (tally.domains < domains_for_outage) return tally.without_service == tally.domains;
  if (tally.failing + tally.not_found == tally.domains) return true;
  return settled && static_cast<double>(tally.failing) >= share * static_cast<double>(tally.domains);
}

void OutageDetector::restore(const std::vector<storage::HostState>& hosts) {
  for (const storage::HostState& host : hosts) {
    if (!host.silence || host.silence->strikes == 0) continue;
    if (const auto url = parser::Url::parse(host.origin)) silent_.insert(parser::registrable_domain(*url));
  }
}

void OutageDetector::on_attempt(const parser::Url& url, int status, FailureKind failure) {
  // Ours, not the network's: such an attempt says nothing.
  if (failure == FailureKind::interrupted || failure == FailureKind::outage) return;
  Contact contact = Contact::answered;
  if (status == 0 && is_failure_of_service(failure)) {
    contact = Contact::without_service;
  } else if (status == 0 && meaning_of(failure).network) {
    contact = Contact::failing;
  } else if (status == 0 && (failure == FailureKind::proxy_failed ||
                             (failure == FailureKind::dns_not_found && !denials_are_questioned_))) {
    contact = Contact::not_found;
  }
  std::string domain = parser::registrable_domain(url);
  const std::lock_guard lock(mutex_);
  if (contact == Contact::failing && silent_.contains(domain)) return;
  if (contact == Contact::answered) silent_.erase(domain);
  const auto [known, is_new] = domains_.try_emplace(std::move(domain), contact);
  if (!is_new) count(tally_, known->second, false);
  known->second = contact;
  count(tally_, contact, true);
  tally_.domains = domains_.size();
}

void OutageDetector::count(ContactTally& tally, Contact contact, bool add) {
  const auto change = [add](std::size_t& number) { add ? ++number : --number; };
  switch (contact) {
    case Contact::answered: break;
    case Contact::without_service: change(tally.without_service); [[fallthrough]];
    case Contact::failing: change(tally.failing); break;
    case Contact::not_found: change(tally.not_found); break;
  }
}

ContactTally OutageDetector::tally() const {
  const std::lock_guard lock(mutex_);
  return tally_;
}

bool is_portal(std::size_t sent_to_one_place, std::size_t answered, double share, bool settled) {
  if (sent_to_one_place < domains_for_portal) return false;
  if (!settled) return sent_to_one_place == answered;
  return static_cast<double>(sent_to_one_place) >= share * static_cast<double>(answered);
}

bool PortalWatch::hold(AnalyzedPage& page) {
  if (decided_) return false;
  listed_hosts_.emplace(page.url.host());
  if (page.snapshot.status == 0 && page.snapshot.redirects.empty()) return false;  // nobody answered
  const std::string domain = parser::registrable_domain(page.url);
  const Place place = first_place(page);
  std::string& known = sent_to_[domain];  // a domain counts by its latest answer
  if (!known.empty()) domains_of_[known].erase(domain);
  known = place.text;
  if (!place.text.empty()) domains_of_[place.text].insert(domain);
  if (place.text.empty()) return false;
  held_bytes_ += page.bytes();
  page.lease = {};  // else what waits here would stop the fetching that it waits for
  held_.push_back(std::move(page));
  return true;
}

bool PortalWatch::is_full() const { return held_.size() >= most_held_pages || held_bytes_ >= most_held_page_bytes; }

bool PortalWatch::sees_portal(bool settled) const {
  return std::ranges::any_of(domains_of_, [this, settled](const auto& entry) {
    const auto& [place, domains] = entry;
    return is_portal(domains.size(), sent_to_.size(), share_, settled) &&
           !listed_hosts_.contains(place.substr(0, place.find('/')));
  });
}

std::vector<AnalyzedPage> PortalWatch::release() {
  decided_ = true;
  held_bytes_ = 0;
  return std::exchange(held_, {});
}

}  // namespace linkherd::crawler
