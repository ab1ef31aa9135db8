// Finds the new addresses of the dead pages of a run (`check --relocate`). Collects what the run learns, describes each
// dead page to the search, and returns the results to store. Does no I/O except reading the store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "crawler/lookups/address_ranking.h"
#include "crawler/lookups/move_rules.h"
#include "crawler/run/page_analysis.h"
#include "crawler/run/relocation_search.h"
#include "crawler/run/run_links.h"
#include "parser/timestamp.h"
#include "storage/checked_links.h"
#include "storage/link_id.h"
#include "storage/link_state.h"
#include "storage/relocation.h"
#include "storage/store.h"

namespace linkherd::crawler {

// Used by one thread.
class Relocations {
 public:
  // `store` may be null. Both must outlive this object.
  Relocations(const RelocationOptions& options, const storage::Store* store);

  // Records what a page tells about moves: permanent redirects, and the links of a page that is not found. Call it for
  // each page of a link, before the page is recorded.
  void note_page(const AnalyzedPage& page);

  // Starts the search for links that are dead at the end of the run. If a link was searched during the last 30 days,
  // only its new address is requested, if it has one. It is searched again if that address is dead too. Links beyond
  // the limit are left out.
  void start(const RunLinks& links, std::span<const std::uint32_t> dead, Timestamp now);

  // See RelocationSearch.
  std::vector<FetchRequest> take_requests();
  void handle_response(const AnalyzedPage& page);
  bool is_done() const { return known_.empty() && search_.is_done(); }

  // Returns the results of the searches that have ended, each with the index of its link. An empty URL means that no
  // new address was found. Call it once.
  std::vector<std::pair<std::size_t, storage::Relocation>> take_results(Timestamp now);

 private:
  // The addresses that the page of a 404 has.
  struct NotFoundPage {
    std::vector<ListedAddress> links;  // the best ones of its site
    std::vector<ListedAddress> named;  // as its new address
  };

  std::optional<DeadPage> describe(const RunLinks& links, std::size_t index, const storage::CheckedLink& link) const;
  void note_known_move(const RunLinks& links, std::size_t index, const storage::Relocation& relocation);
  void request_known(const parser::Url& url, DeadPage page);
  void read_last_good_copy(const storage::LinkState& state, DeadPage& page) const;

  const storage::Store* store_;
  std::size_t max_pages_;
  RelocationSearch search_;
  std::unordered_map<storage::LinkId, NotFoundPage> not_found_pages_;
  std::unordered_map<std::string, std::vector<DeadPage>> known_;  // dead pages by the href of their known new address
  std::vector<FetchRequest> requests_;
};

}  // namespace linkherd::crawler
