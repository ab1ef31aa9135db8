// Records the results of a run, from the first request to the end of the run. Used by one thread, which is the only one
// that writes to the store.
//
// A link passes through these steps:
// 1. take_requests() takes it from the link table. It reuses a recent verdict of the store, or returns a request.
// 2. record_page() receives the page. If it looks dead, record_page() holds the snapshot back and returns a request for
//    the confirmation. For example, https://example.org/x becomes dead only after its second 404.
// 3. An unreachable link waits for settle_undecided(), because only the end of the run shows whether the network was
//    down.
// 4. write_recorded() writes the buffered results in one batch.
// 5. close() evaluates fragments, counts the verdicts and ends the run in the store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crawler/clock/clock.h"
#include "crawler/run/crawl.h"
#include "crawler/run/fragment_links.h"
#include "crawler/run/health_counts.h"
#include "crawler/run/link_table.h"
#include "crawler/run/page_analysis.h"
#include "crawler/run/page_doubts.h"
#include "crawler/run/result_writer.h"
#include "crawler/run/run_links.h"
#include "crawler/run/site_follower.h"
#include "crawler/run/undecided_links.h"
#include "storage/link_result.h"
#include "storage/link_state.h"
#include "storage/run.h"
#include "storage/store.h"

namespace linkherd::crawler {

class ResultRecorder {
 public:
  using OnFinished = std::function<void(const FinishedLink&)>;

  // `store` may be null and `on_finished` may be empty. The other arguments must outlive this object.
  ResultRecorder(LinkTable table, const CrawlOptions& options, const Clock& clock, storage::Store* store,
                 OnFinished on_finished = {});
  ResultRecorder(const ResultRecorder&) = delete;
  ResultRecorder& operator=(const ResultRecorder&) = delete;

  // Begins the run, or resumes an interrupted one.
  void begin();

  // Returns what earlier runs learned about hosts.
  std::vector<storage::HostState> known_hosts() const;

  // Takes at most `max_count` links from the table. Returns requests for those that must be fetched, and records the
  // results of the others. The limit lets fetching start before all links have been looked up in the store.
  std::vector<FetchRequest> take_requests(std::size_t max_count = SIZE_MAX);
  bool all_taken() const { return taken_ == total(); }
  // Returns true if take_requests() would take any link now. Not all links may be taken if the pages of a site are
  // followed step by step.
  bool may_take() { return taken_ < end_of_step(); }

  // Records the result of a page. A finished link is in the store after the next write_recorded(), which is called
  // automatically when the buffered results are large. Returns the request for the confirmation if the link looks dead
  // for the first time.
  std::optional<FetchRequest> record_page(AnalyzedPage page);
  void write_recorded();
  void write_unfinished();  // see ResultWriter

  const PageDoubts& doubts() const { return doubts_; }

  // Records what had to wait for the end of the run, which ends with `state`. A link without an answer gets a strike
  // only if the run was not an outage. `hosts`: what the run learned about hosts. A host that gave no answer gets a
  // strike, and the last strike makes all its links dead.
  void settle_undecided(storage::RunState state, std::vector<storage::HostState>& hosts);

  // Returns the dead links found so far. Empty if neither an archive nor a search for new addresses needs them.
  std::span<const std::uint32_t> dead_links() const { return dead_; }
  // Stores what `update` adds to the state of a dead link.
  void update_dead_link(std::size_t index, const std::function<void(storage::LinkState& state)>& update);

  // Calls settle_undecided() for remaining results and ends the run. Returns what retention removed from the store.
  storage::PruneResult close(storage::RunState state, std::vector<storage::HostState> hosts = {});

  // Ends the run without another write.
  void abort();

  std::size_t done() const { return counts_.finished(); }
  const std::map<storage::Health, std::uint64_t>& finished_by_health() const { return counts_.finished_by_health(); }
  std::size_t total() const { return links_->size(); }
  const RunLinks& links() const { return *links_; }
  const storage::Run& run() const { return run_; }
  std::unique_ptr<const storage::CheckedLinks> take_links() { return std::move(links_); }  // call once, after close()

 private:
  // --- before a request
  std::size_t end_of_step() { return site_ ? site_->end_of_step(taken_) : total(); }
  bool reuse_stored_verdict(std::size_t index, storage::CheckedLink& link);
  bool add_stored_anchors(std::size_t index, const storage::Snapshot& snapshot);
  bool needs_body(std::size_t index, const storage::Snapshot& snapshot) const;
  FetchRequest request_for(std::size_t index, std::optional<Validators> validators);

  // --- after a response
  storage::CheckedLink known_link(std::size_t index) const;
  void record_verdict(std::size_t index, const storage::Verdict& verdict);
  // `page`: what the snapshot was made from; its body is stored, and may be moved away. Null if no body is stored.
  // Returns the verdict of the link.
  storage::Verdict record_result(std::size_t index, storage::Snapshot snapshot, AnalyzedPage* page);
  void store_verdict(std::size_t index, storage::CheckedLink link, std::optional<std::string_view> body_of_check);
  void store_state(std::size_t index, storage::CheckedLink& link);
  void finish(std::size_t index, const storage::Verdict& verdict, std::optional<Duration> duration, bool is_from_store);
  void note_verdict(std::size_t index, const storage::Verdict& verdict);

  // --- at the end
  void evaluate_fragments();
  void keep_planned_results();

  std::unique_ptr<RunLinks> links_;
  const CrawlOptions& options_;
  const Clock& clock_;
  storage::Store* store_;
  OnFinished on_finished_;
  storage::Run run_;
  Timestamp began_;  // start of this process's part; a resumed run started earlier
  bool is_resumed_ = false;
  std::size_t taken_ = 0;
  HealthCounts counts_;
  PageDoubts doubts_;
  std::optional<SiteFollower> site_;  // if a site is crawled
  UndecidedLinks undecided_;
  FragmentLinks fragments_;
  std::optional<ResultWriter> writer_;  // with a store
  std::vector<std::uint32_t> dead_;     // see dead_links()
};

}  // namespace linkherd::crawler
