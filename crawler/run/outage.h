// Detects failures of the local network from the outcomes of the first contacts with the domains of a run.
//
// OutageDetector counts each domain once, by its latest contact, and is_outage() evaluates the counts. For example, a
// run has tried 12 domains and 7 of them time out. With `share` 0.5 this is an outage once the run is
// `slow_contacts_done`, because 7 is at least half of 12. Before that, fast failures would outnumber slow answers. An
// outage is then reported only if all 12 domains fail.
//
// CaptivePortalDetector covers a network that answers, but in place of the hosts.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "crawler/fetch/fetch_pool.h"
#include "crawler/run/page_analysis.h"
#include "parser/timestamp.h"

namespace linkherd::crawler {

// Counts how contacts with the domains of a run have ended so far. A domain counts by its latest contact.
struct ContactCounts {
  std::size_t domains = 0;  // tried at least once
  std::size_t failing = 0;  // the latest contact timed out, or failed with SERVFAIL or without a route
  // The latest contact lacked a service that every link needs. Either no DNS server gave an answer that can be trusted,
  // or the proxy is unreachable, silent or requires a login. These domains also count in `failing`.
  std::size_t without_service = 0;
  // The latest contact ended with "no such host" from a resolver whose denials are not verified, or the proxy could not
  // reach the host.
  std::size_t not_found = 0;
};

// Returns true if the local network seems to be down: at least 10 domains were tried and at least `share` of them fail.
// With fewer domains, all of them must lack DNS or the proxy.
//
// NXDOMAIN is normally an answer. The exception is the system's resolver: if not one of at least ten domains exists,
// the resolver is taken to have no connection to the Internet. The same holds for a proxy that reaches none of them.
// `slow_contacts_done` is false while the run is young and slow answers are still pending. Every domain must then have
// failed.
bool is_outage(const ContactCounts& counts, double share, bool slow_contacts_done);

class OutageDetector {
 public:
  // `are_denials_questioned`: true if "no such host" is accepted only from servers that know the host's top-level
  // domain.
  explicit OutageDetector(bool are_denials_questioned) : are_denials_questioned_(are_denials_questioned) {}
  // Excludes hosts that gave no answer in an earlier run either, unless no DNS server answers. Their silence says
  // nothing about the local network. Must be called before the first attempt.
  void restore(const std::vector<storage::HostState>& hosts);
  // Records an attempt when it ends (see OnAttempt). Thread-safe.
  void on_attempt(const parser::Url& url, int status, FailureKind failure);
  ContactCounts counts() const;  // thread-safe

 private:
  enum class Contact { answered, failing, without_service, not_found };
  const bool are_denials_questioned_;
  static void count(ContactCounts& counts, Contact contact, bool add);
  mutable std::mutex mutex_;
  std::unordered_set<std::string> unresponsive_;      // unresponsive in an earlier run, and not answering yet
  std::unordered_map<std::string, Contact> domains_;  // by domain: the latest contact
  ContactCounts counts_;                              // sum of `domains_`
};

// Detects a captive portal: many domains redirect to one target that no link names. Such pages are held until a
// decision is possible, because a portal's login page says nothing about a link.

// Returns true if at least five domains redirect to one target, and these are at least `share` of the domains that
// answered. While the run is young (`slow_contacts_done` is false) slower answers are still pending, so all answering
// domains must redirect there. A typical list has some domains parked at one vendor, or sites with a shared sign-on.
// They are hardly ever half of it.
bool is_captive_portal(std::size_t same_target_count, std::size_t answered, double share, bool slow_contacts_done);

// Not thread-safe. After release() nothing is counted any more, because a portal would be present from the start.
class CaptivePortalDetector {
 public:
  explicit CaptivePortalDetector(double share) : share_(share) {}

  // Takes `page` over and returns true if a portal may have answered it and no decision has been made yet.
  bool hold(AnalyzedPage& page);

  std::size_t held() const { return held_.size(); }
  bool is_full() const;  // true if a decision is due because the held pages take too much memory
  bool has_portal(bool slow_contacts_done) const;
  std::vector<AnalyzedPage> release();  // returns all held pages; none are held afterwards

 private:
  double share_;
  bool is_decided_ = false;
  std::size_t held_bytes_ = 0;
  std::vector<AnalyzedPage> held_;
  // redirect target by domain that answered; empty: no such redirect
  std::unordered_map<std::string, std::string> sent_to_;
  std::unordered_map<std::string, std::unordered_set<std::string>> domains_of_;  // by target
  std::unordered_set<std::string> listed_hosts_;
};

}  // namespace linkherd::crawler
