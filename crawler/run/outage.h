// Detects failures of the local network: counts how the first contacts with the domains of a run end, and says when it
// is down.
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

// How contacts with the domains of a run have ended so far; a domain counts by its latest contact.
struct ContactCounts {
  std::size_t domains = 0;  // tried at least once
  std::size_t failing = 0;  // latest contact: timeout, SERVFAIL, no way there
  // Latest contact: what every link depends on failed. No DNS server answered, or none that is to be believed; the
  // proxy cannot be reached, says nothing or wants a login. Part of `failing`.
  std::size_t without_service = 0;
  // Latest contact: no such host, by servers that cannot be questioned, or none that the proxy reaches.
  std::size_t not_found = 0;
};

// At least 10 domains tried and `share` of them failing; with fewer, only when no DNS server or no proxy answers.
// NXDOMAIN is an answer. Only if it comes from the system's resolver and not one of ten domains exists, it is taken for
// a resolver that knows nothing (a network without a way out); the same holds for a proxy that reaches none of them.
// While the run is young (`settled` false) slow answers are still under way: then no domain tried may have answered.
bool is_outage(const ContactCounts& counts, double share, bool settled);

class OutageDetector : public AttemptObserver {
 public:
  // `are_denials_questioned`: "no such host" comes only from servers that know the host's top-level domain.
  explicit OutageDetector(bool are_denials_questioned) : are_denials_questioned_(are_denials_questioned) {}
  // Hosts that gave no answer in an earlier run either: that they are still silent says nothing about our network,
  // unless no DNS server answers. To be called before the first attempt.
  void restore(const std::vector<storage::HostState>& hosts);
  void on_attempt(const parser::Url& url, int status, FailureKind failure) override;
  ContactCounts counts() const;  // thread-safe

 private:
  enum class Contact { answered, failing, without_service, not_found };
  const bool are_denials_questioned_;
  static void count(ContactCounts& counts, Contact contact, bool add);
  mutable std::mutex mutex_;
  std::unordered_set<std::string> unresponsive_;      // domains, in an earlier run
  std::unordered_map<std::string, Contact> domains_;  // their latest contacts
  ContactCounts counts_;                              // the sum of these
};

// Detects a captive portal: many domains redirect to one place that no link names. Such pages are held back until it is
// clear whether there is one: its login page says nothing about a link.

// At least five domains sent to one place, and these `share` of the domains that answered at all. While the run is
// young (`settled` false) slower answers are still under way: then it must be all of them. Lists have some domains that
// are for sale at one shop, and sites that share one sign-on; hardly ever half of them.
bool is_captive_portal(std::size_t same_target_count, std::size_t answered, double share, bool settled);

// Used by one thread. After release() nothing is counted any more: a portal is there from the start.
class CaptivePortalDetector {
 public:
  explicit CaptivePortalDetector(double share) : share_(share) {}

  // Takes `page` in and gives true where a portal may have answered it and that is not clear yet.
  bool hold(AnalyzedPage& page);

  std::size_t held() const { return held_.size(); }
  bool is_full() const;  // it is time to decide: held pages take memory
  bool has_portal(bool settled) const;
  std::vector<AnalyzedPage> release();  // all that are held; none are held from here on

 private:
  double share_;
  bool is_decided_ = false;
  std::size_t held_bytes_ = 0;
  std::vector<AnalyzedPage> held_;
  std::unordered_map<std::string, std::string> sent_to_;  // by domain that answered: the place; empty: none
  std::unordered_map<std::string, std::unordered_set<std::string>> domains_of_;  // by place
  std::unordered_set<std::string> listed_hosts_;
};

}  // namespace linkherd::crawler
