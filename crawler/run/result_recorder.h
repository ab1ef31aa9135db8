// The state of one run: what is planned, what earlier runs found, the results so far, and what of these is stored. Used
// by one thread, the only one that writes to the store.
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
#include "storage/run.h"
#include "storage/spill_file.h"
#include "storage/store.h"

namespace linkherd::crawler {

class ResultRecorder {
 public:
  using OnFinished = std::function<void(const FinishedLink&)>;

  // `store` may be null, and `on_finished` empty. The others outlive the ledger.
  ResultRecorder(Plan plan, const CrawlOptions& options, const Clock& clock, storage::Store* store,
                 OnFinished on_finished = {});

  // Begins the run, or goes on with the one that was cut short.
  void begin();

  // What earlier runs learnt about hosts.
  std::vector<storage::HostState> known_hosts() const;

  // Takes the next links of the plan, at most so many. Returns the requests for those that are to be fetched: the first
  // requests of a long list go out long before its end is read. The others are finished, and in the store.
  std::vector<FetchRequest> take_requests(std::size_t max_count = SIZE_MAX);
  bool all_taken() const { return taken_ == total(); }
  // Whether take_requests() would take any now: not all, where the pages of a site are followed step by step.
  bool may_take() { return taken_ < end_of_step(); }

  // Enters what was found; a link that is finished is in the store after the next write_recorded(), which comes by
  // itself when they are large together. Gives the request for the second look where what seems dead must be seen
  // again.
  std::optional<FetchRequest> record_page(AnalyzedPage page);
  void write_recorded();
  // Writes links that were taken before the last call and are not finished, some thousands at a time, so that the run
  // has them where it is killed. Most links are finished sooner, and written once.
  void write_unfinished();

  // Whether a page that is there may not be what the lists say, which only its text can tell.
  bool needs_text(const AnalyzedPage& page) const;

  // Returns true if the host of this missing page had a page in an earlier run, has none in this one that counts as
  // alive without a request, and this page was not dead before.
  bool has_host_lost_it(const AnalyzedPage& page) const;

  // Settles what had to wait for the end of the run, which has `state`: a link without answer is only held against it
  // when the whole run was no outage. `hosts`: what was learnt about them. One that has given no answer gets a strike,
  // and all its links are dead with the last.
  void settle(storage::RunState state, std::vector<storage::HostState>& hosts);

  // Where an archive is to be asked: the next link that is dead, and of which it was not asked lately.
  bool has_dead_links() const { return dead_taken_ < dead_.size(); }
  std::optional<DeadLink> take_dead_link();
  void put_archived_copy(std::size_t number, storage::ArchivedCopy copy);

  // Settles what is not settled yet, and ends the run. Returns what was removed from the store by its retention.
  storage::PruneResult close(storage::RunState state, std::vector<storage::HostState> hosts = {});

  // Ends the run where it is, without another write.
  void abort();

  std::size_t done() const { return done_; }
  const std::map<storage::Health, std::uint64_t>& finished_by_health() const { return finished_by_health_; }
  std::size_t total() const { return links_->size(); }
  const storage::Run& run() const { return run_; }
  std::unique_ptr<const storage::CheckedLinks> take_links() {  // once, after close()
    links_->finish();
    return std::move(links_);
  }

 private:
  void compare_with_entries(std::size_t number, AnalyzedPage& page);
  void compare_with_first_version(storage::LinkRecord& record, const AnalyzedPage& page,
                                  storage::Snapshot& snapshot) const;
  bool reuse_stored_verdict(storage::CheckedLink& link) const;

  // --- of a site that is crawled
  std::size_t end_of_step();
  void leave_out(std::size_t number);
  FetchRequest request_for(std::size_t number, std::optional<Validators> validators);
  void add_page_links(std::size_t number, AnalyzedPage& page);
  bool add_stored_links(std::size_t number, const storage::Snapshot& snapshot);
  std::optional<Plan> links_on(const parser::Url& link, const storage::Snapshot& snapshot, std::string_view body) const;
  void follow(const parser::Url& link, const storage::Snapshot& snapshot, const Plan& links);
  void store_new_occurrences();
  void keep_planned_entries();

