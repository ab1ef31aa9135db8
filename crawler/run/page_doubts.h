// Doubts the verdict of a page that its status alone does not support: an alive page that does not match its entries or
// its first version, and a missing page that was alive or looks like the expected one.
#pragma once

#include <cstddef>
#include <string>

#include "crawler/classify/content_mismatch.h"
#include "crawler/run/earlier_answers.h"
#include "crawler/run/page_analysis.h"
#include "crawler/run/run_links.h"
#include "storage/link_id.h"
#include "storage/link_state.h"
#include "storage/snapshot.h"
#include "storage/store.h"

namespace linkherd::crawler {

// Used by one thread.
class PageDoubts {
 public:
  // `store` may be null. Both must outlive this object.
  PageDoubts(const RunLinks& links, const storage::Store* store) : links_(links), store_(store) {}

  // Records what earlier runs found for a link of this run.
  void note_earlier(const storage::LinkState& state) { earlier_answers_.add(state); }
  // Records a link that counts as alive without a request.
  void note_reused(const storage::Snapshot& snapshot) { earlier_answers_.add_reused(snapshot); }

  // Returns true if an alive page may mismatch its entries and only its text can decide that.
  bool needs_text(const AnalyzedPage& page) const;

  // Returns true if this missing page may be lost with all pages of its host. Its host had a page in an earlier run,
  // and no link of the host counts as alive without a request. The page itself was not dead before.
  bool has_host_lost_it(const AnalyzedPage& page) const;

  // Makes the page of a link suspect if it is alive and mismatches its entries, or if it is missing but was alive
  // earlier in this run or matches an entry. The next run checks a suspect link again.
  void compare_with_list(std::size_t index, AnalyzedPage& page);

  // Makes an alive page suspect if its content drifted from the first version of the link. It is suspect until it
  // matches the first version again. `snapshot`: that of `page`. Resets `state.first_version_at` if the store has lost
  // the first version.
  void compare_with_first_version(storage::LinkState& state, const AnalyzedPage& page,
                                  storage::Snapshot& snapshot) const;

  // Returns true if the host of `url`, which does not exist now, has answered in an earlier run. Earlier snapshots of
  // the link count if they led to that host.
  bool has_answered_before(const storage::LinkId& id, const std::string& url) const;

 private:
  void compare_with_entries(std::size_t index, AnalyzedPage& page);
  void doubt_missing_page(std::size_t index, AnalyzedPage& page) const;

  const RunLinks& links_;
  const storage::Store* store_;
  EarlierAnswers earlier_answers_;
  AlivePages alive_pages_;
  MismatchEvaluator mismatch_evaluator_;
};

}  // namespace linkherd::crawler
