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
  std::size_t dns_unanswered = 0;  // latest contact: no DNS server answered; part of `failing`
};

// The rule of the design: at least 10 domains tried and `share` of them failing; with fewer, only when no DNS server
// answers. While the run is young (`settled` false) slow answers are still under way: then every domain tried must be
// failing.
bool is_outage(const ContactTally& tally, double share, bool settled);

class OutageDetector : public AttemptObserver {
 public:
  void on_attempt(const parser::Url& url, int status, FailureKind failure) override;
  ContactTally tally() const;  // thread-safe

 private:
  enum class Contact { answered, failing, dns_unanswered };
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Contact> domains_;
};

}  // namespace linkherd::crawler
