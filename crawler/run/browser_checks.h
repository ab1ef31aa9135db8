// Checks pages a second time with a browser, if a browser may see more of them than linkherd:
// - pages behind a script challenge;
// - pages that scripts build: alive ones, suspect ones, and missing ones (404).
//
// A page is held until its visit has ended. For example, https://example.org/app answers 200 with an empty page and a
// script. hold() takes that page over, and take_finished() returns it with the title and the links that the script has
// made. A page that a browser cannot improve keeps its verdict. Each host has one visit at a time, and no more visits
// than its interval between requests allows.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "crawler/browser/browser.h"
#include "crawler/clock/clock.h"
#include "crawler/frontier/politeness.h"
#include "crawler/run/page_analysis.h"
#include "crawler/sources/link_filter.h"
#include "storage/host_state.h"
#include "storage/link_id.h"

namespace linkherd::crawler {

struct CrawlOptions;

// Used by one thread. No function waits for the browser, apart from the destructor.
class BrowserChecks {
 public:
  using HostStates = std::function<std::vector<storage::HostState>()>;

  // `options.browser` must be set, and the browser's patterns must be valid. Both arguments must outlive this object.
  // The browser starts at the first visit.
  BrowserChecks(const CrawlOptions& options, const Clock& clock);
  ~BrowserChecks();  // interrupts pending visits and ends the browser
  BrowserChecks(const BrowserChecks&) = delete;
  BrowserChecks& operator=(const BrowserChecks&) = delete;

  // Takes `page` over and returns true if it will be visited. Otherwise, it stays with the caller.
  bool hold(AnalyzedPage& page);
  // Begins the visits that are due. Call it several times a second. `host_states` returns the intervals that robots.txt
  // asks for; it is called at most once a second, and only for new hosts.
  void begin_visits(const HostStates& host_states);
  // Returns the pages whose visits have ended, evaluated by what the browser showed. hold() takes none of them again.
  std::vector<AnalyzedPage> take_finished();
  bool is_visiting() const { return !in_progress_.empty(); }
  // Begins no further visits, and interrupts those in progress. take_finished() then returns all held pages.
  void stop();

 private:
  using TimePoint = std::chrono::steady_clock::time_point;
  struct Visit {
    AnalyzedPage page;
    std::string origin;
    RenderedPage rendered = {};  // without its DOM; set when the visit has ended
  };
  struct Host {
    HostLimits limits;
    bool is_pace_known = false;  // true if `limits` contain what robots.txt asks for
    bool is_visited = false;     // right now
    TimePoint next_visit;
  };
  struct Machine;  // the browser, and the analysis of what it shows

  bool has_room_for(const AnalyzedPage& page) const;
  void learn_pace(const HostStates& host_states);
  void begin(Visit visit, Host& host);
  void end(const storage::LinkId& id, RenderedPage rendered);
  void finish(Visit visit);
  void finish_waiting();
  Visit take_visit(const storage::LinkId& id);

  const CrawlOptions& options_;
  const Clock& clock_;
  std::optional<LinkFilter> filter_;
  std::deque<Visit> waiting_;
  std::unordered_map<storage::LinkId, Visit> in_progress_;  // in the browser, or in the analysis
  std::unordered_map<std::string, Host> hosts_;             // by origin
  std::size_t in_browser_ = 0;
  std::size_t held_bytes_ = 0;
  bool has_new_hosts_ = false;
  TimePoint next_pace_query_{};
  bool is_stopped_ = false;
  std::vector<AnalyzedPage> finished_;
  std::unique_ptr<Machine> machine_;  // null before the first visit
};

}  // namespace linkherd::crawler
