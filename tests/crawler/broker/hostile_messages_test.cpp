// Tests that workers and runs refuse hostile messages from anyone who can write to the broker.
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "crawler/broker/message_checks.h"
#include "crawler/broker/messages.h"
#include "storage/link_id.h"

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

using namespace std::string_literals;

const std::string href = "https://a.example/";  // NOLINT(cert-err58-cpp)

Validators validators_of(std::string etag, std::string last_modified = {}, std::vector<std::string> lines = {}) {
  return {.url = href, .etag = std::move(etag), .last_modified = std::move(last_modified), .lines = std::move(lines)};
}

FetchRequest request_with(Validators validators) {
  return {storage::LinkId::of(parser::Url::parse(href).value()), href, std::move(validators)};
}

bool is_taken(Validators validators) {
  std::string batch;
  append_request(batch, request_with(std::move(validators)), std::nullopt);
  return decode_requests(batch).has_value();
}

bool is_taken(const std::function<void(FetchState&)>& change) {
  FetchState fetch(request_with(validators_of("")));
  fetch.redirects = {{"https://b.example/", 301, href}};
  fetch.attempts = {{Timestamp(std::chrono::seconds(5)), "https://b.example/", 301, "", 12}};
  fetch.cookies.all = {{.name = "n", .value = "v", .domain = "a.example", .path = "/", .expires = std::nullopt}};
  change(fetch);
  std::string batch;
  append_request(batch, fetch);
  return decode_requests(batch).has_value();
}

RequestKey page_key() { return RequestKey::of(request_with(validators_of(""))); }

PageAnalysis page_of_worker() {
  PageAnalysis page{.body = "a body"};
  page.snapshot.fetched_at = Timestamp(std::chrono::seconds(100));
  page.snapshot.verdict = {storage::Health::alive, "ok", "wall:aws_waf", "HTTP 200", 1.0};
  page.snapshot.status = 200;
  page.snapshot.final_url = href;
  page.snapshot.body_digest = storage::content_digest(page.body);
  return page;
}

bool is_taken_page(const std::function<void(PageAnalysis&)>& change,
                   const std::optional<BodyLocation>& location = std::nullopt) {
  PageAnalysis page = page_of_worker();
  change(page);
  std::string batch;
  append_page(batch, page_key(), page, {}, location);
  return decode_pages(batch).has_value();
}

bool is_taken_snapshot(const std::function<void(storage::Snapshot&)>& change) {
  return is_taken_page([&change](PageAnalysis& page) { change(page.snapshot); });
}

bool is_taken(const storage::HostState& host) {
  std::string batch;
  append_hosts(batch, {host});
  const bool is_in_lease = decode_lease(encode_lease({"run", 0, 1, {host}})).has_value();
  CHECK(decode_pages(batch).has_value() == is_in_lease);
  return is_in_lease;
}

// Returns `count` parts of a message, each without content.
std::string empty_parts(int field, std::size_t count) {
  std::string bytes(1, char{1});
  for (std::size_t i = 0; i < count; ++i) bytes.append({static_cast<char>(field << 3 | 2), char{0}});
  return bytes;
}

const std::vector<std::string>& bad_names() {
  static const std::vector<std::string> names{"",
                                              ".",
                                              "..",
                                              ".hidden",
                                              "-option",
                                              "_",
                                              "../../../outside/pwn",
                                              "/tmp/pwn",
                                              "a/b",
                                              "a\\b",
                                              "a b",
                                              "a\nb",
                                              "a\0b"s,
                                              "a\x1b[2Jb",
                                              "\xc3\xa4",
                                              "a%2fb",
                                              "a:b",
                                              std::string(201, 'a')};
  return names;
}

}  // namespace

TEST_CASE("names in messages contain only file name characters") {
  for (const std::string& name : bad_names()) {
    CAPTURE(name);
    CHECK_FALSE(is_name(name));
    CHECK(decode_lease(encode_lease({name, 3, 8, {}})).has_error());
    CHECK(decode_progress(encode_progress({.run = name, .buckets = 8, .started_at = {}, .at = {}, .waiting = {}}))
              .has_error());
    PlanHeader plan;
    plan.plan = name;
    CHECK(decode_plan(encode_plan(plan)).has_error());
    CHECK(decode_piece(encode_piece(name, 0, "")).has_error());
    if (!name.empty()) CHECK_FALSE(is_taken_page([](PageAnalysis&) {}, BodyLocation{name, 0}));
  }
  CHECK(is_name("0123456789abcdef"));
  CHECK(is_taken_page([](PageAnalysis&) {}, BodyLocation{"0123-machine_1.local-00001.warc.gz", 0}));
}

