// The fetch pool: threads, each with one io_context, one curl multi handle, one c-ares channel and one Frontier. A
// thread owns registrable domains (by hash); a redirect to another domain is posted to its owner. Nothing is shared but
// the budgets and the results.
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
  std::vector<HostBacklog> slowest;  // the biggest backlogs
};

// Told of every attempt as it ends, from the fetch threads: for outage detection and progress. Abstract so that a test
// can listen.
class AttemptObserver {
 public:
  virtual ~AttemptObserver() = default;
  virtual void on_attempt(const parser::Url& url, int status, FailureKind failure) = 0;  // thread-safe
};

// Takes the next hop of a link where another process asks its host, and leaves it where it is this one's. Called by the
// fetch threads.
using PassOn = std::function<void(std::unique_ptr<PendingFetch>& fetch)>;

class FetchThread;
struct PoolShared;

class FetchPool {
 public:
  // Every submitted request ends as exactly one result in `results`, also after stop(); its body counts in `bodies`,
  // which outlives every result. Clock, queue and observer outlive the pool. `pass_on` may be empty; what it takes has
  // no result. Throws std::runtime_error where an option is unusable.
  FetchPool(const FetchOptions& options, const Clock& clock, ByteBudget& bodies, BoundedQueue<FetchResult>& results,
            AttemptObserver& observer, PassOn pass_on = {});
  ~FetchPool();  // stops and joins; what is still pending is lost

  void restore(const std::vector<storage::HostState>& hosts);  // before the first submit
  void submit(std::vector<FetchRequest> requests);             // thread-safe
  // The first request not before that time. Thread-safe.
  void submit(FetchRequest request, std::optional<Timestamp> not_before = std::nullopt);
  void submit(std::unique_ptr<PendingFetch> fetch);  // a link under way; thread-safe
  // No new hops: what is pending ends with `why` (interrupted, outage); what is in flight has the grace time, then ends
  // likewise. Returns at once; thread-safe; a second call changes nothing.
  void stop(FailureKind why);
  // Throws what broke a thread, if anything did: results may be missing then.
  void rethrow_failure() const;
  PoolStatus status() const;                            // thread-safe, a recent picture
  std::vector<storage::HostState> host_states() const;  // after every result has come back

 private:
  void end();

  std::unique_ptr<PoolShared> shared_;
  std::vector<std::unique_ptr<FetchThread>> threads_;
};

}  // namespace linkherd::crawler
