#include "crawler/outage.h"

#include "parser/url/registrable_domain.h"

namespace linkherd::crawler {
namespace {

constexpr std::size_t domains_that_tell = 10;

}  // namespace

bool is_outage(const ContactTally& tally, double share, bool settled) {
  if (tally.domains == 0) return false;
  if (tally.domains < domains_that_tell) return tally.dns_unanswered == tally.domains;
  if (tally.failing + tally.not_found == tally.domains) return true;
  return settled && static_cast<double>(tally.failing) >= share * static_cast<double>(tally.domains);
}

void OutageDetector::on_attempt(const parser::Url& url, int status, FailureKind failure) {
  // Ours, not the network's: such an attempt says nothing.
  if (failure == FailureKind::interrupted || failure == FailureKind::outage) return;
  Contact contact = Contact::answered;
  if (status == 0 && (failure == FailureKind::dns_timeout || failure == FailureKind::dns_untrusted)) {
    contact = Contact::dns_unanswered;
  } else if (status == 0 && is_network_failure(failure)) {
    contact = Contact::failing;
  } else if (status == 0 && failure == FailureKind::dns_not_found && !denials_are_questioned_) {
    contact = Contact::not_found;
  }
  std::string domain = parser::registrable_domain(url);
  const std::lock_guard lock(mutex_);
  domains_[std::move(domain)] = contact;
}

ContactTally OutageDetector::tally() const {
  const std::lock_guard lock(mutex_);
  ContactTally tally;
  tally.domains = domains_.size();
  for (const auto& [domain, contact] : domains_) {
    switch (contact) {
      case Contact::answered: break;
      case Contact::dns_unanswered: ++tally.dns_unanswered; [[fallthrough]];
      case Contact::failing: ++tally.failing; break;
      case Contact::not_found: ++tally.not_found; break;
    }
  }
  return tally;
}

}  // namespace linkherd::crawler
