#include "crawler/run/page_analysis.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <pthread.h>
#include <spdlog/spdlog.h>

#include "crawler/classify/classify.h"
#include "crawler/classify/site_facts.h"
#include "crawler/classify/soft_404_probe.h"
#include "crawler/fetch/http/decode_body.h"
#include "crawler/fetch/http/sent_secrets.h"
#include "crawler/run/site_crawl.h"
#include "parser/ascii.h"
#include "parser/html/charset.h"
#include "parser/html/html_document.h"
#include "parser/html/main_text.h"
#include "parser/lists/anchors.h"
#include "parser/metadata/extract_metadata.h"
#include "parser/metadata/page_headers.h"
#include "parser/metadata/plain_document.h"
#include "parser/url/credentials.h"
#include "parser/utf8.h"
#include "storage/link_id.h"

namespace linkherd::crawler {
namespace {

constexpr std::size_t max_evaluated_text_bytes = std::size_t{16} << 10;  // of main text that the rules examine
// bytes that are compared with other pages and earlier versions
constexpr std::size_t compared_text = std::size_t{64} << 10;
// consecutive pages of one thread; after that the machine is at fault, not the page
constexpr int max_out_of_memory = 3;

// Omits Last-Modified. It is stored with the snapshot, and servers that generate pages on demand report the current
// time.
parser::PageHeaders headers_of(const FetchResult& result, Timestamp now) {
  parser::PageHeaders headers;
  headers.date = now;
  for (const char* name : {"content-type", "content-language", "link"}) {
    parser::add_page_header(name, result.response.header(name), headers);
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
  snapshot.status = result.response.status;
  snapshot.final_url = parser::mask_password(result.final_url.href());
  snapshot.redirects = result.redirects;
  for (storage::Redirect& hop : snapshot.redirects) {
    hop.from = parser::mask_password(hop.from);
    hop.to = parser::mask_password(hop.to);
  }
  snapshot.attempts = result.attempts;
  for (storage::Attempt& attempt : snapshot.attempts) attempt.url = parser::mask_password(attempt.url);
  snapshot.content_type = to_valid_utf8(result.response.header("content-type"));
  snapshot.etag = to_valid_utf8(result.response.header("etag"));
  snapshot.last_modified = to_valid_utf8(result.response.header("last-modified"));
  snapshot.is_body_complete = result.response.is_body_complete();
  snapshot.remote_address = result.response.remote_address;
  if (result.response.certificate) snapshot.certificate = result.response.certificate->certificate;
  return snapshot;
}

std::vector<storage::ResponseHeader> headers_to_keep(const std::vector<storage::ResponseHeader>& headers) {
  constexpr std::size_t max_bytes = std::size_t{16} << 10;
  std::vector<storage::ResponseHeader> kept;
  std::size_t bytes = 0;
  for (const storage::ResponseHeader& header : headers) {
    const bool is_cookie = header.name == "set-cookie" || header.name == "set-cookie2";
    std::string value = is_cookie ? "***" : parser::mask_passwords_in(header.value);
    bytes += header.name.size() + value.size();
    if (bytes > max_bytes) break;
    kept.push_back({header.name, std::move(value)});
  }
  return kept;
}

// Drops the body if it repeats a secret, because a masked copy would be a different page.
void mask_secrets(const AnalysisOptions& options, FetchResult& result, storage::Snapshot& snapshot) {
  if (result.request.is_lookup()) return;
  const SentSecrets secrets(options.secrets, {&result.link_url, &result.final_url});
  secrets.mask_in(snapshot);
  if (secrets.appear_in(result.response.body)) result.response.body.clear();
}

// Text decoded with the wrong charset matches nothing.
bool is_surely_decoded(const parser::DecodedText& decoded) {
  constexpr std::size_t bytes_an_error = 1000;
  return decoded.source != parser::CharsetSource::fallback && decoded.errors * bytes_an_error <= decoded.text.size();
}

std::string oembed_address(const parser::HtmlDocument& document, const parser::Url& page) {
  for (const parser::HtmlElement link : document.by_name("link")) {
    if (!parser::equals_ignoring_case(link.attribute("type").value_or(""), "application/json+oembed")) continue;
    const auto url = parser::Url::parse(link.attribute("href").value_or(""), page);
    return url && url->is_http() ? std::string(url->href()) : std::string();
  }
  return {};
}

const RuleSet& rules_of(const AnalysisOptions& options) {
  return options.rules == nullptr ? RuleSet::built_in() : *options.rules;
}

// The texts of a page that the rules examine.
struct PageTexts {
  std::string title;
  std::string text;  // all visible text
  parser::MainText main;

  explicit PageTexts(const parser::HtmlDocument& document) : main(parser::main_text(document, compared_text)) {
    const std::vector<parser::HtmlElement> titles = document.by_name("title");
    if (!titles.empty()) title = titles.front().text();
    const std::vector<parser::HtmlElement> bodies = document.by_name("body");
    text = bodies.empty() ? document.root().text() : bodies.front().text();
  }

  PageEvidence evidence(std::string_view html) const {
    return {title,       html,           count_code_points(text), truncate_utf8(main.text, max_evaluated_text_bytes),
            main.length, main.is_article};
  }

  VisibleText take_visible() {
    text.resize(truncate_utf8(text, max_visible_text_bytes).size());
    text.shrink_to_fit();
    return {std::move(title), std::move(text)};
  }
};

// Returns true if a 404 response has the content of a page. An error page is short and says what is wrong.
bool shows_page_despite_404(const FetchResult& result, const storage::Verdict& verdict, const PageEvidence& page,
                            const RuleSet& rules) {
  constexpr std::size_t min_text = 200;  // code points
  return result.response.status == 404 && verdict.health == storage::Health::dead && verdict.rule == "status" &&
         page.main_length >= min_text && !rules.is_missing_page(result, page);
}

// Classifies the page. Extracts its metadata if it is the expected page or may still turn out to be.
void analyze_html(const FetchResult& result, const parser::PageHeaders& headers, const AnalysisOptions& options,
                  Timestamp now, PageAnalysis& page) {
  storage::Snapshot& snapshot = page.snapshot;
  const RuleSet& rules = rules_of(options);
  const parser::DecodedText decoded = parser::decode_html(result.response.body, headers.charset);
  const parser::HtmlDocument document = parser::HtmlDocument::parse(decoded.text);
  snapshot.charset = decoded.charset;
  PageTexts texts(document);
  const PageEvidence evidence = texts.evidence(decoded.text);
  snapshot.verdict = classify(result, evidence, rules);
  page.features = features_without_url(evidence, result.link_url);
  page.by_status = uncertain(result, snapshot.verdict, page.features);
  if (page.by_status) page.features_with_url = page_features(evidence);
  page.oembed = oembed_address(document, result.final_url);
  page.is_built_by_script = parser::is_built_by_script(decoded.text, evidence.text_length);
  if (shows_page_despite_404(result, snapshot.verdict, evidence, rules)) {
    snapshot.main_text = parser::compute_signature(texts.main.text);
    if (is_surely_decoded(decoded)) page.visible = texts.take_visible();
  }
  if (!page_exists(snapshot.verdict) && !page.by_status) return;
  snapshot.metadata = parser::extract_metadata(document, &result.final_url, now, headers, nullptr, options.harvest);
  snapshot.facts = site_facts(result, decoded.text);
  snapshot.main_text = parser::compute_signature(texts.main.text);
  snapshot.main_text.length = texts.main.length;
  if (options.site != nullptr && !result.request.is_follow_up())
    page.links = options.site->read(result.link_url, result.final_url, decoded.text);
  if (result.request.wants_anchors())
    page.anchors = collect_page_anchors(snapshot, decoded.text, texts.text, !document.truncated());
  if (!is_surely_decoded(decoded)) return;
  page.visible = texts.take_visible();
}

parser::PdfInfo read_pdf(const FetchResult& result, const ReadPdf& read, Timestamp now) {
  if (!read) return {};
  try {
    return read(result.response.body, now);
  } catch (const std::system_error& error) {  // too many processes or open files: only metadata is missing
    spdlog::warn(fmt::format("{}: could not read the PDF: {}", result.final_url.href(), error.what()));
    return {};
  }
}

parser::Metadata harvest_text(const FetchResult& result, const parser::PageHeaders& headers, Timestamp now) {
  if (parser::is_notebook(result.response.body)) return parser::extract_notebook_metadata(result.response.body, now);
  const bool is_text = headers.content_type == "text/plain" || headers.content_type == "text/markdown";
  if (!is_text || parser::is_binary(result.response.body)) return {};
  return parser::extract_text_metadata(parser::decode_text(result.response.body, headers.charset).text, now);
}

// A document other than HTML gets its verdict by status alone, but may still have metadata.
void analyze_document(const FetchResult& result, const parser::PageHeaders& headers, const AnalysisOptions& options,
                      Timestamp now, PageAnalysis& page) {
  storage::Snapshot& snapshot = page.snapshot;
  snapshot.verdict = classify(result, {}, rules_of(options));
  if (!page_exists(snapshot.verdict)) return;
  const bool is_harvested = options.harvest != parser::Harvest::none;
  const bool wants_anchors = result.request.wants_anchors();
  if (!parser::is_pdf(result.response.body)) {
    if (is_harvested) snapshot.metadata = harvest_text(result, headers, now);
    if (wants_anchors) page.anchors = collect_body_anchors(snapshot, result.response.body);
  } else if (is_harvested || wants_anchors) {
    parser::PdfInfo info = read_pdf(result, options.read_pdf, now);
    if (is_harvested) snapshot.metadata = std::move(info.metadata);
    if (wants_anchors && may_have_anchors(snapshot)) page.anchors = collect_pdf_anchors(snapshot, info.pages);
  }
}

void read_page(FetchResult& result, const AnalysisOptions& options, Timestamp now, PageAnalysis& page) {
  storage::Snapshot& snapshot = page.snapshot;
  decode_content(result.response, result.request.body_limit(options.max_body));
  snapshot.is_body_complete = result.response.is_body_complete();
  if (result.request.is_lookup()) return;
  const parser::PageHeaders headers = headers_of(result, now);
  if (!result.response.body.empty() && is_html(headers, result.response.body))
    return analyze_html(result, headers, options, now, page);
  analyze_document(result, headers, options, now, page);
}

// No single page may end a run that has other links to check.
void evaluate_by_status(const FetchResult& result, const char* why, PageAnalysis& page) {
  spdlog::warn(fmt::format("{}: the verdict is based on the status only, because the page cannot be read: {}",
                           result.final_url.href(), why));
  page = {.snapshot = std::move(page.snapshot)};
  page.snapshot.verdict = classify(result, {});
  page.snapshot.metadata = {};
  page.snapshot.main_text = {};
}

}  // namespace

bool is_known_page(const RuleSet& rules, const FetchState& fetch, AttemptResult& response) {
  FetchResult result(FetchRequest(fetch.request.id(), fetch.request.href()));
  result.final_url = fetch.hop_url;
  result.redirects = fetch.redirects;
  result.response = std::move(response);
  const std::string html = parser::decode_html(result.response.body, headers_of(result, Timestamp{}).charset).text;
  const PageTexts texts(parser::HtmlDocument::parse(html));
  const storage::Verdict verdict = classify(result, texts.evidence(html), rules);
  response = std::move(result.response);
  return !storage::page_exists(verdict) &&
         (verdict.health != storage::Health::blocked || verdict.confidence >= sure_of_wall);
}

AnalyzedPage analyze(FetchResult result, const AnalysisOptions& options, Timestamp now) {
  PageAnalysis page{.snapshot = snapshot_of(result)};
  page.snapshot.headers = headers_to_keep(result.response.headers);
  try {
    read_page(result, options, now, page);
  } catch (const std::bad_alloc& error) {
    evaluate_by_status(result, "out of memory", page);
    page.out_of_memory = true;
  } catch (const std::exception& error) {
    evaluate_by_status(result, error.what(), page);
  }
  storage::Snapshot& snapshot = page.snapshot;
  if (result.response.is_disallowed_by_robots) {
    snapshot.verdict.evidence += " Fetched because your documents list it, although robots.txt disallows it.";
  }
  if (result.response.saved_at) {
    snapshot.verdict.evidence += fmt::format(" Archived at {}.", format_timestamp(*result.response.saved_at));
  }
  snapshot.verdict.evidence = parser::mask_passwords_in(snapshot.verdict.evidence);
  if (!result.response.body.empty()) {
    snapshot.body_digest = storage::content_digest(result.response.body);
    snapshot.body_bytes = result.response.body.size();
  }
  mask_secrets(options, result, snapshot);
  if (result.response.body.empty()) {  // links and anchors may repeat a secret as well
    page.links.reset();
    page.anchors.reset();
  }
  if (const std::size_t more = page.reference_bytes(); more > 0)
    result.response.lease.resize(result.response.lease.bytes() + more);
  page.body = std::move(result.response.body);
  return {std::move(page), std::move(result.request), std::move(result.link_url), std::move(result.response.lease)};
}

// A thread with a stack of 8 MiB. gumbo and the functions that walk its trees are recursive, and std::thread uses
// whatever stack size `ulimit -s` sets.
class AnalysisPool::Thread {
 public:
  static constexpr std::size_t stack_bytes = std::size_t{8} << 20;

