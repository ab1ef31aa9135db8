// Tests that broker messages survive encoding and that anything else is refused.
#include "crawler/broker/messages.h"

#include <chrono>
#include <random>
#include <string>

#include <doctest/doctest.h>

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

FetchRequest request_for(const std::string& href, Purpose purpose = Purpose::link) {
  return {storage::LinkId::of(parser::Url::parse(href).value()), href,
          Validators{.url = href, .etag = "\"1\"", .last_modified = "then", .lines = {"A: b"}}, true, purpose};
}

// A link that was redirected twice, with a cookie.
std::unique_ptr<FetchState> redirected() {
  auto fetch = std::make_unique<FetchState>(request_for("https://a.example/"));
  fetch->hop_url = parser::Url::parse("https://b.example/x#y").value();
  fetch->redirects = {{"https://a.example/", 301, "https://c.example/"},
                      {"https://c.example/", 302, "https://b.example/x#y"}};
  fetch->attempts = {{Timestamp(std::chrono::seconds(5)), "https://a.example/", 301, "", 12}};
  fetch->last_detail = "what happened";
  fetch->spent = std::chrono::seconds(3);
  fetch->restarts = 1;
  fetch->should_use_get = true;
  fetch->cookies.all = {{.name = "n",
                         .value = "v",
                         .domain = "b.example",
                         .path = "/",
                         .is_host_only = false,
                         .secure = true,
                         .expires = Timestamp(std::chrono::seconds(9))}};
  fetch->cookies.sent_from = 1;
  fetch->cookies.has_new = true;
  fetch->cookies.rounds = 2;
  return fetch;
}

storage::HostState some_host() {
  storage::HostState host;
  host.origin = "https://a.example";
  host.not_before = Timestamp(std::chrono::seconds(3));
  return host;
}

RequestKey some_key() { return RequestKey::of(request_for("https://a.example/", Purpose::found)); }

PageAnalysis some_page() {
  PageAnalysis page{.body = std::string("a\0body", 6), .out_of_memory = true, .visible = {"a title", "a text"}};
  page.snapshot.fetched_at = Timestamp(std::chrono::seconds(100));
  page.snapshot.verdict = {storage::Health::suspect, "soft_404", "rule", "evidence", 0.75};
  page.snapshot.status = 200;
  page.snapshot.final_url = "https://a.example/";
  page.snapshot.body_digest = storage::content_digest(page.body);
  page.features = {"title", 77, 88};
  page.by_status = storage::Verdict{storage::Health::alive, "ok", "status", "HTTP 200", 1.0};
  page.oembed = "https://a.example/oembed";
  page.anchors.emplace();
  page.anchors->names = {"a", "b"};
  page.anchors->lines = 4;
  page.anchors->is_whole = true;
  return page;
}

}  // namespace

TEST_CASE("requests survive encoding even within a redirect chain") {
  std::string batch;
  append_request(batch, request_for("https://a.example/one", Purpose::site_api), Timestamp(std::chrono::seconds(7)));
  std::string other;
  append_request(other, *redirected());
  append_requests(batch, other);

  const auto fetches = decode_requests(batch).value();
  REQUIRE(fetches.size() == 2);
  const FetchState& first = *fetches[0];
  CHECK(first.request.href() == "https://a.example/one");
  CHECK(RequestKey::of(first.request) == RequestKey::of(request_for("https://a.example/one", Purpose::site_api)));
  CHECK(first.not_before == Timestamp(std::chrono::seconds(7)));
  REQUIRE(first.request.validators() != nullptr);
  CHECK(first.request.validators()->etag == "\"1\"");
  CHECK(first.request.validators()->lines == std::vector<std::string>{"A: b"});

  const FetchState& second = *fetches[1];
  const auto expected = redirected();
  CHECK(second.link_url.href() == expected->link_url.href());
  CHECK(second.hop_url.href() == expected->hop_url.href());
  CHECK(second.redirects == expected->redirects);
  CHECK(second.attempts == expected->attempts);
  CHECK(second.last_detail == expected->last_detail);
  CHECK(second.spent == expected->spent);
  CHECK(second.restarts == 1);
  CHECK(second.should_use_get);
  CHECK(second.cookies.all == expected->cookies.all);
  CHECK(second.cookies.sent_from == expected->cookies.sent_from);
  CHECK(second.cookies.has_new);
  CHECK(second.cookies.rounds == 2);
}

TEST_CASE("pages and hosts survive encoding") {
  std::string batch;
  append_page(batch, some_key(), some_page());
  append_hosts(batch, {some_host()});
  const WorkerPages found = decode_pages(batch).value();
  REQUIRE(found.pages.size() == 1);
  REQUIRE(found.hosts.size() == 1);
  CHECK(found.hosts[0].origin == "https://a.example");
  CHECK(found.hosts[0].not_before == Timestamp(std::chrono::seconds(3)));

  const PageAnalysis expected = some_page();
  CHECK(found.pages[0].key == some_key());
  const PageAnalysis& page = found.pages[0].analysis;
  CHECK(page.snapshot == expected.snapshot);
  CHECK(page.body == expected.body);
  CHECK(page.out_of_memory);
  CHECK(page.visible.text == "a text");
  CHECK(page.features == expected.features);
  CHECK(page.by_status == expected.by_status);
  CHECK(page.oembed == expected.oembed);
  REQUIRE(page.anchors);
  CHECK(page.anchors->names == expected.anchors->names);
  CHECK(page.anchors->lines == 4);
  CHECK(page.anchors->is_whole);
}

