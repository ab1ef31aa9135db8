// Runs one hop of a link on a fetch thread, from the frontier to the next step.
//
// run() consults robots.txt if necessary, runs the hop with HopRunner, returns the slot to the frontier and decides how
// to go on. The decision is the first of these that applies:
// 1. The address is busy: the same hop goes back into the frontier, to start later.
// 2. The address is given up: the link ends untried.
// 3. This machine slept or lacked resources: the same hop goes back into the frontier.
// 4. A rule of `next_hop_rules` applies: the link gets another hop.
// 5. Otherwise the answer is final and becomes a FetchResult.
//
// For example, http://a.example/x may answer 301 to https://a.example/x, then 503, then 200 a second later. That makes
// two hops, three attempts and one result.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "crawler/clock/clock.h"
#include "crawler/fetch/fetch_options.h"
#include "crawler/fetch/hop_runner.h"
#include "crawler/fetch/http/fetch_result.h"
#include "crawler/fetch/net/slots.h"
#include "crawler/fetch/pool_shared.h"
#include "crawler/fetch/robots_gate.h"
#include "crawler/frontier/frontier.h"
#include "storage/host_state.h"

namespace linkherd::crawler {

class HopStateMachine {
 public:
  struct Handlers {
    // Receives the next hop of a link, which another thread may own.
    std::function<void(std::unique_ptr<PendingFetch>)> next;
    std::function<void(FetchResult)> on_finished;
    std::function<void()> on_hop_completed;  // called after each hop
  };

  // The references must outlive this object. The caller samples `awake` regularly.
  HopStateMachine(boost::asio::io_context& io, PoolShared& shared, CurlLoop& curl, Resolver& resolver, AwakeTime& awake,
                  Frontier& frontier, StallWatch& stalls, Handlers handlers);

  // Runs one hop of a fetch that was popped from the frontier and holds a slot.
  boost::asio::awaitable<void> run(std::unique_ptr<PendingFetch> fetch);

  // Ends a link that is not tried, or not tried again. `retry_at` is the end of the pause that the host requested.
  void finish_untried(PendingFetch& fetch, FailureKind why, std::optional<Timestamp> retry_at = std::nullopt);

  void stop(FailureKind why) { stopping_ = why; }  // no further hops start
  const std::optional<FailureKind>& stopping() const { return stopping_; }
  // Returns the time before which no hop should start, because a local resource is exhausted.
  Timestamp paused_until() const { return paused_until_; }

  // Restores and saves what linkherd knows about robots.txt between runs.
  void restore(const storage::HostState& host);
  void add_to(std::vector<storage::HostState>& states) const;

 private:
  boost::asio::awaitable<HopAnswer> request_page(HopRequest& request, const std::string& origin, bool is_listed);
  bool ignores_robots_refusal(const HopAnswer& refusal, const std::string& origin);
  bool needs_robots(const std::string& origin) const;
  HopRequest make_request(const PendingFetch& fetch, const std::string& origin) const;
  bool choose_next_hop(PendingFetch& fetch, const HopRequest& request, const std::string& origin, HopAnswer& answer,
                       Timestamp now);
  void end_alternative(PendingFetch& fetch, const std::string& origin, HopAnswer& answer);
  void complete_hop(std::unique_ptr<PendingFetch> fetch, const std::string& origin, Timestamp started,
                    const HopRequest& request, HopAnswer answer);
  bool restart_after_sleep(std::unique_ptr<PendingFetch>& fetch, const HopAnswer& answer, Timestamp now);
  bool wait_for_local_resources(std::unique_ptr<PendingFetch>& fetch, HopAnswer& answer, Timestamp now);
  void record_attempt(PendingFetch& fetch, Timestamp started, const HopAnswer& answer);
  std::optional<Timestamp> requested_pause(const std::string& origin, const HopAnswer& answer, Timestamp now);
  void apply_retry_after(const std::string& origin, Timestamp until, const HopAnswer& answer, Timestamp now);
  void finish(PendingFetch& fetch, Timestamp started, HopAnswer answer);

  PoolShared& shared_;
  AwakeTime& awake_;
  Frontier& frontier_;
  StallWatch& stalls_;
  const Handlers handlers_;
  HopRunner runner_;
  RobotsGate robots_;
  std::minstd_rand random_;
  std::unordered_set<std::string> refuses_without_time_;  // origins whose latest 429 named no time
  std::unordered_set<std::string> robots_unanswered_;  // origins that answer, but whose robots.txt could not be fetched
  // How repeating refused or failed hops of an origin in another way has worked so far.
  struct AlternativeRetries {
    int failed = 0;  // attempts without success, including those in flight
    bool has_helped = false;
  };
  using RetriesOfOrigins = std::unordered_map<std::string, AlternativeRetries>;
  static AlternativeRetries known(const RetriesOfOrigins& retries, const std::string& origin);
  AlternativeRetries& retries_of(Alternative alternative, const std::string& origin);
  RetriesOfOrigins browser_retries_;         // with the headers of a browser
  RetriesOfOrigins other_versions_;          // with the other version of HTTP
  std::optional<Duration> exhausted_since_;  // start of the exhaustion of a local resource, in awake time; empty: none
  Timestamp paused_until_{};
  std::optional<FailureKind> stopping_;
};

// --- what follows from the answer of a hop: pure rules; the caller passes time and randomness

// A hop that has ended with evidence about its host. The rules make it the next hop of the link.
struct EndedHop {
  PendingFetch& fetch;
  HopAnswer& answer;  // gets the failure if a redirect leads nowhere; moved from if it is kept as the refusal
  const FetchOptions& options;
  Timestamp now;
  double jitter = 0;  // in [0, 1)
  // The hop itself was as usual in this respect, and the attempts of its host have not failed too often.
  bool may_change_version = false;
  bool may_imitate_browser = false;
};

// The purpose of the next hop of a link.
enum class NextHop : std::uint8_t {
  other_version,   // the answer may depend on the version of HTTP: repeats the hop once with the other one
  redirect,        // the target of a redirect, unless the chain forms a loop or is too long
  page_redirect,   // the target of a page that redirects by itself
  get_after_head,  // HEAD gave no clear answer
  retry,           // a temporary failure: repeats the hop after a wait, at most three times by default
  browser,         // a refusal, such as 403: repeats the hop once with the headers of a browser
};

struct NextHopRule {
  NextHop next;
  // Returns nullopt if the rule does not apply. Returns true if the fetch is now its next hop, and false if the answer
  // is final.
  std::optional<bool> (*apply)(EndedHop& hop);
};
// The first rule that applies decides. If there is none, the answer is final.
extern const std::array<NextHopRule, 6> next_hop_rules;

// Returns false if the answer is final.
bool make_next_hop(EndedHop& hop);

// Returns true if the answer says more than the refusal did: the page exists, has moved or is gone.
bool is_no_refusal(const HopAnswer& answer);

// Returns true if the next request of `fetch` is a HEAD.
bool uses_head(const PendingFetch& fetch, const FetchOptions& options);

// Returns the time that the link has left for all its hops, waits and retries.
Duration time_left(const PendingFetch& fetch, const FetchOptions& options);

}  // namespace linkherd::crawler
