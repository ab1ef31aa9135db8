// Checks all links of a link table: frontier, fetch, verdict and metadata, store. Only crawl.cpp connects the modules
// of a run.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/browser/browser_options.h"
#include "crawler/classify/strikes.h"
#include "crawler/clock/clock.h"
#include "crawler/fetch/fetch_options.h"
#include "crawler/fetch/fetch_pool.h"
#include "crawler/lookups/archive.h"
#include "crawler/lookups/github_lookups.h"
#include "crawler/run/link_table.h"
#include "crawler/run/pace_bound.h"
#include "crawler/run/page_analysis.h"
#include "crawler/run/relocations.h"
#include "storage/checked_links.h"
#include "storage/retention.h"
#include "storage/run.h"
#include "storage/store.h"

namespace linkherd::crawler {

class LinkFilter;
class FetchBackend;
class SiteCrawl;
class SiteApiSet;

struct CrawlOptions {
  FetchOptions fetch;
  // younger alive verdicts are taken from the store, without a request
  Duration max_cache_age = std::chrono::hours(20);
  // between the first check of a link that looks dead and its confirmation
  Duration confirm_wait = std::chrono::seconds(10);
  StrikePolicy strikes;
  double outage_share = 0.5;
  std::optional<Duration> deadline;      // for the whole run, from its start; links left then are deferred
  int parse_threads = 0;                 // 0: one per core
  ReadPdf read_pdf;                      // empty: PDFs are not read
  std::shared_ptr<const RuleSet> rules;  // rules that recognize pages by their content; null: the built-in rules
  parser::Harvest harvest = parser::Harvest::full;
  bool should_use_site_apis = true;
  std::shared_ptr<const SiteApiSet> site_apis;  // null: the built-in site APIs
  std::optional<BrowserOptions> browser;        // checks pages that need scripts; nullopt: no browser
  // Only links that match one of these patterns are checked with the browser; empty: all that need one.
  std::vector<std::string> browser_patterns;
  std::optional<GithubApi> github;              // queried first for links to GitHub; nullopt: not used
  std::optional<Archive> archive;               // queried for copies of dead links; nullopt: not used
  std::optional<RelocationOptions> relocation;  // searches for new addresses of dead pages; nullopt: no search
  // maximum wait for remaining archive lookups and searches for new addresses, after all links have ended
  Duration lookup_wait = std::chrono::minutes(5);
  std::vector<std::string> inputs;      // as the user gave them
  std::string configuration;            // the inputs and all settings that change verdicts; identifies the run
  std::string vantage;                  // the name of the vantage point; may be empty
  std::optional<storage::Shard> shard;  // the part of the links that the table has; its `whole` need not be set
  std::string whole_configuration;      // `configuration` of the same run without a shard; identifies the whole run
  // makes the backend that fetches links; empty: a LocalFetchBackend
  std::function<std::unique_ptr<FetchBackend>()> make_backend;
  SiteCrawl* site = nullptr;  // the site whose pages are followed; null: only the links of the table are checked
  bool web_anchors = false;   // also check the fragments of links to pages
  const LinkFilter* filter = nullptr;  // its excluded links keep their fragments unchecked; null: no filter
  bool is_partial = false;             // true if the table has only some links of the inputs
  storage::Retention retention;        // what the store keeps after a complete run
};

struct CrawlProgress {
  std::size_t done = 0;
  std::size_t total = 0;                                    // unique links to fetch or to take from the store
  std::map<storage::Health, std::uint64_t> by_health = {};  // of the links that are done
  PoolStatus pool;
};

// A link whose check has ended. Later checks of the same host may still change its verdict in the report.
struct FinishedLink {
  std::string_view url;  // with the password masked
  storage::Health health;
  std::string_view reason;
  std::optional<Duration> duration;  // of its requests; nullopt if no request was made
  bool is_from_store = false;        // true if the verdict is from an earlier run
};

enum class StopSignal { none, interrupt, terminate, hangup };

// Callbacks for progress, and the signal that ends a run. Both callbacks are called by the thread that called crawl().
struct CrawlControls {
  const std::atomic<StopSignal>* stop = nullptr;          // set by a signal handler; polled ten times a second
  std::function<void(const CrawlProgress&)> on_progress;  // about four times a second; may be empty
  std::function<void(const FinishedLink&)> on_finished;   // once per link; may be empty
};

struct CrawlResult {
  storage::Run run;
  std::unique_ptr<const storage::CheckedLinks> links;  // results; those in the store are read on demand
  std::exception_ptr failure;   // error of the machine, such as a full disk, that ended the run; null if none
  storage::PruneResult pruned;  // data that retention removed from the store at the end
  Duration elapsed{};
  std::vector<storage::PaceBound> slowest_hosts;  // of the hosts that determined the duration of the run
};

// Runs the check and returns its results. Throws StoreError; errors of the web are results, never exceptions. Also
// returns if the run is stopped by a signal, or by a failure after at least one result. The remaining links are then
// deferred. `store` may be null (--no-store) and must outlive the result.
CrawlResult crawl(LinkTable table, const CrawlOptions& options, const Clock& clock, storage::Store* store,
                  const CrawlControls& controls);

}  // namespace linkherd::crawler
