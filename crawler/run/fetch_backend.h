// From requests to analysed pages: what a run asks for, and what comes back. A run does not know where its links are
// fetched: in this process (LocalFetchBackend), or by workers behind a broker (crawler/broker/).
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

  virtual void restore(const std::vector<storage::HostState>& hosts) = 0;  // before the first submit()
  // Every request becomes exactly one page, also after stop().
  virtual void submit(std::vector<FetchRequest> requests) = 0;
  virtual void submit(FetchRequest request, std::optional<Timestamp> not_before = std::nullopt) = 0;
  // Nothing where no page comes in time. Throws what broke a stage.
  virtual std::optional<AnalyzedPage> pop_for(std::chrono::milliseconds timeout) = 0;
  // No request is begun any more: what is pending ends with `why`.
  virtual void stop(FailureKind why) = 0;
  // All pages that were popped so far are stored, and survive the end of the process.
  virtual void pages_are_stored() {}
  // How far the run is, several times a second: for those who watch it elsewhere.
  virtual void show(const CrawlProgress& /*progress*/) {}
  virtual ContactCounts contacts() const = 0;
  virtual PoolStatus status() const = 0;
  virtual std::vector<storage::HostState> host_states() = 0;  // after every page has come back
};

// In this process: the fetch pool, then the threads of the analysis, and bounded queues between them.
class LocalFetchBackend final : public FetchBackend {
 public:
  // The clock outlives this. `pass_on` (see FetchPool): may be empty.
  LocalFetchBackend(const CrawlOptions& options, const Clock& clock, PassOn pass_on = {});

  void restore(const std::vector<storage::HostState>& hosts) override;
  void submit(std::vector<FetchRequest> requests) override { pool_.submit(std::move(requests)); }
  void submit(FetchRequest request, std::optional<Timestamp> not_before = std::nullopt) override {
    pool_.submit(std::move(request), not_before);
  }
  void submit(std::unique_ptr<PendingFetch> fetch) { pool_.submit(std::move(fetch)); }
  std::optional<AnalyzedPage> pop_for(std::chrono::milliseconds timeout) override;
  void stop(FailureKind why) override { pool_.stop(why); }
  ContactCounts contacts() const override { return outage_.counts(); }
  PoolStatus status() const override { return pool_.status(); }
  std::vector<storage::HostState> host_states() override { return pool_.host_states(); }

 private:
  // Members are destroyed in reverse: first the pool, then the analysis, so that no stage outlives the queue that it
  // writes to; last the budget that whatever was left in them counts in.
  ByteBudget bodies_;
  BoundedQueue<FetchResult> results_;
  BoundedQueue<AnalyzedPage> pages_;
  OutageDetector outage_;
  AnalysisPool analysis_;
  FetchPool pool_;
};

// How many pages a stage may be ahead of the next one, beside the budget of bytes.
inline constexpr std::size_t pages_under_way = 256;

}  // namespace linkherd::crawler
