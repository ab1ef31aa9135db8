// Looks up the dead links of a run: their copies in a web archive, and the new addresses of their pages. Makes requests
// and interprets the responses, but sends nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "crawler/clock/clock.h"
#include "crawler/lookups/archive.h"
#include "crawler/run/crawl.h"
#include "crawler/run/page_analysis.h"
#include "crawler/run/relocations.h"
#include "crawler/run/result_recorder.h"
#include "storage/store.h"

namespace linkherd::crawler {

// Used by one thread.
class DeadLinkLookups {
 public:
  // Uses the archive and the search of `options`, if they have any. `store` may be null. All must outlive this object.
  DeadLinkLookups(const CrawlOptions& options, const Clock& clock, const storage::Store* store,
                  ResultRecorder& recorder);

  // Returns true if copies or new addresses are wanted. Otherwise, the other functions do nothing.
  bool is_used() const { return archive_ || relocations_; }

  // Records what a page tells about moves. Call it for each page of a link, before the page is recorded.
  void note_page(const AnalyzedPage& page);
  // Starts the search for new addresses. Call it once, after every link has ended.
  void start_search();

  // Returns the requests to send now. The archive is asked about one dead link at a time, in parallel with the checks,
  // so a slow archive never delays them.
  std::vector<FetchRequest> take_requests();
  // Interprets the response to one of the requests, and records the copy of a link. More requests may be due then.
  void handle_response(const AnalyzedPage& response);

  void stop() { is_stopped_ = true; }  // starts no further lookups
  bool is_pending() const;
  // Records the new addresses that the search has found. Call it once, at the end.
  void record_new_addresses();

 private:
  std::optional<DeadLink> next_link();

  const Clock& clock_;
  ResultRecorder& recorder_;
  std::optional<ArchiveLookups> archive_;
  std::optional<Relocations> relocations_;
  std::vector<FetchRequest> requests_;
  std::size_t dead_taken_ = 0;  // of the dead links of the recorder
  bool is_stopped_ = false;
};

}  // namespace linkherd::crawler
