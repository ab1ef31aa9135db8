// One hop of a link on a fetch thread, from the frontier to what follows from it: asks robots.txt where that is due,
// runs the hop, and decides from the answer: another hop, a wait, or the result.
#pragma once

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
    std::function<void(std::unique_ptr<PendingFetch>)>
        next;  // the next hop of a link, maybe of another thread's domain
    std::function<void(FetchResult)> finished;
    std::function<void()> settled;  // after each hop
  };

  // The references outlive this. `awake` is looked at in time by the caller.
  HopStateMachine(boost::asio::io_context& io, PoolShared& shared, CurlLoop& curl, Resolver& resolver, AwakeTime& awake,
                  Frontier& frontier, StallWatch& stalls, Handlers handlers);

  // One hop of a fetch that the frontier gave out, and that holds a slot.
  boost::asio::awaitable<void> run(std::unique_ptr<PendingFetch> fetch);

  // The one way to end a link that is not tried, or not again. `retry_at`: the host asked for silence until then.
  void finish_untried(PendingFetch& fetch, FailureKind why, std::optional<Timestamp> retry_at = std::nullopt);

  void stop(FailureKind why) { stopping_ = why; }  // no hop follows any more
  const std::optional<FailureKind>& stopping() const { return stopping_; }
  // A local resource is exhausted: no hop should be begun before this time.
  Timestamp paused_until() const { return paused_until_; }

  // What an earlier run, and the next one, know of robots.txt.
  void restore(const storage::HostState& host);
  void add_to(std::vector<storage::HostState>& states) const;

 private:
  boost::asio::awaitable<HopAnswer> ask(HopRequest& request, const std::string& origin, bool is_listed);
  bool is_listed_all_the_same(const HopAnswer& refusal, const std::string& origin);
  bool asks_robots(const std::string& origin) const;
  HopRequest make_request(const PendingFetch& fetch, const std::string& origin) const;
  bool retry_as_browser(PendingFetch& fetch, const std::string& origin, HopAnswer& answer);
  bool is_refused_again(PendingFetch& fetch, const std::string& origin, HopAnswer& answer);
  bool choose_next_hop(PendingFetch& fetch, const std::string& origin, HopAnswer& answer, Timestamp now);
  bool wants_other_version(const PendingFetch& fetch, const std::string& origin, const HopAnswer& answer) const;
  void start_version_trial(PendingFetch& fetch, const std::string& origin, HopAnswer answer);
  void end_version_trial(PendingFetch& fetch, const std::string& origin, HopAnswer& answer);
  bool offers_http2(const PendingFetch& fetch, const std::string& origin) const;
  // `contacted`: when the page itself was asked for, behind robots.txt; the epoch if it was not.
  void settle(std::unique_ptr<PendingFetch> fetch, const std::string& origin, Timestamp started, Timestamp contacted,
              HopAnswer answer);
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
  std::unordered_set<std::string> refuses_without_time_;  // origins whose latest 429 had no time to come back
  std::unordered_set<std::string> robots_unanswered_;     // origins whose robots.txt did not come, though they answer
  // Of an origin: what came of asking in another way what was refused or failed.
  struct OtherWay {
    int in_vain = 0;  // also those that are under way
    bool has_helped = false;
  };
  std::unordered_map<std::string, OtherWay> browser_retries_;  // as a browser would
  std::unordered_map<std::string, OtherWay> other_versions_;   // in the other version of HTTP
  std::optional<Duration> exhausted_since_;  // since when a local resource has been exhausted, in awake time
  Timestamp paused_until_{};
  std::optional<FailureKind> stopping_;
};

// --- what follows from a hop's answer: pure rules; time and chance come from the caller

// True: `fetch` is now the next hop (a redirect, a retry, a GET after a HEAD). False: `answer` is the last one; a
// redirect that leads nowhere has become its failure.
bool make_next_hop(PendingFetch& fetch, HopAnswer& answer, const FetchOptions& options, Timestamp now, double jitter);

// Whether `answer` refuses a plain request in a way that one with a browser's headers may get past.
bool may_retry_as_browser(const PendingFetch& fetch, const HopAnswer& answer, const FetchOptions& options);
// Makes that the next hop; the answer is kept meanwhile, without most of a long body.
void make_browser_hop(PendingFetch& fetch, HopAnswer answer);
// Whether the answer to it says more than the refusal did: there, elsewhere, or gone.
bool is_no_refusal(const HopAnswer& answer);

// Whether the next request of `fetch` is a HEAD.
bool asks_head(const PendingFetch& fetch, const FetchOptions& options);

// How much of its time over all hops, waits and retries the link has left.
Duration time_left(const PendingFetch& fetch, const FetchOptions& options);

}  // namespace linkherd::crawler
