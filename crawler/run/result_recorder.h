// Records the results of a run: what is planned, what earlier runs found, the results so far, and what is stored. Used
// by one thread, which is the only one that writes to the store.
//
// A link passes through these steps:
// 1. take_requests() takes it from the link table. It reuses a recent verdict of the store, or returns a request.
// 2. record_page() receives the page. If it looks dead, record_page() holds the snapshot back and returns a request for
//    the confirmation. For example, https://example.org/x becomes dead only after its second 404.
// 3. An unreachable link waits for record_deferred(). Only the end of the run shows whether the local network was down.
// 4. write_recorded() writes the buffered results in one batch.
// 5. close() evaluates fragments, counts the verdicts and ends the run in the store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "crawler/classify/content_mismatch.h"
#include "crawler/clock/clock.h"
#include "crawler/lookups/archive.h"
#include "crawler/run/crawl.h"
#include "crawler/run/page_analysis.h"
#include "crawler/run/plan.h"
#include "crawler/run/run_links.h"
#include "crawler/run/web_anchors.h"
#include "storage/link_result.h"
#include "storage/run.h"
#include "storage/spill_file.h"
#include "storage/store.h"

namespace linkherd::crawler {

class ResultRecorder {
 public:
  using OnFinished = std::function<void(const FinishedLink&)>;

  // `store` may be null and `on_finished` may be empty. The other arguments must outlive this object.
  ResultRecorder(Plan plan, const CrawlOptions& options, const Clock& clock, storage::Store* store,
                 OnFinished on_finished = {});

  // Begins the run, or resumes an interrupted one.
  void begin();

  // Returns what earlier runs learned about hosts.
  std::vector<storage::HostState> known_hosts() const;

  // Takes at most `max_count` links from the plan. Returns the requests for the links to fetch, so that a long list is
  // being fetched long before its end is read. The other links are finished and in the store.
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
  // Writes results for unfinished links that were taken before the previous call, some thousands at a time. The run
  // then has these links even if the process is killed. Most links are finished sooner and are written only once.
  void write_unfinished();

  // Returns true if an alive page may mismatch its entries and only its text can decide that.
  bool needs_text(const AnalyzedPage& page) const;

  // Returns true if this missing page may be lost with all pages of its host. Its host had a page in an earlier run,
  // and no link of the host counts as alive without a request. The page itself was not dead before.
  bool has_host_lost_it(const AnalyzedPage& page) const;

  // Records what had to wait for the end of the run, which ends with `state`. A link without an answer gets a strike
  // only if the run was not an outage. `hosts`: what the run learned about hosts. A host that gave no answer gets a
  // strike, and the last strike makes all its links dead.
  void record_deferred(storage::RunState state, std::vector<storage::HostState>& hosts);

  // Return dead links to look up in the archive, if one is used. Recently looked up links are omitted.
  bool has_dead_links() const { return dead_taken_ < dead_.size(); }
  std::optional<DeadLink> take_dead_link();
  void put_archived_copy(std::size_t index, storage::ArchivedCopy copy);

  // Calls record_deferred() for remaining results and ends the run. Returns what retention removed from the store.
  storage::PruneResult close(storage::RunState state, std::vector<storage::HostState> hosts = {});

  // Ends the run without another write.
  void abort();

  std::size_t done() const { return done_; }
  const std::map<storage::Health, std::uint64_t>& finished_by_health() const { return finished_by_health_; }
  std::size_t total() const { return links_->size(); }
  const storage::Run& run() const { return run_; }
  std::unique_ptr<const storage::CheckedLinks> take_links() {  // call once, after close()
    links_->finish();
    return std::move(links_);
  }

 private:
  void compare_with_entries(std::size_t index, AnalyzedPage& page);
  void compare_with_first_version(storage::LinkRecord& record, const AnalyzedPage& page,
                                  storage::Snapshot& snapshot) const;
  bool reuse_stored_verdict(storage::CheckedLink& link) const;

  // --- for a crawled site
  std::size_t end_of_step();
  void exclude_from_crawl(std::size_t index);
  FetchRequest request_for(std::size_t index, std::optional<Validators> validators);
  void add_page_links(std::size_t index, AnalyzedPage& page);
  bool add_stored_links(std::size_t index, const storage::Snapshot& snapshot);
  std::optional<Plan> links_on(const parser::Url& link, const storage::Snapshot& snapshot, std::string_view body) const;
  void follow(const parser::Url& link, const storage::Snapshot& snapshot, const Plan& links);
  void store_new_occurrences();
  void keep_planned_results();

