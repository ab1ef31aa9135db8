#include "crawler/run/page_analysis.h"

#include <cerrno>
#include <string_view>
#include <system_error>

#include <doctest/doctest.h>

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

FetchResult result_of(const char* url, int status, std::string content_type, std::string body) {
  const parser::Url parsed = parser::Url::parse(url).value();
  FetchResult result(FetchRequest(storage::LinkId::of(parsed), parsed.href()));
  result.response.status = status;
  if (!content_type.empty()) result.response.headers.push_back({"content-type", std::move(content_type)});
  result.response.body = std::move(body);
  return result;
}

const AnalysisOptions options{.max_body = 1 << 20, .read_pdf = {}, .rules = nullptr, .secrets = {}};
const Timestamp analysis_time = parse_timestamp("2026-03-05T10:00:00Z").value();

}  // namespace

TEST_CASE("a page gives a verdict and metadata and the digest of its bytes") {
  const std::string html = "<html><head><title>A title</title></head><body><h1>A title</h1><p>text</p></body></html>";
  AnalyzedPage page =
      analyze(result_of("https://a.cn/p", 200, "text/html; charset=utf-8", html), options, analysis_time);
  CHECK(page.snapshot.verdict.health == storage::Health::alive);
  REQUIRE(page.snapshot.metadata.title.has_value());
  CHECK(page.snapshot.metadata.title->value == "A title");
  CHECK(page.snapshot.body_digest == storage::content_digest(html));
  CHECK(page.snapshot.body_bytes == html.size());
  CHECK(page.body == html);
}

TEST_CASE("a GBK page is decoded by the charset of its header") {
  const std::string html = "<html><head><title>\xD6\xD0\xCE\xC4\xB1\xEA\xCC\xE2</title></head><body>x</body></html>";
  const AnalyzedPage page =
      analyze(result_of("https://a.cn/p", 200, "text/html; Charset=\"GBK\"", html), options, analysis_time);
  CHECK(page.snapshot.charset == "gb18030");
  REQUIRE(page.snapshot.metadata.title.has_value());
  CHECK(page.snapshot.metadata.title->value == "中文标题");
}

TEST_CASE("a dead page gives no metadata") {
  const AnalyzedPage page =
      analyze(result_of("https://a.cn/p", 404, "text/html", "<html><title>Not found</title><h1>Not found</h1></html>"),
              options, analysis_time);
  CHECK(page.snapshot.verdict.health == storage::Health::dead);
  CHECK_FALSE(page.snapshot.metadata.title.has_value());
}

