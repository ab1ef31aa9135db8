// A headless Chromium that visits pages for a run. It starts at the first visit, restarts after a crash and after many
// pages, and ends with this object.
//
// All its traffic goes through linkherd (ForwardProxy). Every visit ends, whatever the page and the browser do.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "crawler/browser/browser_options.h"
#include "crawler/browser/rendered_page.h"
#include "crawler/clock/clock.h"
#include "crawler/fetch/fetch_options.h"

namespace linkherd::crawler {

class Browser {
 public:
  // After this number of pages a new process takes over, so that nothing accumulates.
  static constexpr int max_pages_of_process = 200;

  // The arguments must outlive this object. `fetching`: what the browser's traffic has in common with other requests.
  Browser(const BrowserOptions& options, const FetchOptions& fetching, const Clock& clock);
  ~Browser();  // interrupts pending visits and kills the browser
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  // Visits an http or https URL. `done` receives exactly one page, on the thread of the browser; it must not throw or
  // wait. Thread-safe. Throws std::runtime_error if an option is unusable.
  void visit(std::string url, std::function<void(RenderedPage)> done);
  // Ends pending and later visits as interrupted. Returns at once. Thread-safe.
  void stop();

 private:
  class Thread;

  const BrowserOptions& options_;
  const FetchOptions& fetching_;
  const Clock& clock_;
  std::unique_ptr<Thread> thread_;  // null before the first visit
};

}  // namespace linkherd::crawler
