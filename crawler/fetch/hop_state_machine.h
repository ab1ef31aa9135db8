// Runs one attempt of a link on a fetch thread, from the frontier to the next step.
//
// run() consults robots.txt if necessary, runs the attempt with AttemptRunner, returns the slot to the frontier and
// decides how to go on. The decision is the first of these that applies:
// 1. The address is busy: the attempt goes back into the frontier, to start later.
// 2. The address is given up: the link ends untried.
// 3. This machine slept or lacked resources: the attempt goes back into the frontier.
// 4. A rule of `next_hop_rules` (next_hop.h) applies: the link gets another hop or attempt.
// 5. Otherwise the response is final and becomes a FetchResult.
//
// For example, http://a.example/x may answer 301 to https://a.example/x, then 503, then 200 a second later. That makes
// two hops, three attempts and one result.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <unordered_set>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "crawler/clock/clock.h"
#include "crawler/fetch/alternative_retries.h"
#include "crawler/fetch/attempt_runner.h"
#include "crawler/fetch/exhaustion_pause.h"
#include "crawler/fetch/fetch_options.h"
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
    std::function<void(std::unique_ptr<FetchState>)> next;
    std::function<void(FetchResult)> on_finished;
    std::function<void()> on_attempt_completed;
  };

  // The references must outlive this object. The caller samples `awake` regularly.
  HopStateMachine(boost::asio::io_context& io, PoolShared& shared, CurlLoop& curl, Resolver& resolver, AwakeTime& awake,
                  Frontier& frontier, StallWatch& stalls, Handlers handlers);

  // Runs one attempt of a fetch that was popped from the frontier and holds a slot.
  boost::asio::awaitable<void> run(std::unique_ptr<FetchState> fetch);

  // Ends a link that is not tried, or not tried again. `retry_at` is the end of the pause that the host requested.
  void finish_untried(FetchState& fetch, FailureKind why, std::optional<Timestamp> retry_at = std::nullopt);

  void stop(FailureKind why) { stopping_ = why; }  // no further hops start
  const std::optional<FailureKind>& stopping() const { return stopping_; }
  // Returns the time before which no hop should start, because a local resource is exhausted.
  Timestamp paused_until() const { return exhaustion_.until(); }

  // Restores and saves what linkherd knows about robots.txt between runs.
  void restore(const storage::HostState& host);
  void add_to(std::vector<storage::HostState>& states) const;

 private:
  boost::asio::awaitable<AttemptResult> request_page(AttemptRequest& request, const std::string& origin,
                                                     bool is_listed);
  AttemptRequest make_request(const FetchState& fetch, const std::string& origin) const;
  bool choose_next_hop(FetchState& fetch, const AttemptRequest& request, const std::string& origin,
                       AttemptResult& response, Timestamp now);
  void end_alternative(FetchState& fetch, const std::string& origin, AttemptResult& response);
  void complete_attempt(std::unique_ptr<FetchState> fetch, const std::string& origin, Timestamp started,
                        const AttemptRequest& request, AttemptResult response);
  bool restart_after_sleep(std::unique_ptr<FetchState>& fetch, const AttemptResult& response, Timestamp now);
  bool wait_for_local_resources(std::unique_ptr<FetchState>& fetch, AttemptResult& response, Timestamp now);
  void record_attempt(FetchState& fetch, Timestamp started, const AttemptResult& response);
  std::optional<Timestamp> requested_pause(const std::string& origin, const AttemptResult& response, Timestamp now);
  void apply_retry_after(const std::string& origin, Timestamp until, const AttemptResult& response, Timestamp now);
  void finish(FetchState& fetch, Timestamp started, AttemptResult response);

  PoolShared& shared_;
  Frontier& frontier_;
  StallWatch& stalls_;
  const Handlers handlers_;
  AttemptRunner runner_;
  RobotsGate robots_;
  AlternativeRetries alternatives_;
  ExhaustionPause exhaustion_;
  std::minstd_rand random_;
  std::unordered_set<std::string> refuses_without_time_;  // origins whose latest 429 named no time
  std::optional<FailureKind> stopping_;
};

}  // namespace linkherd::crawler