TEST_CASE("a page message may name the location of its body") {
  std::string batch;
  append_page(batch, some_key(), some_page(), {}, BodyLocation{"run-machine-00001.warc.gz", 12345});
  append_page(batch, some_key(), some_page());
  const WorkerPages found = decode_pages(batch).value();
  REQUIRE(found.pages.size() == 2);
  CHECK(found.pages[0].body_location == BodyLocation{"run-machine-00001.warc.gz", 12345});
  CHECK_FALSE(found.pages[1].body_location);
}

TEST_CASE("a lease carries its bucket and the known state of the hosts") {
  const BucketLease lease = decode_lease(encode_lease({"run", 3, 8, {some_host()}})).value();
  CHECK(lease.run == "run");
  CHECK(lease.bucket == 3);
  CHECK(lease.buckets == 8);
  CHECK(lease.hosts.size() == 1);
  CHECK_FALSE(lease.should_skip_bodies);
  CHECK(decode_lease(encode_lease({"run", 3, 8, {}, true})).value().should_skip_bodies);
  CHECK(decode_lease(encode_lease({"run", 8, 8, {}})).has_error());
  CHECK(decode_lease(encode_lease({"run", 0, 0, {}})).has_error());
  CHECK(decode_lease(encode_lease({"", 0, 1, {}})).has_error());
}

TEST_CASE("the progress of a run survives encoding") {
  const RunProgress progress = decode_progress(encode_progress({.run = "run",
                                                                .buckets = 8,
                                                                .started_at = Timestamp(std::chrono::seconds(1)),
                                                                .at = Timestamp(std::chrono::seconds(2)),
                                                                .planned = 3,
                                                                .done = 2,
                                                                .pending_requests = 1,
                                                                .rate = 0.5,
                                                                .waiting = {{"https://a.example", Timestamp{}}},
                                                                .all_waiting = 7}))
                                   .value();
  CHECK(progress.run == "run");
  CHECK(progress.buckets == 8);
  CHECK(progress.started_at == Timestamp(std::chrono::seconds(1)));
  CHECK(progress.at == Timestamp(std::chrono::seconds(2)));
  CHECK(progress.planned == 3);
  CHECK(progress.done == 2);
  CHECK(progress.pending_requests == 1);
  CHECK(progress.rate == 0.5);
  REQUIRE(progress.waiting.size() == 1);
  CHECK(progress.waiting[0].origin == "https://a.example");
  CHECK(progress.all_waiting == 7);
  RunProgress bad = progress;
  bad.run.clear();
  CHECK(decode_progress(encode_progress(bad)).has_error());
  bad = progress;
  bad.buckets = 0;
  CHECK(decode_progress(encode_progress(bad)).has_error());
  CHECK(decode_progress("").has_error());
}

TEST_CASE("a link table and its parts survive encoding") {
  const PlanHeader plan{
      .plan = "plan",
      .pieces = 3,
      .links = 5,
      .all_links = 7,
      .made_at = Timestamp(std::chrono::seconds(1)),
      .inputs = {"a.md", "b"},
      .settings = "settings",
      .unread = {"c.md does not exist"},
      .shard = storage::Shard{.number = 2, .count = 4, .links = 7},
      .web_anchors = true,
      .filter = {
          .include = {{"--include", "a"}}, .exclude = {{".linkherdignore:2", "b"}}, .remap = {}, .schemes = {"https"}}};
  const PlanHeader read = decode_plan(encode_plan(plan)).value();
  CHECK(read.plan == plan.plan);
  CHECK(read.pieces == plan.pieces);
  CHECK(read.links == plan.links);
  CHECK(read.all_links == plan.all_links);
  CHECK(read.made_at == plan.made_at);
  CHECK(read.inputs == plan.inputs);
  CHECK(read.settings == plan.settings);
  CHECK(read.unread == plan.unread);
  CHECK(read.shard == plan.shard);
  CHECK(read.web_anchors);
  CHECK(read.filter.include == plan.filter.include);
  CHECK(read.filter.exclude == plan.filter.exclude);
  CHECK(read.filter.schemes == plan.filter.schemes);
  PlanHeader bad = plan;
  bad.plan.clear();
  CHECK(decode_plan(encode_plan(bad)).has_error());
  bad = plan;
  bad.pieces = max_pieces + 1;
  CHECK(decode_plan(encode_plan(bad)).has_error());
  bad = plan;
  bad.shard->number = 5;
  CHECK(decode_plan(encode_plan(bad)).has_error());

  std::string links;
  append_planned_link(links, {storage::LinkId::of_text("a"), 9, "https://a.example/", "verdict", {"one", "two"}});
  append_planned_link(links, {storage::LinkId::of_text("b"), 1, "", "", {}});
  const PlanPiece piece = decode_piece(encode_piece("plan", 2, links)).value();
  CHECK(piece.plan == "plan");
  CHECK(piece.number == 2);
  REQUIRE(piece.links.size() == 2);
  CHECK(piece.links[0].id == storage::LinkId::of_text("a"));
  CHECK(piece.links[0].order == 9);
  CHECK(piece.links[0].href == "https://a.example/");
  CHECK(piece.links[0].verdict == "verdict");
  CHECK(piece.links[0].occurrences == std::vector<std::string>{"one", "two"});
  CHECK(piece.links[1].occurrences.empty());
  CHECK(decode_piece("").has_error());
}