TEST_CASE("everything that servers and users can put into a request is accepted") {
  CHECK(is_taken(validators_of(std::string(60'000, 'e'), "a date\tof theirs", {"Cookie: a=b", "X-A: \xc3\xa4"})));
  CHECK(is_taken([](FetchState& fetch) { fetch.cookies.all[0].value = "with\ta tab and \xff"; }));
  CHECK(is_taken_snapshot([](storage::Snapshot& seen) {
    seen.verdict.rule = "ma r\xc3\xa8gle";
    seen.headers.assign(60'000, {"x\x01y", "a\x1b[2J"});
    seen.redirects = {{"https://a.example/", 302, "mailto:\r\n"}};
  }));
}

TEST_CASE("header fields of requests in messages cannot start another header field") {
  CHECK(is_taken(validators_of("W/\"1\"", "Sat, 28 Nov 2026 10:00:00 GMT", {"Accept: application/json", "X-A:"})));
  for (const std::string& text :
       {"\"1\"\r\nHost: evil.example"s, "a\nb"s, "a\rb"s, "a\0b"s, "a\x1b[2J"s, std::string(70'000, 'a')}) {
    CAPTURE(text.substr(0, 40));
    CHECK_FALSE(is_taken(validators_of(text)));
    CHECK_FALSE(is_taken(validators_of("", text)));
    CHECK_FALSE(is_taken(validators_of("", "", {"X-A: " + text})));
  }
  for (const char* const line :
       {"", "no colon", ": no name", "a b: c", "X-A\r\nB: c", "GET / HTTP/1.1", "Host: evil.example", "host:x",
        "Content-Length: 5", "Transfer-Encoding: chunked", "Connection: x", "Proxy-Authorization: x"}) {
    CAPTURE(line);
    CHECK_FALSE(is_taken(validators_of("", "", {line})));
  }
  CHECK_FALSE(is_taken(validators_of("", "", std::vector<std::string>(1000, "A: b"))));
}

TEST_CASE("a message is refused if a link could not have taken its redirects or cookies") {
  CHECK(is_taken([](FetchState&) {}));
  const auto with_cookie = [](std::string name, std::string value) {
    return is_taken([&](FetchState& fetch) {
      fetch.cookies.all[0].name = std::move(name);
      fetch.cookies.all[0].value = std::move(value);
    });
  };
  CHECK_FALSE(with_cookie("", "v"));
  CHECK_FALSE(with_cookie("n", "v\r\nHost: evil.example"));
  CHECK_FALSE(with_cookie("n\r\nA: b", "v"));
  CHECK_FALSE(with_cookie("n", "v; other=1"));
  CHECK_FALSE(with_cookie("n", std::string(20'000, 'v')));
  CHECK_FALSE(is_taken([](FetchState& fetch) { fetch.cookies.all.resize(51, fetch.cookies.all[0]); }));
  CHECK_FALSE(is_taken([](FetchState& fetch) { fetch.redirects[0].from = "https://a.example/\r\nX: y"; }));
  CHECK_FALSE(is_taken([](FetchState& fetch) { fetch.redirects[0].from = "file:///etc/passwd"; }));
  CHECK_FALSE(is_taken([](FetchState& fetch) { fetch.redirects[0].status = -1; }));
  CHECK_FALSE(is_taken([](FetchState& fetch) { fetch.redirects.resize(100'001, fetch.redirects[0]); }));
  CHECK_FALSE(is_taken([](FetchState& fetch) { fetch.attempts[0].status = 1000; }));
  CHECK_FALSE(is_taken([](FetchState& fetch) { fetch.attempts[0].failure = "with spaces\n"; }));
}

TEST_CASE("a page from a worker is refused unless it has the form of an answer") {
  CHECK(is_taken_page([](PageAnalysis&) {}));
  CHECK(is_taken_snapshot([](storage::Snapshot& seen) { seen.final_url = "https://me:***@a.example/?key=***"; }));
  for (const char* const url : {"file:///etc/passwd", "javascript:alert(1)", "https://a.example/\nb",
                                "https://a.example/ b", "../x", "https://a.example/\x1b]0;x\x07"}) {
    CAPTURE(url);
    CHECK_FALSE(is_taken_snapshot([url](storage::Snapshot& seen) { seen.final_url = url; }));
    CHECK_FALSE(is_taken_snapshot([url](storage::Snapshot& seen) { seen.redirects = {{url, 301, href}}; }));
  }
  CHECK_FALSE(is_taken_snapshot([](storage::Snapshot& seen) { seen.verdict.reason = "two\nlines"; }));
  CHECK_FALSE(is_taken_snapshot([](storage::Snapshot& seen) { seen.verdict.rule = "\x1b[2J"; }));
  CHECK_FALSE(is_taken_snapshot([](storage::Snapshot& seen) { seen.status = -200; }));
  CHECK_FALSE(is_taken_snapshot([](storage::Snapshot& seen) { seen.status = 1'000'000; }));
  CHECK_FALSE(is_taken_snapshot([](storage::Snapshot& seen) { seen.remote_address = "1.2.3.4\r\nX: y"; }));
  CHECK_FALSE(is_taken_snapshot([](storage::Snapshot& seen) { seen.verdict.evidence.assign(17 << 20, 'x'); }));
  CHECK_FALSE(is_taken_page([](PageAnalysis& page) {
    page.by_status = storage::Verdict{storage::Health::dead, "a\nb", "rule", "", 1.0};
  }));
}

TEST_CASE("the body from a worker must match its digest and so cannot replace the body of another link") {
  CHECK_FALSE(is_taken_page([](PageAnalysis& page) { page.body = "another body"; }));
  CHECK_FALSE(is_taken_snapshot([](storage::Snapshot& seen) { seen.body_digest = "../../x"; }));
  CHECK_FALSE(is_taken_snapshot([](storage::Snapshot& seen) { seen.body_digest.clear(); }));
  CHECK(
      is_taken_page([](PageAnalysis& page) { page.body.clear(); }));  // the body is stored elsewhere, or is not wanted
}

TEST_CASE("hosts in messages are web origins and delay links by at most a week") {
  CHECK(is_taken(storage::HostState{.origin = "https://a.example", .not_before = std::nullopt}));
  for (const char* const origin : {"", "a.example", "https://a.example/", "https://A.example", "https://a.example:443",
                                   "file://", "null", "https://a.example\n", "https://me@a.example"}) {
    CAPTURE(origin);
    CHECK_FALSE(is_taken(storage::HostState{.origin = origin, .not_before = std::nullopt}));
  }
  storage::HostState host{.origin = "https://a.example", .not_before = std::nullopt};
  host.robots.assign(std::size_t{1} << 20, 'x');
  CHECK_FALSE(is_taken(host));
  host.robots.clear();
  host.probe = storage::ProbeResult{.at = {}, .status = 200, .final_url = "https://a.example/\r\nb"};
  CHECK_FALSE(is_taken(host));

  using std::chrono::hours, std::chrono::seconds;
  const Timestamp now{seconds(1'000'000'000)};
  const Timestamp far{hours(24 * 365 * 1000)};
  const storage::HostState waiting{.origin = "https://a.example", .not_before = far};
  CHECK(decode_lease(encode_lease({"run", 0, 1, {waiting}}, now), now).value().hosts[0].not_before ==
        now + hours(7 * 24));
  std::string batch;
  append_request(batch, request_with(validators_of("")), far, now);
  CHECK(decode_requests(batch, now).value()[0]->not_before == now + hours(24));
  PageAnalysis page = page_of_worker();
  page.snapshot.fetched_at = far;
  std::string pages;
  append_page(pages, page_key(), page, now);
  CHECK(decode_pages(pages, now).value().pages[0].analysis.snapshot.fetched_at == now);
  // Neither the earliest nor the latest time is moved beyond the printable range.
  CHECK(moved(Timestamp{}, -hours(1)) == Timestamp{});
  CHECK(moved(Timestamp(hours(24 * 365 * 8100)), hours(24)) < Timestamp(hours(24 * 366 * 8030)));
}

TEST_CASE("progress messages name hosts by their origins") {
  RunProgress progress{.run = "run", .buckets = 8, .started_at = {}, .at = {}, .waiting = {{"https://a.example", {}}}};
  CHECK(decode_progress(encode_progress(progress)).has_value());
  progress.waiting[0].origin = "\x1b]0;x\x07";
  CHECK(decode_progress(encode_progress(progress)).has_error());
}

TEST_CASE("a message with millions of empty parts is refused before it takes memory") {
  constexpr std::size_t many = 2'000'000;
  CHECK(decode_requests(empty_parts(1, many)).has_error());
  CHECK(decode_pages(empty_parts(1, many)).has_error());
  CHECK(has_too_many_parts(MessageKind::pages, empty_parts(2, many)));
  CHECK(decode_lease(empty_parts(4, many)).has_error());
  CHECK(decode_progress(empty_parts(9, many)).has_error());
  CHECK(decode_plan(empty_parts(12, many)).has_error());
  CHECK(decode_piece(empty_parts(3, many)).has_error());
  // A part contains many parts itself: the cookies of a request, or the occurrences of a link.
  const auto nested = [](MessageKind kind, int outer, int inner) {
    const std::string parts = empty_parts(inner, many).substr(1);
    std::string bytes{static_cast<char>(outer << 3 | 2)};
    for (std::size_t rest = parts.size(); rest > 0; rest >>= 7U)
      bytes.push_back(static_cast<char>((rest & 0x7FU) | (rest > 0x7F ? 0x80U : 0U)));
    return has_too_many_parts(kind, bytes + parts);
  };
  CHECK(nested(MessageKind::requests, 1, 12));
  CHECK(nested(MessageKind::pages, 1, 14));
  CHECK(nested(MessageKind::piece, 3, 5));
  CHECK_FALSE(nested(MessageKind::lease, 1, 5));  // a text
}
