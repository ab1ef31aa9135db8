#include "crawler/page_analysis.h"

#include <doctest/doctest.h>

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

FetchResult result_of(const char* url, int status, std::string content_type, std::string body) {
  const parser::Url parsed = parser::Url::parse(url).value();
  FetchResult result(FetchRequest{storage::LinkId::of(parsed), parsed, std::nullopt, false, std::nullopt});
  result.status = status;
  if (!content_type.empty()) result.headers.push_back({"content-type", std::move(content_type)});
  result.body = std::move(body);
  return result;
}

constexpr std::size_t max_body = 1 << 20;
const Timestamp now = parse_timestamp("2026-03-05T10:00:00Z").value();

}  // namespace

TEST_CASE("a page gives verdict and metadata and the digest of its bytes") {
  const std::string html = "<html><head><title>A title</title></head><body><h1>A title</h1><p>text</p></body></html>";
  AnalyzedPage page = analyze(result_of("https://a.cn/p", 200, "text/html; charset=utf-8", html), max_body, now);
  CHECK(page.snapshot.verdict.health == storage::Health::alive);
  REQUIRE(page.snapshot.metadata.title.has_value());
  CHECK(page.snapshot.metadata.title->value == "A title");
  CHECK(page.snapshot.body_digest == storage::content_digest(html));
  CHECK(page.snapshot.body_bytes == html.size());
  CHECK(page.body == html);
}

TEST_CASE("a GBK page is read by the charset of its header") {
  const std::string html = "<html><head><title>\xD6\xD0\xCE\xC4\xB1\xEA\xCC\xE2</title></head><body>x</body></html>";
  const AnalyzedPage page =
      analyze(result_of("https://a.cn/p", 200, "text/html; Charset=\"GBK\"", html), max_body, now);
  CHECK(page.snapshot.charset == "gb18030");
  REQUIRE(page.snapshot.metadata.title.has_value());
  CHECK(page.snapshot.metadata.title->value == "中文标题");
}

TEST_CASE("the page of a dead link is not harvested") {
  const AnalyzedPage page =
      analyze(result_of("https://a.cn/p", 404, "text/html", "<html><title>Not found</title><h1>Not found</h1></html>"),
              max_body, now);
  CHECK(page.snapshot.verdict.health == storage::Health::dead);
  CHECK_FALSE(page.snapshot.metadata.title.has_value());
}

TEST_CASE("what is no HTML is judged by its status and not parsed") {
  const AnalyzedPage page =
      analyze(result_of("https://a.cn/p", 200, "text/plain", "<title>no page</title>"), max_body, now);
  CHECK(page.snapshot.verdict.health == storage::Health::alive);
  CHECK_FALSE(page.snapshot.metadata.title.has_value());
  const AnalyzedPage untyped = analyze(
      result_of("https://a.cn/q", 200, "", "<!DOCTYPE html><title>A page</title><h1>A page</h1>"), max_body, now);
  CHECK(untyped.snapshot.metadata.title.has_value());
}

TEST_CASE("the bytes of a body stay counted until the page is let go") {
  ByteBudget budget(1000);
  {
    FetchResult result = result_of("https://a.cn/p", 200, "text/plain", std::string(800, 'x'));
    result.lease = ByteBudget::Lease(budget);
    result.lease.resize(result.body.size());
    const AnalyzedPage page = analyze(std::move(result), max_body, now);
    CHECK(budget.used() == 800);
    CHECK(page.body.size() == 800);
  }
  CHECK(budget.used() == 0);
}

TEST_CASE("the analysis pool turns every result into a page") {
  const Clock clock(now);
  BoundedQueue<FetchResult> results(2);
  BoundedQueue<AnalyzedPage> pages(2);
  AnalysisPool pool(3, max_body, clock, results, pages);
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