  // --- for the fragments of links to pages
  bool has_fragment(std::size_t index) const;
  bool add_stored_anchors(std::size_t index, const storage::Snapshot& snapshot);
  void keep_anchors(std::size_t index, const storage::Snapshot& snapshot, PageAnchors anchors);
  void evaluate_fragments();
  void evaluate_fragments_of(std::size_t index, FragmentEvaluator& evaluator, std::size_t& comparisons_left);
  void store_fragment(std::size_t index);

  void note_history(const storage::LinkRecord& record);
  void note_alive(std::size_t index, const storage::Snapshot& snapshot);
  bool was_alive_in_this_run(std::size_t index, const std::string& url) const;
  void doubt_missing_page(std::size_t index, AnalyzedPage& page) const;
  bool has_answered_before(const storage::LinkId& id, const std::string& url) const;
  void add_occurrences(std::size_t index, storage::LinkResult& result);
  storage::LinkResult known_result(std::size_t index) const;
  void record_verdict(std::size_t index, const storage::Verdict& verdict);
  // `page`: what the snapshot was made from; its body is stored, and may be moved away. Null if no body is stored.
  // Returns the verdict of the link.
  storage::Verdict record_result(std::size_t index, storage::Snapshot snapshot, AnalyzedPage* page);
  storage::Verdict record_stored_verdict(std::size_t index, storage::CheckedLink link);
  void finish(std::size_t index, const storage::Verdict& verdict, std::optional<Duration> duration, bool is_from_store);
  void note_death(std::size_t index, const storage::Verdict& verdict);
  void count_host_strikes(storage::RunState state, std::vector<storage::HostState>& hosts);
  void record_unreachable(storage::RunState state);
  void record_links_of_failed_hosts();
  void count(std::size_t index, const storage::Verdict& verdict);

  storage::SpillFile::Extent hold_back(const storage::Snapshot& snapshot);
  storage::Snapshot held_back(storage::SpillFile::Extent extent) const;

  std::unique_ptr<RunLinks> links_;
  const CrawlOptions& options_;
  const Clock& clock_;
  storage::Store* store_;
  storage::Run run_;
  Timestamp began_;  // start of this process's part; a resumed run started earlier
  bool is_resumed_ = false;
  std::size_t taken_ = 0;
  std::vector<bool> is_new_;      // by index; with a store: it had no record of the link when the link was taken
  std::vector<bool> has_result_;  // by index; with a store: the run has a result of the link, or is about to get it
  std::size_t with_results_ = 0;  // the first `with_results_` links all have a result
  std::size_t taken_before_ = 0;  // value of `taken_` at the last write_unfinished()
  storage::SpillFile held_back_;  // encoded snapshots, spilled to a file: there may be one per link
  // first snapshots of links that wait for their confirmation, by index
  std::unordered_map<std::size_t, storage::SpillFile::Extent> unconfirmed_;
  // By index: links without an answer. They are not recorded until the run is known to be no outage.
  std::vector<std::pair<std::size_t, storage::SpillFile::Extent>> unreachable_;
  // links not tried because their host failed, by origin of the host
  std::unordered_map<std::string, std::vector<std::uint32_t>> links_of_failed_hosts_;
  // hosts whose links are dead, by origin; known at the end of the run
  std::unordered_map<std::string, storage::UnresponsivePeriod> struck_out_;
  enum class EarlierAnswer : std::uint8_t {
    answered,   // it gave any answer in an earlier run
    was_alive,  // one of its links was alive in an earlier run
    is_alive,   // one of its links was alive recently and is not requested again in this run
  };
  std::unordered_map<std::size_t, EarlierAnswer> earlier_answers_;  // by hash of the host
  std::vector<bool> was_alive_;                                     // in this run; by index
  std::unordered_set<std::size_t>
      alive_redirect_targets_;            // hashes of URLs that redirects of this run led to, and that were alive
  std::vector<storage::Health> healths_;  // by index; with a store only
  MismatchEvaluator mismatch_evaluator_;
  std::vector<std::uint32_t> dead_;  // indices of dead links; only if an archive is used
  std::size_t dead_taken_ = 0;
  std::vector<bool> has_new_occurrences_;  // by index: links that got occurrences after they were taken
  storage::SpillFile anchors_;             // encoded anchors of alive pages, if fragments are checked
  std::vector<std::pair<std::uint32_t, storage::SpillFile::Extent>> pages_with_anchors_;  // by index of the link
  std::size_t done_ = 0;
  std::map<storage::Health, std::uint64_t> finished_by_health_;
  OnFinished on_finished_;
  std::unique_ptr<storage::LinkWriter> writer_;  // null without a store
  std::vector<std::uint32_t> recorded_;          // indices of links that are buffered but not written
  std::vector<std::string> stored_lines_;        // log lines, printed after the next write
};

}  // namespace linkherd::crawler
