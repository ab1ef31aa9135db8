// The parse stage: a fetch result becomes a snapshot with its verdict and metadata, and the body that is to be kept.
#pragma once

#include <cstddef>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "crawler/bounded_queue.h"
#include "crawler/clock.h"
#include "crawler/fetch/fetch_result.h"
#include "storage/snapshot.h"

namespace linkherd::crawler {

struct AnalyzedPage {
  FetchRequest request;
  storage::Snapshot snapshot;
  std::string body;         // decoded; empty where it is not kept
  ByteBudget::Lease lease;  // of the body, until it is stored
};

// Undoes the content coding (at most `max_body` bytes come out), judges and harvests. Pure apart from the time it
// takes: `now` bounds the dates that a page may claim.
AnalyzedPage analyze(FetchResult result, std::size_t max_body, Timestamp now);

// Threads with stacks of 8 MiB (gumbo recurses) that turn results into pages until one of the queues is closed.
class AnalysisPool {
 public:
  AnalysisPool(std::size_t threads, std::size_t max_body, const Clock& clock, BoundedQueue<FetchResult>& results,
               BoundedQueue<AnalyzedPage>& pages);
  ~AnalysisPool();  // closes both queues and joins
  AnalysisPool(const AnalysisPool&) = delete;
  AnalysisPool& operator=(const AnalysisPool&) = delete;

  // Throws what broke a thread (memory, not the web), if anything did: pages may be missing then.
  void rethrow_failure();

 private:
  void end();
  void work();
  void analyze_all();

  const std::size_t max_body_;
  const Clock& clock_;
  BoundedQueue<FetchResult>& results_;
  BoundedQueue<AnalyzedPage>& pages_;
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace linkherd::crawler
