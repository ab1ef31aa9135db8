// Fetches links on several threads and delivers one FetchResult per request.
//
// Each thread has an io_context, a curl multi handle, a c-ares channel and a Frontier. It runs one coroutine per hop.
// The only mutable state that the threads share is the limits (slots, address limiter, body budget) and the result
// queue.
//
// A thread owns registrable domains: hash(domain) modulo the number of threads. For example, all hosts below
// example.com belong to the same thread, so its frontier needs no lock. If a link on example.com redirects to
// example.org, the fetch is posted to the owner of example.org.
//
// A thread starts a hop when all of these hold:
// - its frontier has a ready host;
// - a slot is free;
// - the result queue has room;
// - the body budget is not used up.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "crawler/clock/clock.h"
#include "crawler/fetch/bounded_queue.h"
#include "crawler/fetch/fetch_options.h"
#include "crawler/fetch/http/byte_budget.h"
#include "crawler/fetch/http/fetch_result.h"
#include "crawler/frontier/frontier.h"
#include "storage/host_state.h"

namespace linkherd::crawler {

struct PoolStatus {
  std::size_t pending = 0;
  std::size_t in_flight = 0;
  std::vector<HostBacklog> biggest_backlogs;  // the largest backlogs
};

// Receives every attempt when it ends, for outage detection. Called on the fetch threads, so it must be thread-safe.
using OnAttempt = std::function<void(const parser::Url& url, int status, FailureKind failure)>;

// Takes over the next hop of a link if another process owns its host; otherwise leaves `fetch` unchanged. Called on the
// fetch threads.
using HandOver = std::function<void(std::unique_ptr<FetchState>& fetch)>;

class FetchThread;
struct PoolShared;

class FetchPool {
 public:
  // Every submitted request ends as exactly one result in `results`, even after stop(). A fetch that `hand_over` takes
  // has no result. Both functions may be empty. The body of a result counts against `bodies`, which must outlive every
  // result. Clock and queue must outlive the pool.
  //
  // Throws std::runtime_error if an option is unusable.
  FetchPool(const FetchOptions& options, const Clock& clock, ByteBudget& bodies, BoundedQueue<FetchResult>& results,
            OnAttempt on_attempt = {}, HandOver hand_over = {});
  ~FetchPool();  // stops and joins the threads; pending fetches are lost

  void restore(const std::vector<storage::HostState>& hosts);  // call before the first submit()
  void submit(std::vector<FetchRequest> requests);             // thread-safe
  // Submits a request that starts at `not_before` or later. Thread-safe.
  void submit(FetchRequest request, std::optional<Timestamp> not_before = std::nullopt);
  void submit(std::unique_ptr<FetchState> fetch);  // submits a started link; thread-safe
  // Starts no further hops. Pending fetches end with `why` (interrupted, outage). Transfers in flight get the grace
  // time and then end likewise. Returns at once. A second call changes nothing. Thread-safe.
  void stop(FailureKind why);
  // Rethrows the exception that ended a thread, if any. Results may be missing in that case.
  void rethrow_failure() const;
  PoolStatus status() const;                            // thread-safe; may be slightly out of date
  std::vector<storage::HostState> host_states() const;  // call after all results have arrived

 private:
  void end();

  std::unique_ptr<PoolShared> shared_;
  std::vector<std::unique_ptr<FetchThread>> threads_;
};

}  // namespace linkherd::crawler
