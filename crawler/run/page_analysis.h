// Turns a fetch result into a snapshot with verdict and metadata, and the body to keep (the parse stage).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/classify/content_mismatch.h"
#include "crawler/classify/page_rules.h"
#include "crawler/clock/clock.h"
#include "crawler/fetch/bounded_queue.h"
#include "crawler/fetch/http/extra_headers.h"
#include "crawler/fetch/http/fetch_result.h"
#include "crawler/run/link_table.h"
#include "crawler/run/web_anchors.h"
#include "parser/metadata/metadata.h"
#include "parser/metadata/pdf.h"
#include "storage/host_state.h"
#include "storage/snapshot.h"

namespace linkherd::crawler {

// Contains what reading a page found. A worker sends it to the run as it is.
struct PageAnalysis {
  storage::Snapshot snapshot = {};
  std::string body = {};                         // decoded; empty if it is not kept
  bool out_of_memory = false;                    // the page could not be read for lack of memory
  bool is_built_by_script = false;               // the page shows little text and has scripts; workers do not send it
  VisibleText visible = {};                      // of an alive page, to compare it with its entries
  storage::PageFeatures features = {};           // with the page's own URL removed
  storage::PageFeatures features_with_url = {};  // unmodified; set only if a soft-404 probe may change the verdict
  // The verdict by status alone. Set if a soft-404 probe may change the verdict.
  std::optional<storage::Verdict> by_status = std::nullopt;
  std::string oembed = {};                            // URL of the page's oEmbed data; empty if the page names none
  std::optional<LinkTable> links = std::nullopt;      // set for pages of a crawled site
  std::optional<PageAnchors> anchors = std::nullopt;  // set if the request needs them

  std::size_t bytes() const { return body.size() + visible.text.size() + reference_bytes(); }
  // Estimates the memory of the links and anchors.
  std::size_t reference_bytes() const {
    constexpr std::size_t bytes_an_occurrence = 160;
    return (links ? links->occurrence_count() * bytes_an_occurrence : 0) + (anchors ? anchors->bytes() : 0);
  }
};

// The analysis of the page that a request led to, while the run evaluates it.
struct AnalyzedPage : PageAnalysis {
  FetchRequest request;
  parser::Url url;               // the URL of the request, parsed
  ByteBudget::Lease lease = {};  // for the body, links and anchors, until they are stored
  bool has_requested_site_api = false;
  bool has_requested_branch = false;
  bool has_requested_home = false;
  bool has_requested_browser = false;
  // the page is missing, and its host had pages in an earlier run, maybe including this one
  bool has_host_lost_it = false;
};

// Reads a PDF in a process of its own, so that a hostile file can do no harm. Only the program itself can start that
// process, so the function is passed in. Throws std::system_error if the process cannot be started.
using ReadPdf = std::function<parser::PdfInfo(std::string_view bytes, Timestamp now)>;

class SiteScope;

struct AnalysisOptions {
  std::size_t max_body = 0;  // maximum size of a body after content decoding
  ReadPdf read_pdf;          // empty: PDFs are not read
  parser::Harvest harvest = parser::Harvest::full;
  std::shared_ptr<const RuleSet> rules;  // rules that recognize pages by their content; null: the built-in rules
  std::vector<HeaderRule> secrets;       // request headers of the user; a response may repeat their values
  SiteScope* site = nullptr;             // the crawled site, whose links are read; null: no crawl
};

// Returns true if the rules recognize the page of a hop as worse than alive, such as a bot wall or a "not found" page.
// `response` is unchanged on return. Intended for short pages, because transfers wait while it runs.
bool is_known_page(const RuleSet& rules, const FetchState& fetch, AttemptResult& response);

// Decodes the body, classifies the page and extracts its metadata. Passwords in URLs are masked from here on. Apart
// from its duration and the effects of `read_pdf`, the function is pure. `now` bounds the dates that a page may claim.
//
// If reading the page throws, the verdict is based on the status alone, and a line is logged. The response of a site
// API or an archive is only decoded; other modules interpret it.
AnalyzedPage analyze(FetchResult result, const AnalysisOptions& options, Timestamp now);

// Analyzes results in threads with stacks of 8 MiB, because gumbo is recursive. Works until one of the queues is
// closed.
class AnalysisPool {
 public:
  AnalysisPool(std::size_t threads, AnalysisOptions options, const Clock& clock, BoundedQueue<FetchResult>& results,
               BoundedQueue<AnalyzedPage>& pages);
  ~AnalysisPool();  // closes both queues and joins the threads
  AnalysisPool(const AnalysisPool&) = delete;
  AnalysisPool& operator=(const AnalysisPool&) = delete;

  // Rethrows the exception of a failed thread, such as lack of memory. Pages may be missing then.
  void rethrow_failure() const { failure_.rethrow(); }

 private:
  class Thread;

  void end();
  void work();
  void analyze_all();

  const AnalysisOptions options_;
  const Clock& clock_;
  BoundedQueue<FetchResult>& results_;
  BoundedQueue<AnalyzedPage>& pages_;
  ThreadFailure failure_;
  std::vector<Thread> threads_;
};

}  // namespace linkherd::crawler
