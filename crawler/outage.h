// Is it the web, or is it us? Watches how first contacts with the domains of a run end, and says when our own network
// is down.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>

#include "crawler/fetch/fetch_pool.h"
#include "parser/timestamp.h"

namespace linkherd::crawler {

// How contacts with the domains of a run have ended so far; a domain counts by its latest contact.
struct ContactTally {
  std::size_t domains = 0;         // tried at least once
  std::size_t failing = 0;         // latest contact: timeout, SERVFAIL, no way there
  std::size_t dns_unanswered = 0;  // latest contact: no DNS server answered, or none that is to be believed; part of
                                   // `failing`
  std::size_t not_found = 0;       // latest contact: no such host, by servers that cannot be questioned
};

// At least 10 domains tried and `share` of them failing; with fewer, only when no DNS server answers. NXDOMAIN is an
// answer. Only where it comes from others that resolve for us (the system, a proxy) and not one of ten domains exists,
// it is taken for a resolver that knows nothing (a network without a way out). While the run is young (`settled` false)
// slow answers are still under way: then no domain tried may have answered.
bool is_outage(const ContactTally& tally, double share, bool settled);

class OutageDetector : public AttemptObserver {
 public:
  // `denials_are_questioned`: "no such host" comes only from servers that know the host's top-level domain.
  explicit OutageDetector(bool denials_are_questioned) : denials_are_questioned_(denials_are_questioned) {}
  void on_attempt(const parser::Url& url, int status, FailureKind failure) override;
  ContactTally tally() const;  // thread-safe

 private:
  enum class Contact { answered, failing, dns_unanswered, not_found };
  const bool denials_are_questioned_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Contact> domains_;
};

}  // namespace linkherd::crawler
