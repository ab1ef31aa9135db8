#include "crawler/page_analysis.h"

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include <pthread.h>
#include <spdlog/spdlog.h>

#include "crawler/classify/classify.h"
#include "crawler/fetch/decode_body.h"
#include "parser/ascii.h"
#include "parser/html/charset.h"
#include "parser/html/html_document.h"
#include "parser/metadata/extract_metadata.h"
#include "parser/metadata/page_headers.h"
#include "parser/metadata/pdf.h"
#include "parser/metadata/plain_document.h"
#include "parser/utf8.h"
#include "storage/link_id.h"

namespace linkherd::crawler {
namespace {

constexpr std::size_t stack_bytes = std::size_t{8} << 20;

// Not Last-Modified: it is kept with the snapshot, and what makes pages on the fly says "now".
parser::PageHeaders headers_of(const FetchResult& result) {
  parser::PageHeaders headers;
  for (const char* name : {"content-type", "content-language", "link"}) {
    parser::add_page_header(name, result.header(name), headers);
  }
  return headers;
}

bool is_html(const parser::PageHeaders& headers, std::string_view body) {
  if (parser::is_html_type(headers.content_type)) return true;
  if (!headers.content_type.empty()) return false;
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

// Reads the page, judges it, and harvests it where it is the page that was meant.
void analyze_html(const FetchResult& result, const parser::PageHeaders& headers, Timestamp now,
                  storage::Snapshot& snapshot) {
  const parser::DecodedText decoded = parser::decode_html(result.body, headers.charset);
  const parser::HtmlDocument document = parser::HtmlDocument::parse(decoded.text);
  const std::vector<parser::HtmlElement> titles = document.by_name("title");
  const std::string title = titles.empty() ? std::string() : titles.front().text();
  const std::vector<parser::HtmlElement> bodies = document.by_name("body");
  const std::string text = bodies.empty() ? document.root().text() : bodies.front().text();
  snapshot.charset = decoded.charset;
  snapshot.verdict = classify(result, {title, decoded.text, count_code_points(text)});
  if (is_there(snapshot.verdict)) {
    snapshot.metadata = parser::extract_metadata(document, &result.final_url, now, headers);
  }
}

// What is no HTML is judged by its status alone, and may still say what it is.
parser::Metadata harvest_document(const FetchResult& result, const parser::PageHeaders& headers,
                                  const ReadPdf& read_pdf, Timestamp now) {
  if (parser::is_pdf(result.body)) {
    if (!read_pdf) return {};
    try {
      return read_pdf(result.body, now);
    } catch (const std::system_error& error) {  // too many processes or files: a title less, and no reason to end
      spdlog::warn("{}: nothing read out of the PDF: {}", result.final_url.href(), error.what());
      return {};
    }
  }
  if (parser::is_notebook(result.body)) return parser::notebook_metadata(result.body, now);
  const bool is_text = headers.content_type == "text/plain" || headers.content_type == "text/markdown";
  if (!is_text || parser::is_binary(result.body)) return {};
  return parser::text_metadata(parser::decode_text(result.body, headers.charset).text, now);
}

}  // namespace

AnalyzedPage analyze(FetchResult result, const AnalysisOptions& options, Timestamp now) {
  decode_content(result, options.max_body);
  AnalyzedPage page{result.request, snapshot_of(result), {}, {}};
  const parser::PageHeaders headers = headers_of(result);
  if (!result.body.empty() && is_html(headers, result.body)) {
    analyze_html(result, headers, now, page.snapshot);
  } else {
    page.snapshot.verdict = classify(result, {});
    if (is_there(page.snapshot.verdict)) {
      page.snapshot.metadata = harvest_document(result, headers, options.read_pdf, now);
    }
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

AnalysisPool::AnalysisPool(std::size_t threads, AnalysisOptions options, const Clock& clock,
                           BoundedQueue<FetchResult>& results, BoundedQueue<AnalyzedPage>& pages)
    : options_(std::move(options)), clock_(clock), results_(results), pages_(pages) {
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
    AnalyzedPage page = analyze(std::move(*result), options_, clock_.now());
    if (!pages_.push(page)) return;
  }
}

}  // namespace linkherd::crawler