  // --- of the fragments of links to pages
  bool has_fragment(std::size_t number) const;
  bool add_stored_anchors(std::size_t number, const storage::Snapshot& snapshot);
  void keep_anchors(std::size_t number, const storage::Snapshot& snapshot, PageAnchors anchors);
  void evaluate_fragments();
  void evaluate_fragments_of(std::size_t number, FragmentEvaluator& evaluator, std::size_t& comparisons_left);
  void store_fragment(std::size_t number);

  void note_history(const storage::LinkRecord& record);
  void note_alive(std::size_t number, const storage::Snapshot& snapshot);
  bool was_alive_in_this_run(std::size_t number, const std::string& url) const;
  void doubt_missing_page(std::size_t number, AnalyzedPage& page) const;
  bool has_answered_before(const storage::LinkId& id, const std::string& url) const;
  void add_occurrences(std::size_t number, storage::RunEntry& entry);
  void record_verdict(std::size_t number, const storage::Verdict& verdict);
  // `page`: what the snapshot was made from, which gives its body away; null where that is not to be stored. Returns
  // the verdict of the link.
  storage::Verdict record_result(std::size_t number, storage::Snapshot snapshot, AnalyzedPage* page);
  storage::Verdict record_recheck(std::size_t number, storage::CheckedLink link);
  void finish(std::size_t number, const storage::Verdict& verdict, std::optional<Duration> duration,
              bool is_from_store);
  void note_death(std::size_t number, const storage::Verdict& verdict);
  void settle_hosts(storage::RunState state, std::vector<storage::HostState>& hosts);
  void settle_unanswered(storage::RunState state);
  void settle_untried();
  void count(std::size_t number, const storage::Verdict& verdict);

  storage::SpillFile::Extent hold_back(const storage::Snapshot& snapshot);
  storage::Snapshot held_back(storage::SpillFile::Extent extent) const;

  std::unique_ptr<RunLinks> links_;
  const CrawlOptions& options_;
  const Clock& clock_;
  storage::Store* store_;
  storage::Run run_;
  Timestamp began_;  // a run that is resumed has started before
  bool is_resumed_ = false;
  std::size_t taken_ = 0;
  std::vector<bool> is_new_;      // with a store: it had no record of the link when it was taken; by number
  std::vector<bool> has_entry_;   // with a store: in this run, or is about to get it; by number
  std::size_t with_entries_ = 0;  // of so many links, all that were not finished have one
  std::size_t taken_before_ = 0;  // at the last write_unfinished()
  storage::SpillFile held_back_;  // snapshots: there may be as many as there are links
  std::unordered_map<std::size_t, storage::SpillFile::Extent> unconfirmed_;  // by number
  // By number: not entered, and so not finished, until the run is known to be no outage.
  std::vector<std::pair<std::size_t, storage::SpillFile::Extent>> unanswered_;
  std::unordered_map<std::string, std::vector<std::uint32_t>> untried_;      // by origin of the host that failed
  std::unordered_map<std::string, storage::UnresponsivePeriod> struck_out_;  // by origin; known at the end
  enum class HostPast : std::uint8_t {
    answered,   // an earlier run, with whatever
    was_alive,  // a link of it was
    is_alive,   // one was alive so recently that this run does not ask again
  };
  std::unordered_map<std::size_t, HostPast> pasts_;  // by hashes of hosts
  std::vector<bool> was_alive_;                      // in this run; by number
  std::unordered_set<std::size_t> led_there_;  // hashes of URLs that redirects led to in this run, and that were there
  std::vector<storage::Health> healths_;       // with a store: of the links, by number
  MismatchEvaluator mismatch_evaluator_;
  std::vector<std::uint32_t> dead_;  // by number; only where an archive is to be asked
  std::size_t dead_taken_ = 0;
  std::vector<bool> has_new_occurrences_;  // by number: links whose places have changed after they were taken
  storage::SpillFile anchors_;             // of pages that are there, where fragments are judged
  std::vector<std::pair<std::uint32_t, storage::SpillFile::Extent>> pages_with_anchors_;  // by number
  std::size_t done_ = 0;
  std::map<storage::Health, std::uint64_t> finished_by_health_;
  OnFinished on_finished_;
  std::unique_ptr<storage::LinkWriter> writer_;  // with a store
  std::vector<std::uint32_t> recorded_;          // by number: not written yet
  std::vector<std::string> stored_lines_;        // to be logged when they are
};

}  // namespace linkherd::crawler