TEST_CASE("a non-HTML page is judged by its status and titled by its heading") {
  const AnalyzedPage page = analyze(result_of("https://a.cn/p", 200, "text/plain", "# A list\n<title>no page</title>"),
                                    options, analysis_time);
  CHECK(page.snapshot.verdict.health == storage::Health::alive);
  REQUIRE(page.snapshot.metadata.title.has_value());
  CHECK(page.snapshot.metadata.title->value == "A list");
  const AnalyzedPage notebook =
      analyze(result_of("https://a.cn/n", 200, "application/octet-stream",
                        R"({"cells":[{"cell_type":"markdown","source":["# A notebook"]}],"nbformat":4})"),
              options, analysis_time);
  REQUIRE(notebook.snapshot.metadata.title.has_value());
  CHECK(notebook.snapshot.metadata.title->value == "A notebook");
  const AnalyzedPage image =
      analyze(result_of("https://a.cn/i", 200, "image/png", "\x89PNG\r\n\x1A\n# A picture"), options, analysis_time);
  CHECK_FALSE(image.snapshot.metadata.title.has_value());
  const AnalyzedPage untyped =
      analyze(result_of("https://a.cn/q", 200, "", "<!DOCTYPE html><title>A page</title><h1>A page</h1>"), options,
              analysis_time);
  CHECK(untyped.snapshot.metadata.title.has_value());
}

TEST_CASE("a PDF is read by the given reader and a failing reader does not stop the run") {
  const auto fetched = [](int status) {
    return result_of("https://a.cn/p.pdf", status, "application/pdf", "%PDF-1.7 bytes");
  };
  AnalysisOptions reading = options;
  reading.read_pdf = [](std::string_view bytes, Timestamp) {
    parser::PdfInfo facts;
    facts.metadata.title = parser::Field<std::string>{std::string(bytes), "pdf:information", 0.7};
    return facts;
  };
  const AnalyzedPage read = analyze(fetched(200), reading, analysis_time);
  REQUIRE(read.snapshot.metadata.title.has_value());
  CHECK(read.snapshot.metadata.title->value == "%PDF-1.7 bytes");
  CHECK_FALSE(analyze(fetched(404), reading, analysis_time).snapshot.metadata.title.has_value());
  CHECK_FALSE(analyze(fetched(200), options, analysis_time).snapshot.metadata.title.has_value());
  reading.read_pdf = [](std::string_view, Timestamp) -> parser::PdfInfo {
    throw std::system_error(EAGAIN, std::generic_category());
  };
  const AnalyzedPage unread = analyze(fetched(200), reading, analysis_time);
  CHECK(unread.snapshot.verdict.health == storage::Health::alive);
  CHECK_FALSE(unread.snapshot.metadata.title.has_value());
}

TEST_CASE("a page that makes the analysis throw is judged by its status") {
  FetchResult result = result_of("https://a.cn/p.pdf", 200, "application/pdf", "%PDF-1.4 …");
  AnalysisOptions reading = options;
  reading.read_pdf = [](std::string_view, Timestamp) -> parser::PdfInfo { throw std::logic_error("a mistake"); };
  const AnalyzedPage page = analyze(std::move(result), reading, analysis_time);
  CHECK(page.snapshot.verdict.health == storage::Health::alive);
  CHECK_FALSE(page.snapshot.metadata.title.has_value());
  CHECK_FALSE(page.out_of_memory);
  reading.read_pdf = [](std::string_view, Timestamp) -> parser::PdfInfo { throw std::bad_alloc(); };
  FetchResult large = result_of("https://a.cn/q.pdf", 200, "application/pdf", "%PDF-1.4 …");
  CHECK(analyze(std::move(large), reading, analysis_time).out_of_memory);
}

TEST_CASE("one page without memory is lost and many in a row end the run") {
  const Clock clock(analysis_time);
  BoundedQueue<FetchResult> results(20);
  BoundedQueue<AnalyzedPage> pages(20);
  AnalysisOptions reading = options;
  reading.read_pdf = [](std::string_view, Timestamp) -> parser::PdfInfo { throw std::bad_alloc(); };
  AnalysisPool pool(1, reading, clock, results, pages);
  FetchResult one = result_of("https://a.cn/p.pdf", 200, "application/pdf", "%PDF-1.4 …");
  results.push(one);
  CHECK(pages.pop_for(std::chrono::seconds(20)).has_value());
  CHECK_NOTHROW(pool.rethrow_failure());
  for (int i = 0; i < 3; ++i) {
    FetchResult more = result_of("https://a.cn/p.pdf", 200, "application/pdf", "%PDF-1.4 …");
    results.push(more);
  }
  while (pages.pop_for(std::chrono::seconds(20))) {
  }
  CHECK_THROWS_AS(pool.rethrow_failure(), std::bad_alloc);
}

TEST_CASE("metadata in headers counts but not the modification time") {
  FetchResult result = result_of("https://a.cn/p", 200, "text/html", "<title>A page</title><h1>A page</h1>");
  result.response.headers.push_back({"content-language", "fr"});
  result.response.headers.push_back({"link", "<https://a.cn/canonical>; rel=canonical"});
  result.response.headers.push_back({"last-modified", "Tue, 03 Mar 2026 10:20:00 GMT"});
  const AnalyzedPage page = analyze(std::move(result), options, analysis_time);
  REQUIRE(page.snapshot.metadata.language.has_value());
  CHECK(page.snapshot.metadata.language->value == "fr");
  REQUIRE(page.snapshot.metadata.canonical.has_value());
  CHECK(page.snapshot.metadata.canonical->value == "https://a.cn/canonical");
  CHECK_FALSE(page.snapshot.metadata.modified.has_value());
}

TEST_CASE("the bytes of a body count until the page is released") {
  ByteBudget budget(1000);
  {
    FetchResult result = result_of("https://a.cn/p", 200, "text/plain", std::string(800, 'x'));
    result.response.lease = ByteBudget::Lease(budget);
    result.response.lease.resize(result.response.body.size());
    const AnalyzedPage page = analyze(std::move(result), options, analysis_time);
    CHECK(budget.used() == 800);
    CHECK(page.body.size() == 800);
  }
  CHECK(budget.used() == 0);
}

TEST_CASE("the analysis pool turns every result into a page") {
  const Clock clock(analysis_time);
  BoundedQueue<FetchResult> results(2);
  BoundedQueue<AnalyzedPage> pages(2);
  AnalysisPool pool(3, options, clock, results, pages);
  constexpr int count = 50;
  std::thread feeder([&results] {
    for (int i = 0; i < count; ++i) {
      FetchResult result = result_of("https://a.cn/p", 200, "text/html", "<title>t</title>");
      results.push(result);
    }
  });
  int seen = 0;
  while (seen < count) seen += pages.pop_for(std::chrono::seconds(20)).has_value() ? 1 : 1000;
  feeder.join();
  CHECK(seen == count);
}

TEST_CASE("a secret in an answer is removed in every encoding") {
  AnalysisOptions secretive = options;
  secretive.secrets = {{"", "Authorization", "Bearer t0ken/of+mine"}, {"", "Accept-Language", "en-GB-oxendict"}};
  for (const std::string spelled : {"p@ss w0rd", "p%40ss%20w0rd", "t0ken/of+mine", "t0ken%2Fof%2Bmine"}) {
    CAPTURE(spelled);
    FetchResult result =
        result_of("https://me:p%40ss%20w0rd@a.cn/p", 200, "text/html", "<title>Hello " + spelled + "</title><p>Hello");
    result.response.headers.push_back({"location", "/?q=" + spelled});
    result.response.headers.push_back({"accept-language", "en-GB-oxendict"});
    result.redirects = {{"https://a.cn/p", 302, "https://a.cn/?q=p%40ss%20w0rd"}};
    const AnalyzedPage page = analyze(std::move(result), secretive, analysis_time);
    CHECK(page.body.empty());
    CHECK_FALSE(page.snapshot.body_digest.empty());
    CHECK(page.snapshot.metadata.title->value == "Hello ***");
    CHECK(page.snapshot.final_url == "https://me:***@a.cn/p");
    CHECK(page.snapshot.redirects.front().to == "https://a.cn/?q=***");
    CHECK(page.snapshot.headers.at(1).value == "***");
    CHECK(page.snapshot.headers.at(2).value == "en-GB-oxendict");  // no secret
  }
  const AnalyzedPage other = analyze(
      result_of("https://me:p%40ss%20w0rd@a.cn/p", 200, "text/html", "<title>Hello</title>"), secretive, analysis_time);
  CHECK_FALSE(other.body.empty());
}

TEST_CASE("response headers are kept unchanged except secrets") {
  FetchResult result = result_of("https://a.cn/p", 200, "text/html", "<title>A page</title>");
  result.response.headers.push_back({"set-cookie", "session=abc"});
  result.response.headers.push_back({"x-api-key", "anything"});
  result.response.headers.push_back({"x-echo", "got t0ken-of-mine"});
  result.response.headers.push_back({"link", "<https://me:s3cret@a.cn/>; rel=next"});
  result.response.headers.push_back({"x-bytes", "\xFF"});
  result.response.headers.push_back({"x-large", std::string(20'000, 'x')});
  AnalysisOptions secretive = options;
  secretive.secrets = {{"", "X-API-Key", "t0ken-of-mine"}, {"", "DNT", "1"}};
  const std::vector<storage::ResponseHeader> kept =
      analyze(std::move(result), secretive, analysis_time).snapshot.headers;
  CHECK(kept == std::vector<storage::ResponseHeader>{{"content-type", "text/html"},
                                                     {"set-cookie", "***"},
                                                     {"x-api-key", "***"},
                                                     {"x-echo", "***"},
                                                     {"link", "<https://me:***@a.cn/>; rel=next"},
                                                     {"x-bytes", "\xFF"}});
}
