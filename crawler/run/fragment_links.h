// Checks the fragments of links to web pages when all links of a run are known. A fragment that its page lacks becomes
// a link of its own: https://a.example/page is alive, https://a.example/page#gone is dead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "crawler/run/run_links.h"
#include "crawler/run/web_anchors.h"
#include "crawler/sources/link_filter.h"
#include "storage/snapshot.h"
#include "storage/spill_file.h"
#include "storage/store.h"

namespace linkherd::crawler {

class FragmentLinks {
 public:
  // `filter` and `store` may be null; all must outlive this object.
  FragmentLinks(RunLinks& links, const LinkFilter* filter, const storage::Store* store)
      : links_(links), filter_(filter), store_(store) {}

  // Returns true if an occurrence of the link has a fragment that can be checked.
  bool has_fragment(std::size_t index) const;
  // Keeps the anchors of an alive page. Keeps its text only if a known link needs it, because the texts of a whole site
  // are large.
  void add(std::size_t index, const storage::Snapshot& snapshot, PageAnchors anchors);

  // Splits the links whose page lacks some of their fragments: each becomes a link of its own. So does a fragment that
  // an earlier run split off, so that the store records that it works again. Calls `on_new` with the index of each new
  // link, and `on_changed` with that of each link that lost occurrences. Returns the ids of replaced links, sorted.
  using OnLink = std::function<void(std::size_t index)>;
  std::vector<storage::LinkId> evaluate(const OnLink& on_new, const OnLink& on_changed);

 private:
  std::vector<std::size_t> evaluate_page(std::size_t index, FragmentEvaluator& evaluator,
                                         std::size_t& comparisons_left);

  RunLinks& links_;
  const LinkFilter* filter_;
  const storage::Store* store_;
  storage::SpillFile anchors_;                                               // encoded
  std::vector<std::pair<std::uint32_t, storage::SpillFile::Extent>> pages_;  // by index of the link; in `anchors_`
};

}  // namespace linkherd::crawler