  // `work` must not throw. Throws std::system_error if no thread can be started.
  explicit Thread(std::function<void()> work) {
    auto handed_over = std::make_unique<std::function<void()>>(std::move(work));
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack_bytes);
    const int error = pthread_create(&thread_, &attributes, &Thread::run, handed_over.get());
    pthread_attr_destroy(&attributes);
    if (error != 0) throw std::system_error(error, std::generic_category(), "pthread_create");
    static_cast<void>(handed_over.release());  // the thread owns it now
  }
  Thread(Thread&& other) noexcept : thread_(other.thread_), joinable_(std::exchange(other.joinable_, false)) {}
  Thread& operator=(Thread&&) = delete;
  ~Thread() {
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

AnalysisPool::AnalysisPool(std::size_t threads, AnalysisOptions options, const Clock& clock,
                           BoundedQueue<FetchResult>& results, BoundedQueue<AnalyzedPage>& pages)
    : options_(std::move(options)), clock_(clock), results_(results), pages_(pages) {
  threads_.reserve(threads);
  try {
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  } catch (...) {  // a thread could not be started: the running ones must end before their handles do
    end();
    throw;
  }
}

AnalysisPool::~AnalysisPool() { end(); }

void AnalysisPool::end() {
  results_.close();
  pages_.close();
  threads_.clear();  // joins the threads
}

void AnalysisPool::work() {
  try {
    analyze_all();
  } catch (...) {
    failure_.keep(std::current_exception());
    pages_.close();
  }
}

void AnalysisPool::analyze_all() {
  int out_of_memory = 0;
  while (std::optional<FetchResult> result = results_.pop()) {
    const Timestamp now = result->response.saved_at.value_or(clock_.now());
    AnalyzedPage page = analyze(std::move(*result), options_, now);
    out_of_memory = page.out_of_memory ? out_of_memory + 1 : 0;
    if (out_of_memory == max_out_of_memory) throw std::bad_alloc();
    if (!pages_.push(page)) return;
  }
}

}  // namespace linkherd::crawler
