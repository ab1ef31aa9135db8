// Turns fetch requests into analyzed pages. A run does not know where its links are fetched: in this process
// (LocalFetchBackend), or by workers that are connected through a broker (crawler/broker/).
//
// A request passes through a fetch stage and an analysis stage, and returns as one AnalyzedPage. For example, a request
// for https://example.org/ that times out returns as a page with the failure in its snapshot. Pages come back in the
// order in which they become ready. The caller therefore counts the requests it submitted and calls pop_for() until as
// many pages have returned.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "crawler/clock/clock.h"
#include "crawler/fetch/fetch_pool.h"
#include "crawler/run/outage.h"
#include "crawler/run/page_analysis.h"
#include "storage/host_state.h"

namespace linkherd::crawler {

struct CrawlOptions;
struct CrawlProgress;

class FetchBackend {
 public:
  FetchBackend() = default;
  virtual ~FetchBackend() = default;
  FetchBackend(const FetchBackend&) = delete;
  FetchBackend& operator=(const FetchBackend&) = delete;

  virtual void restore(const std::vector<storage::HostState>& hosts) = 0;  // called before the first submit()
  // Each request returns as exactly one page, also after stop(). `not_before`: earliest time of the first attempt.
  virtual void submit(std::vector<FetchRequest> requests) = 0;
  virtual void submit(FetchRequest request, std::optional<Timestamp> not_before = std::nullopt) = 0;
  // Returns the next page, or nullopt if none is ready within `timeout`. Rethrows the exception of a failed stage.
  virtual std::optional<AnalyzedPage> pop_for(std::chrono::milliseconds timeout) = 0;
  // Starts no further requests. Pending requests end with the failure `why`.
  virtual void stop(FailureKind why) = 0;
  // Called when all pages that were popped so far are stored and survive the end of the process.
  virtual void pages_are_stored() {}
  // Publishes the progress of the run to observers in other processes. Called several times a second.
  virtual void show(const CrawlProgress& /*progress*/) {}
  virtual ContactCounts contacts() const = 0;
  virtual PoolStatus status() const = 0;
  virtual std::vector<storage::HostState> host_states() = 0;  // called after every page has returned
};

// Returns how the pages of a run are analyzed. `options` must outlive the analysis.
AnalysisOptions analysis_options(const CrawlOptions& options);

// Fetches and analyzes in this process. Bounded queues connect the fetch pool and the analysis threads.
class LocalFetchBackend final : public FetchBackend {
 public:
  // `clock` must outlive this object. `hand_over` may be empty (see FetchPool).
  LocalFetchBackend(const CrawlOptions& options, const Clock& clock, HandOver hand_over = {});

  void restore(const std::vector<storage::HostState>& hosts) override;
  void submit(std::vector<FetchRequest> requests) override { pool_.submit(std::move(requests)); }
  void submit(FetchRequest request, std::optional<Timestamp> not_before = std::nullopt) override {
    pool_.submit(std::move(request), not_before);
  }
  void submit(std::unique_ptr<FetchState> fetch) { pool_.submit(std::move(fetch)); }
  std::optional<AnalyzedPage> pop_for(std::chrono::milliseconds timeout) override;
  void stop(FailureKind why) override { pool_.stop(why); }
  ContactCounts contacts() const override { return outage_.counts(); }
  PoolStatus status() const override { return pool_.status(); }
  std::vector<storage::HostState> host_states() override { return pool_.host_states(); }

 private:
  // The order of the members matters, because they are destroyed in reverse. The pool goes first, then the analysis, so
  // that no stage outlives the queue it writes to. The budget goes last, because bodies left in the queues still hold
  // leases on it.
  ByteBudget bodies_;
  BoundedQueue<FetchResult> results_;
  BoundedQueue<AnalyzedPage> pages_;
  OutageDetector outage_;
  AnalysisPool analysis_;
  FetchPool pool_;
};

// Maximum pages that a stage may be ahead of the next one. A byte budget limits the stages as well.
inline constexpr std::size_t max_queued_pages = 256;

}  // namespace linkherd::crawler
