#include "crawler/page_analysis.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <pthread.h>

#include "crawler/classify/classify.h"
#include "crawler/content_type.h"
#include "crawler/fetch/decode_body.h"
#include "parser/ascii.h"
#include "parser/html/charset.h"
#include "parser/html/html_document.h"
#include "parser/metadata/extract_metadata.h"
#include "parser/utf8.h"
#include "storage/link_id.h"

namespace linkherd::crawler {
namespace {

constexpr std::size_t stack_bytes = std::size_t{8} << 20;

bool is_html(const ContentType& content, std::string_view body) {
  if (is_html_type(content.type)) return true;
  if (!content.type.empty()) return false;
  const std::string start = parser::to_ascii_lower(body.substr(0, 512));
  return start.find("<html") != std::string::npos || start.find("<!doctype") != std::string::npos;
}

storage::Snapshot snapshot_of(const FetchResult& result) {
  storage::Snapshot snapshot;
  snapshot.fetched_at = result.fetched_at;
  snapshot.status = result.status;
  snapshot.final_url = result.final_url.href();
  snapshot.redirects = result.redirects;
  snapshot.attempts = result.attempts;
  snapshot.content_type = to_valid_utf8(result.header("content-type"));
  snapshot.etag = to_valid_utf8(result.header("etag"));
  snapshot.last_modified = to_valid_utf8(result.header("last-modified"));
  snapshot.body_complete = result.body_complete;
  snapshot.remote_address = result.remote_address;
  snapshot.certificate = result.certificate;
  return snapshot;
}

bool is_there(const storage::Verdict& verdict) {
  return verdict.health == storage::Health::alive || verdict.health == storage::Health::redirected;
}

// Reads the page, judges it, and harvests it where it is the page that was meant.
void analyze_html(const FetchResult& result, const ContentType& content, Timestamp now, storage::Snapshot& snapshot) {
  const parser::DecodedText decoded = parser::decode_html(result.body, content.charset);
  const parser::HtmlDocument document = parser::HtmlDocument::parse(decoded.text);
  const std::vector<parser::HtmlElement> titles = document.by_name("title");
  const std::string title = titles.empty() ? std::string() : titles.front().text();
  const std::vector<parser::HtmlElement> bodies = document.by_name("body");
  const std::string text = bodies.empty() ? document.root().text() : bodies.front().text();
  snapshot.charset = decoded.charset;
  snapshot.verdict = classify(result, {title, decoded.text, count_code_points(text)});
  if (is_there(snapshot.verdict)) snapshot.metadata = parser::extract_metadata(document, &result.final_url, now);
}

}  // namespace

AnalyzedPage analyze(FetchResult result, std::size_t max_body, Timestamp now) {
  decode_content(result, max_body);
  AnalyzedPage page{result.request, snapshot_of(result), {}, {}};
  const ContentType content = parse_content_type(result.header("content-type"));
  if (!result.body.empty() && is_html(content, result.body)) {
    analyze_html(result, content, now, page.snapshot);
  } else {
    page.snapshot.verdict = classify(result, {});
  }
  if (result.against_robots) {
    page.snapshot.verdict.evidence += " Fetched because it is listed, though robots.txt asks not to.";
  }
  if (!result.body.empty()) {
    page.snapshot.body_digest = storage::content_digest(result.body);
    page.snapshot.body_bytes = result.body.size();
  }
  page.body = std::move(result.body);
  page.lease = std::move(result.lease);
  return page;
}

AnalysisPool::AnalysisPool(std::size_t threads, std::size_t max_body, const Clock& clock,
                           BoundedQueue<FetchResult>& results, BoundedQueue<AnalyzedPage>& pages)
    : max_body_(max_body), clock_(clock), results_(results), pages_(pages) {
  // std::thread offers no stack size; this is the default for the threads that are made from here on.
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
  threads_.reserve(threads);
  try {
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back(&AnalysisPool::work, this);
  } catch (...) {  // no thread more: those that run must end before their handles do
    end();
    throw;
  }
}

AnalysisPool::~AnalysisPool() { end(); }

void AnalysisPool::end() {
  results_.close();
  pages_.close();
  for (std::thread& thread : threads_) thread.join();
}

void AnalysisPool::rethrow_failure() {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

void AnalysisPool::work() {
  try {
    analyze_all();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
    pages_.close();
  }
}

void AnalysisPool::analyze_all() {
  while (std::optional<FetchResult> result = results_.pop()) {
    AnalyzedPage page = analyze(std::move(*result), max_body_, clock_.now());
    if (!pages_.push(page)) return;
  }
}

}  // namespace linkherd::crawler
