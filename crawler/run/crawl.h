// crawl: one run from planned links to checked links. Frontier → fetch → verdict and metadata → store. The only place
// where the modules of a run meet.
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

#include "crawler/classify/strikes.h"
#include "crawler/clock/clock.h"
#include "crawler/fetch/fetch_options.h"
#include "crawler/fetch/fetch_pool.h"
#include "crawler/lookups/archive.h"
#include "crawler/lookups/github_lookups.h"
#include "crawler/run/pace_bound.h"
#include "crawler/run/page_analysis.h"
#include "crawler/run/plan.h"
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
  Duration max_cache_age = std::chrono::hours(20);   // younger verdicts that are alive are taken from the store
  Duration confirm_wait = std::chrono::seconds(10);  // between the two looks at a dead link
  StrikePolicy strikes;
  double outage_share = 0.5;
  std::optional<Duration> deadline;      // of the whole run, from its start: what is left then is put off
  int parse_threads = 0;                 // 0: as many as cores
  ReadPdf read_pdf;                      // empty: nothing is read out of PDFs
  std::shared_ptr<const RuleSet> rules;  // that know pages by their marks; null: the built-in ones
  parser::Harvest harvest = parser::Harvest::full;
  bool should_ask_site_apis = true;
  std::shared_ptr<const SiteApiSet> site_apis;      // null: the built-in ones
  std::optional<GithubApi> github;                  // that is asked about links to GitHub first; nullopt: none
  std::optional<Archive> archive;                   // that is asked for copies of dead links; nullopt: none
  Duration archive_wait = std::chrono::minutes(5);  // when all links have ended: for what is left to ask of it
  std::vector<std::string> inputs;                  // as the user named them; with `configuration` …
  std::string configuration;                        // … (all settings that change verdicts) the run's identity
  std::string vantage;                              // where this is; may be empty
  std::optional<storage::Shard> shard;              // the plan has this part of the links; without its `whole` …
  std::string whole_configuration;                  // … which is the identity of a run with this `configuration`
  std::function<std::unique_ptr<FetchBackend>()> make_backend;  // where links are fetched; empty: in this process
  SiteCrawl* site = nullptr;           // whose pages are followed; null: only the plan is checked
  bool web_anchors = false;            // also judge the fragments of links to pages
  const LinkFilter* filter = nullptr;  // but not of those that it leaves out; null: none
  bool is_partial = false;             // the plan has only some links of the inputs
  storage::Retention retention;        // what the store keeps when the run is complete
};

struct CrawlProgress {
  std::size_t done = 0;
  std::size_t total = 0;                                    // unique links to be fetched or taken from the store
  std::map<storage::Health, std::uint64_t> by_health = {};  // those that are done
  PoolStatus pool;
};

// A link whose check has ended. Later checks of its host may still change the verdict in the report.
struct FinishedLink {
  std::string_view url;  // without password
  storage::Health health;
  std::string_view reason;
  std::optional<Duration> duration;  // of its requests; nullopt: none was made
  bool is_from_store = false;        // an earlier run found the verdict
};

enum class StopSignal { none, interrupt, terminate, hangup };

// Progress reports, and the signal that ends a run.
struct CrawlControls {
  const std::atomic<StopSignal>* stop = nullptr;  // set by a signal handler; looked at ten times a second
  std::function<void(const CrawlProgress&)>
      on_progress;  // from the calling thread, about four times a second; may be empty
  std::function<void(const FinishedLink&)> on_finished;  // from the calling thread; may be empty
};

struct CrawlResult {
  storage::Run run;
  std::unique_ptr<const storage::CheckedLinks> links;  // what the store has of them is read when it is asked for
  std::exception_ptr failure;   // of the machine, a full disk above all, that ended the run; null where there was none
  storage::PruneResult pruned;  // from the store, at the end
  Duration elapsed{};
  std::vector<storage::PaceBound> pace;  // of the hosts that decided how long it took
};

// `store` may be null (--no-store); it outlives the result. Throws StoreError, and nothing about the web. Returns also
// when stopped, by a signal or, once something was found out, by a failure: the rest is deferred.
CrawlResult crawl(Plan plan, const CrawlOptions& options, const Clock& clock, storage::Store* store,
                  const CrawlControls& controls);

}  // namespace linkherd::crawler
