// The parse stage: a fetch result becomes a snapshot with its verdict and metadata, and the body that is to be kept.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <pthread.h>

#include "crawler/classify/content_mismatch.h"
#include "crawler/classify/page_rules.h"
#include "crawler/clock/clock.h"
#include "crawler/fetch/bounded_queue.h"
#include "crawler/fetch/http/extra_headers.h"
#include "crawler/fetch/http/fetch_result.h"
#include "crawler/run/plan.h"
#include "crawler/run/web_anchors.h"
#include "parser/metadata/metadata.h"
#include "parser/metadata/pdf.h"
#include "storage/host_state.h"
#include "storage/snapshot.h"

namespace linkherd::crawler {

// A thread with a stack of 8 MiB: gumbo and what walks its trees recurse, and std::thread takes whatever `ulimit -s`
// says.
class AnalysisThread {
 public:
  static constexpr std::size_t stack_bytes = std::size_t{8} << 20;

  // `work` must not throw. Throws std::system_error where no thread can be started.
  explicit AnalysisThread(std::function<void()> work) {
    auto handed_over = std::make_unique<std::function<void()>>(std::move(work));
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack_bytes);
    const int error = pthread_create(&thread_, &attributes, &AnalysisThread::run, handed_over.get());
    pthread_attr_destroy(&attributes);
    if (error != 0) throw std::system_error(error, std::generic_category(), "pthread_create");
    static_cast<void>(handed_over.release());  // the thread's
  }
  AnalysisThread(AnalysisThread&& other) noexcept
      : thread_(other.thread_), joinable_(std::exchange(other.joinable_, false)) {}
  AnalysisThread& operator=(AnalysisThread&&) = delete;
  ~AnalysisThread() {
    if (joinable_) pthread_join(thread_, nullptr);
  }

 private:
  static void* run(void* work) {
    const std::unique_ptr<std::function<void()>> own(static_cast<std::function<void()>*>(work));
    (*own)();
    return nullptr;
  }

  pthread_t thread_{};
  bool joinable_ = true;
};

struct AnalyzedPage {
  FetchRequest request;
  parser::Url url;  // the request's, parsed
  storage::Snapshot snapshot;
  std::string body;                     // decoded; empty where it is not kept
  ByteBudget::Lease lease;              // of the body, until it is stored
  bool out_of_memory = false;           // what the page says could not be read for want of memory
  VisibleText visible;                  // of a page that is there, to be compared with what the lists say
  storage::PageFeatures features = {};  // without its address
  storage::PageFeatures whole = {};     // as it is; only where a control answer may change the verdict
  // What its status alone says: set where a control answer may change the verdict.
  std::optional<storage::Verdict> by_status = std::nullopt;
  std::string oembed = {};                   // the address that the page names for what oEmbed says of it; empty: none
  std::optional<Plan> links = std::nullopt;  // of a page of a site that is crawled
  std::optional<PageAnchors> anchors = std::nullopt;  // where they are wanted
  bool has_asked_site_api = false;
  bool has_asked_branch = false;
  bool has_asked_home = false;
  bool has_host_lost_it = false;  // a missing page of a host that had pages in an earlier run, as this may have been

  std::size_t bytes() const {
    return body.size() + visible.text.size() + bytes_of(links) + (anchors ? anchors->bytes() : 0);
  }
  // About as many as its links take.
  static std::size_t bytes_of(const std::optional<Plan>& links) {
    constexpr std::size_t bytes_an_occurrence = 160;
    return links ? links->occurrence_count() * bytes_an_occurrence : 0;
  }
};

// Reads a PDF where it can do no harm: in a process of its own, which only the program itself can start; hence it is
// handed in. Throws std::system_error where that cannot be done.
using ReadPdf = std::function<parser::PdfFacts(std::string_view bytes, Timestamp now)>;

class SiteScope;

struct AnalysisOptions {
  std::size_t max_body = 0;  // so many bytes come out of a content coding
  ReadPdf read_pdf;          // empty: nothing is read out of PDFs
  parser::Harvest harvest = parser::Harvest::full;
  std::shared_ptr<const RuleSet> rules;  // that know pages by their marks; null: the built-in ones
  std::vector<HeaderRule> secrets;       // the headers that the user sends along: an answer may repeat them
  SiteScope* site = nullptr;             // that is crawled: the links on its pages are read; null: none
};

// Returns true if the rules know the page of a hop as something worse than alive: a bot wall, a "not found" page. The
// answer stays as it is. For short pages: it runs where transfers wait for it.
bool is_known_page(const RuleSet& rules, const PendingFetch& fetch, HopAnswer& answer);

// Undoes the content coding, classifies the page and extracts its metadata; passwords in URLs are masked from here on.
// Pure apart from the time it takes, and from what `read_pdf` does: `now` bounds the dates that a page may claim. A
// page that makes any of it throw is judged by its status alone, which a line of the log says. The answer of a site API
// or an archive is only decoded: what it says, others know.
AnalyzedPage analyze(FetchResult result, const AnalysisOptions& options, Timestamp now);

// Threads with stacks of 8 MiB (gumbo recurses) that turn results into pages until one of the queues is closed.
class AnalysisPool {
 public:
  AnalysisPool(std::size_t threads, AnalysisOptions options, const Clock& clock, BoundedQueue<FetchResult>& results,
               BoundedQueue<AnalyzedPage>& pages);
  ~AnalysisPool();  // closes both queues and joins
  AnalysisPool(const AnalysisPool&) = delete;
  AnalysisPool& operator=(const AnalysisPool&) = delete;

  // Throws what broke a thread (memory, not the web), if anything did: pages may be missing then.
  void rethrow_failure() const { failure_.rethrow(); }

 private:
  void end();
  void work();
  void analyze_all();

  const AnalysisOptions options_;
  const Clock& clock_;
  BoundedQueue<FetchResult>& results_;
  BoundedQueue<AnalyzedPage>& pages_;
  ThreadFailure failure_;
  std::vector<AnalysisThread> threads_;
};

}  // namespace linkherd::crawler