TEST_CASE("times in a message from a machine with another clock are converted to the local clock") {
  using std::chrono::hours, std::chrono::seconds;
  const Timestamp sent{seconds(1'000'000)};
  std::string batch;
  append_request(batch, request_for("https://a.example/"), sent + seconds(10), sent);
  const auto wait = [&batch](Timestamp now) { return *decode_requests(batch, now).value().front()->not_before - now; };
  CHECK(wait(sent + hours(1)) == seconds(10));
  CHECK(wait(sent - hours(1)) == seconds(10));
  CHECK(wait(sent + seconds(5)) == seconds(5));  // the time in transit counts
  std::string hosts;
  storage::HostState host{.origin = "https://a.example", .not_before = sent + seconds(10)};
  host.unresponsive = storage::UnresponsivePeriod{.since = sent - seconds(2), .last = sent - seconds(1)};
  append_hosts(hosts, {host}, sent);
  const storage::HostState read = decode_pages(hosts, sent - hours(1)).value().hosts.front();
  CHECK(read.not_before == sent - hours(1) + seconds(10));
  CHECK(read.unresponsive->since == sent - hours(1) - seconds(2));
  CHECK(read.unresponsive->last == sent - hours(1) - seconds(1));
  PageAnalysis page = some_page();
  page.snapshot.fetched_at = sent;
  std::string pages;
  append_page(pages, some_key(), page, sent + seconds(1));
  CHECK(decode_pages(pages, sent + hours(1)).value().pages.front().analysis.snapshot.fetched_at ==
        sent + hours(1) - seconds(1));
  CHECK(decode_pages(pages).value().pages.front().analysis.snapshot.fetched_at == sent);
}

TEST_CASE("hosts of one registrable domain are in one bucket") {
  const auto bucket = [](const char* url) { return bucket_of(parser::Url::parse(url).value(), 64); };
  CHECK(bucket("https://a.example.org/") == bucket("http://b.example.org:81/x"));
  CHECK(bucket("https://127.0.0.1/") == bucket("https://127.0.0.1/x"));
}

TEST_CASE("messages that are too long or too many or of another version are refused") {
  std::string request;
  append_request(request, request_for("https://a.example/"), std::nullopt);
  std::string page;
  append_page(page, some_key(), some_page());
  std::string batch;
  for (int i = 0; i < 10'000; ++i) append_requests(batch, request);
  CHECK(decode_requests(batch).value().size() == 10'000);
  append_requests(batch, request);
  CHECK(decode_requests(batch).has_error());

  PageAnalysis long_page = some_page();
  long_page.body.assign(std::size_t{64} << 20, 'x');
  std::string too_long;
  append_page(too_long, some_key(), long_page);
  CHECK(decode_pages(too_long).has_error());

  for (std::string* bytes : {&request, &page}) bytes->front() = 2;
  CHECK(decode_requests(request).has_error());
  CHECK(decode_pages(page).has_error());
  std::string lease = encode_lease({"run", 3, 8, {}});
  lease.front() = 2;
  CHECK(decode_lease(lease).has_error());
}

TEST_CASE("bytes that are no message are refused") {
  CHECK(decode_requests("").has_error());
  for (const char* href : {"file:///etc/passwd", "ftp://a.example/", "not a url", "HTTPS://A.example", ""}) {
    CAPTURE(href);
    std::string batch;
    append_request(batch, FetchRequest(storage::LinkId{}, href), std::nullopt);
    CHECK(decode_requests(batch).has_error());
  }

  std::string messages;
  append_request(messages, *redirected());
  std::string pages;
  append_page(pages, some_key(), some_page());
  append_hosts(pages, {some_host()});
  const std::string lease = encode_lease({"run", 3, 8, {some_host()}});
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {  // no damage makes the reader throw
    for (std::string bytes : {messages, pages, lease}) {
      for (unsigned n = random() % 4 + 1; n > 0; --n) bytes[random() % bytes.size()] = static_cast<char>(random());
      if (random() % 4 == 0) bytes.resize(random() % bytes.size());
      static_cast<void>(decode_requests(bytes));
      static_cast<void>(decode_pages(bytes));
      static_cast<void>(decode_lease(bytes));
    }
  }
}
