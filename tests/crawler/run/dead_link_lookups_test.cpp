#include "crawler/run/dead_link_lookups.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

const Timestamp lookup_time = parse_timestamp("2026-03-05T10:00:00Z").value();

AnalyzedPage answer_of(const FetchRequest& request, int status, std::string body = {}) {
  AnalyzedPage page{
      {.body = std::move(body)},
      FetchRequest(request.id(), request.href(), std::nullopt, request.is_confirmation(), request.purpose()),
      parser::Url::parse(request.href()).value()};
  page.snapshot.fetched_at = lookup_time;
  page.snapshot.status = status;
  page.snapshot.final_url = request.href();
  page.snapshot.is_body_complete = true;
  page.snapshot.verdict = {storage::Health::dead, "http_404", "status", "HTTP 404", 1.0};
  return page;
}

// A run without a store, some of whose links are dead.
struct DeadRun {
  CrawlOptions options;
  const Clock clock{lookup_time};
  std::unique_ptr<ResultRecorder> recorder;

  explicit DeadRun(const std::vector<std::string>& urls) {
    options.archive = Archive(*parser::Url::parse("https://archive.herd/"));
    LinkTable table;
    for (const std::string& text : urls) {
      const parser::Url url = parser::Url::parse(text).value();
      table.find_or_add(storage::LinkId::of(url), url.href(), std::nullopt);
    }
    recorder = std::make_unique<ResultRecorder>(std::move(table), options, clock, nullptr);
    recorder->begin();
  }

  void end(const FetchRequest& request) {
    recorder->record_page(answer_of(recorder->record_page(answer_of(request, 404)).value(), 404));
  }
};

std::string copy_of(const FetchRequest& request) {
  const std::string page = request.href().find("a.cn") != std::string_view::npos ? "https://a.cn/1" : "https://b.cn/2";
  return fmt::format(
      R"({{"archived_snapshots":{{"closest":{{"status":"200","available":true,"timestamp":"20200102030405",)"
      R"("url":"https://archive.herd/web/20200102030405/{}"}}}}}})",
      page);
}

}  // namespace

TEST_CASE("the archive is asked about one dead link at a time and its copy is recorded") {
  DeadRun run({"https://a.cn/1", "https://b.cn/2", "http://intranet/3"});
  DeadLinkLookups lookups(run.options, run.clock, nullptr, *run.recorder);
  CHECK(lookups.is_used());
  const std::vector<FetchRequest> checks = run.recorder->take_requests();
  REQUIRE(checks.size() == 3);
  CHECK(lookups.take_requests().empty());  // no link is dead yet
  for (const FetchRequest& check : checks) run.end(check);

  const std::vector<FetchRequest> first = lookups.take_requests();
  REQUIRE(first.size() == 1);
  CHECK(first[0].purpose() == Purpose::archive);
  CHECK(first[0].href().starts_with("https://archive.herd/wayback/available?url=https%3A%2F%2Fa.cn%2F1"));
  CHECK(lookups.is_pending());
  CHECK(lookups.take_requests().empty());
  lookups.handle_response(answer_of(first[0], 200, copy_of(first[0])));
  REQUIRE(run.recorder->links().at(0).state.archived_copy);
  CHECK(run.recorder->links().at(0).state.archived_copy->url ==
        "https://archive.herd/web/20200102030405/https://a.cn/1");
  CHECK_FALSE(run.recorder->links().at(1).state.archived_copy);

  const std::vector<FetchRequest> second = lookups.take_requests();
  REQUIRE(second.size() == 1);
  CHECK(second[0].href().find("b.cn") != std::string_view::npos);
  lookups.handle_response(answer_of(second[0], 200, R"({"archived_snapshots":{}})"));
  const std::vector<FetchRequest> timemap = lookups.take_requests();
  REQUIRE(timemap.size() == 1);
  CHECK(timemap[0].href() == "https://archive.herd/web/timemap/link/https://b.cn/2");
  lookups.handle_response(answer_of(timemap[0], 404));
  REQUIRE(run.recorder->links().at(1).state.archived_copy);
  CHECK(run.recorder->links().at(1).state.archived_copy->url.empty());
  CHECK(lookups.take_requests().empty());  // the archive cannot know the third link
  CHECK_FALSE(lookups.is_pending());
}

TEST_CASE("a stopped lookup ends with the response that is pending") {
  DeadRun run({"https://a.cn/1", "https://b.cn/2"});
  DeadLinkLookups lookups(run.options, run.clock, nullptr, *run.recorder);
  for (const FetchRequest& check : run.recorder->take_requests()) run.end(check);
  const std::vector<FetchRequest> requests = lookups.take_requests();
  REQUIRE(requests.size() == 1);
  lookups.stop();
  CHECK(lookups.is_pending());
  lookups.handle_response(answer_of(requests[0], 0));
  CHECK_FALSE(lookups.is_pending());
  CHECK(lookups.take_requests().empty());
}

TEST_CASE("a run without an archive looks up nothing") {
  DeadRun run({"https://a.cn/1"});
  run.options.archive.reset();
  DeadLinkLookups lookups(run.options, run.clock, nullptr, *run.recorder);
  CHECK_FALSE(lookups.is_used());
  run.end(run.recorder->take_requests().at(0));
  lookups.start_search();
  CHECK(lookups.take_requests().empty());
  CHECK_FALSE(lookups.is_pending());
}
