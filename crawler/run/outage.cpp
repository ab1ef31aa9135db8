#include "crawler/run/outage.h"

#include <algorithm>
#include <utility>

#include "parser/url/registrable_domain.h"

namespace linkherd::crawler {

namespace {

constexpr std::size_t domains_for_outage = 10;

constexpr std::size_t domains_for_portal = 5;
constexpr std::size_t max_held_pages = 1000;
constexpr std::size_t max_held_page_bytes = std::size_t{32} << 20;

// The network, not the host, sends "Network Authentication Required" (RFC 6585). No host has this name.
constexpr std::string_view network_itself = "511";

struct PortalTarget {
  std::string host;
  std::string text;  // host and path; the query is omitted because it names the page that the visitor wanted
};

// Returns the target of the first redirect, sent by the link's host or by a device that answers for it. Only temporary
// redirects to another domain count; otherwise the text is empty.
PortalTarget portal_target(const AnalyzedPage& page) {
  if (page.snapshot.redirects.empty()) {
    return {{}, page.snapshot.status == 511 ? std::string(network_itself) : std::string()};
  }
  const storage::Redirect& first = page.snapshot.redirects.front();
  if (first.status != 302 && first.status != 303 && first.status != 307) return {};
  const auto to = parser::Url::parse(first.to);
  if (!to || !to->is_http()) return {};
  const std::string domain = parser::registrable_domain(page.url);
  if (parser::registrable_domain(*to) == domain) return {};
  // A sign-on or consent page shared by several sites sends the visitor back; a portal does not.
  const auto end = parser::Url::parse(page.snapshot.final_url);
  if (end && parser::registrable_domain(*end) == domain) return {};
  return {std::string(to->host()), std::string(to->host()).append(to->path())};
}

// Returns true if a service that every link needs failed: a name server or the proxy.
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

bool is_outage(const ContactCounts& counts, double share, bool slow_contacts_done) {
  if (counts.domains == 0) return false;
  if (counts.domains < domains_for_outage) return counts.without_service == counts.domains;
  if (counts.failing + counts.not_found == counts.domains) return true;
  return slow_contacts_done && static_cast<double>(counts.failing) >= share * static_cast<double>(counts.domains);
}

void OutageDetector::restore(const std::vector<storage::HostState>& hosts) {
  for (const storage::HostState& host : hosts) {
    if (!host.unresponsive || host.unresponsive->strikes == 0) continue;
    if (const auto url = parser::Url::parse(host.origin)) unresponsive_.insert(parser::registrable_domain(*url));
  }
}

void OutageDetector::on_attempt(const parser::Url& url, int status, FailureKind failure) {
  // linkherd itself ended such an attempt, so it is no evidence about the network.
  if (failure == FailureKind::interrupted || failure == FailureKind::outage) return;
  Contact contact = Contact::answered;
  if (status == 0 && is_failure_of_service(failure)) {
    contact = Contact::without_service;
  } else if (status == 0 && find_meaning(failure).is_network_outage) {
    contact = Contact::failing;
  } else if (status == 0 && (failure == FailureKind::proxy_failed ||
                             (failure == FailureKind::dns_not_found && !are_denials_questioned_))) {
    contact = Contact::not_found;
  }
  std::string domain = parser::registrable_domain(url);
  const std::lock_guard lock(mutex_);
  if (contact == Contact::failing && unresponsive_.contains(domain)) return;
  if (contact == Contact::answered) unresponsive_.erase(domain);
  const auto [known, is_new] = domains_.try_emplace(std::move(domain), contact);
  if (!is_new) count(counts_, known->second, false);
  known->second = contact;
  count(counts_, contact, true);
  counts_.domains = domains_.size();
}

void OutageDetector::count(ContactCounts& counts, Contact contact, bool add) {
  const auto change = [add](std::size_t& number) { add ? ++number : --number; };
  switch (contact) {
    case Contact::answered: break;
    case Contact::without_service: change(counts.without_service); [[fallthrough]];
    case Contact::failing: change(counts.failing); break;
    case Contact::not_found: change(counts.not_found); break;
  }
}

ContactCounts OutageDetector::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

bool is_captive_portal(std::size_t same_target_count, std::size_t answered, double share, bool slow_contacts_done) {
  if (same_target_count < domains_for_portal) return false;
  if (!slow_contacts_done) return same_target_count == answered;
  return static_cast<double>(same_target_count) >= share * static_cast<double>(answered);
}

bool CaptivePortalDetector::hold(AnalyzedPage& page) {
  if (is_decided_) return false;
  listed_hosts_.emplace(page.url.host());
  if (page.snapshot.status == 0 && page.snapshot.redirects.empty()) return false;  // no answer at all
  const std::string domain = parser::registrable_domain(page.url);
  const PortalTarget target = portal_target(page);
  std::string& known = sent_to_[domain];  // a domain counts by its latest answer
  if (!known.empty()) domains_of_[known].erase(domain);
  known = target.text;
  if (!target.text.empty()) domains_of_[target.text].insert(domain);
  if (target.text.empty()) return false;
  held_bytes_ += page.bytes();
  page.lease = {};  // otherwise held pages would use up the budget and stop the fetches they wait for
  held_.push_back(std::move(page));
  return true;
}

bool CaptivePortalDetector::is_full() const {
  return held_.size() >= max_held_pages || held_bytes_ >= max_held_page_bytes;
}

bool CaptivePortalDetector::has_portal(bool slow_contacts_done) const {
  return std::ranges::any_of(domains_of_, [this, slow_contacts_done](const auto& entry) {
    const auto& [target, domains] = entry;
    return is_captive_portal(domains.size(), sent_to_.size(), share_, slow_contacts_done) &&
           !listed_hosts_.contains(target.substr(0, target.find('/')));
  });
}

std::vector<AnalyzedPage> CaptivePortalDetector::release() {
  is_decided_ = true;
  held_bytes_ = 0;
  return std::exchange(held_, {});
}

}  // namespace linkherd::crawler
