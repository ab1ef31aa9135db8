#include "crawler/fetch/hop_state_machine.h"

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "crawler/fetch/http/redirect.h"
#include "parser/timestamp.h"

namespace linkherd::crawler {

namespace {

parser::Url url_of(const std::string& text) { return *parser::Url::parse(text); }

PendingFetch pending(const std::string& url) {
  const parser::Url parsed = url_of(url);
  return PendingFetch(FetchRequest(storage::LinkId::of(parsed), parsed.href()));
}

HopAnswer answered(int status, std::vector<Header> headers = {}) {
  HopAnswer answer;
  answer.status = status;
  answer.connection = ConnectionUse::opened;
  answer.headers = std::move(headers);
  return answer;
}

const Timestamp now = *parse_timestamp("2026-03-05T10:00:00Z");

}  // namespace

TEST_CASE("a Location header is resolved against the URL that sent it") {
  struct Row {
    std::string from;
    std::string location;
    std::string to;  // empty: refused
  };
  const Row rows[] = {{"http://a.test/x/y?q", "z", "http://a.test/x/z"},
                      {"http://a.test/x", "//b.test", "http://b.test/"},
                      {"https://a.test/x", "?p", "https://a.test/x?p"},
                      {"http://a.test/#f", "/b", "http://a.test/b#f"},
                      {"http://a.test/#f", "/b#g", "http://a.test/b#g"},
                      {"http://a.test/#f", "/b#", "http://a.test/b#"},
                      {"http://u:p@a.test/x", "/y", "http://u:p@a.test/y"},
                      {"http://u:p@a.test/x", "http://b.test/y", "http://b.test/y"},
                      {"http://u:p@a.test/x", "//b.test/y", "http://b.test/y"},
                      {"http://a.test/", "\\\\b.test\\c", "http://b.test/c"},
                      {"http://a.test/", "/\xe4\xbd\xa0", "http://a.test/%E4%BD%A0"},
                      {"http://a.test/#f", "mailto:a@b.test", "mailto:a@b.test"},
                      {"http://a.test/", "file:///etc/passwd", "file:///etc/passwd"},
                      {"http://a.test/", "http://", ""},
                      {"http://a.test/", "", ""}};
  for (const Row& row : rows) {
    CAPTURE(row.location);
    const auto to = redirect_target(url_of(row.from), row.location);
    CHECK((to ? std::string(to->href()) : "") == row.to);
    if (!to) CHECK_FALSE(to.error().message.empty());
  }
}

TEST_CASE("a redirect becomes a new hop with fresh state") {
  PendingFetch fetch = pending("http://a.test/");
  fetch.retries = 2;
  fetch.needs_fresh_connection = true;
  HopAnswer answer = answered(301, {{"location", "https://a.test/"}});
  CHECK(make_next_hop(fetch, answer, {}, now, 0.5));
  CHECK(fetch.url.href() == "https://a.test/");
  CHECK(fetch.retries == 0);
  CHECK_FALSE(fetch.needs_fresh_connection);
  CHECK(fetch.redirects == std::vector<storage::Redirect>{{"http://a.test/", 301, "https://a.test/"}});
}

TEST_CASE("a redirect to another fragment of the same URL is a loop") {
  PendingFetch fetch = pending("http://a.test/x");
  HopAnswer answer = answered(302, {{"location", "#y"}});
  CHECK_FALSE(make_next_hop(fetch, answer, {}, now, 0.5));
  CHECK(answer.failure == FailureKind::redirect_loop);
}

TEST_CASE("exactly as many redirects as allowed are followed") {
  FetchOptions options;
  options.max_redirects = 2;
  PendingFetch fetch = pending("http://a.test/0");
  for (const std::string next : {"/1", "/2"}) {
    HopAnswer answer = answered(302, {{"location", next}});
    CHECK(make_next_hop(fetch, answer, options, now, 0.5));
  }
  HopAnswer answer = answered(302, {{"location", "/3"}});
  CHECK_FALSE(make_next_hop(fetch, answer, options, now, 0.5));
  CHECK(answer.failure == FailureKind::too_many_redirects);
  CHECK(fetch.redirects.size() == 3);
}

TEST_CASE("a page with its own redirect becomes the next hop under the same rules") {
  const auto refresh_to = [](std::string to) { return answered(200, {{"refresh", "0; url=" + std::move(to)}}); };
  PendingFetch fetch = pending("http://a.test/#part");
  HopAnswer answer = refresh_to("/new");
  CHECK(make_next_hop(fetch, answer, {}, now, 0.5));
  CHECK(fetch.url.href() == "http://a.test/new#part");
  REQUIRE(fetch.redirects.size() == 1);
  CHECK(fetch.redirects.front().kind == parser::RedirectKind::refresh_header);
  CHECK_FALSE(fetch.redirects.front().permanent());

  answer = refresh_to("/");
  CHECK_FALSE(make_next_hop(fetch, answer, {}, now, 0.5));
  CHECK(answer.failure == FailureKind::redirect_loop);

  FetchOptions options;
  options.max_redirects = 0;
  fetch.redirects.clear();
  answer = refresh_to("/other");
  CHECK_FALSE(make_next_hop(fetch, answer, options, now, 0.5));
  CHECK(answer.failure == FailureKind::too_many_redirects);

  options = {};
  options.is_known_page = [](const PendingFetch&, HopAnswer&) { return true; };
  PendingFetch known = pending("http://a.test/");
  answer = refresh_to("/other");
  CHECK_FALSE(make_next_hop(known, answer, options, now, 0.5));
  CHECK(answer.failure == FailureKind::none);
  CHECK(known.redirects.empty());

  for (const auto& [status, to] : std::vector<std::pair<int, std::string>>{
           {404, "/new"}, {503, "/new"}, {200, "http://a.test/#x"}, {200, "mailto:a@b.test"}}) {
    PendingFetch page = pending("http://a.test/");
    answer = answered(status, {{"refresh", "0; url=" + to}});
    make_next_hop(page, answer, {}, now, 0.5);
    CHECK(page.redirects.empty());
  }
}

TEST_CASE("an archive request follows three redirects for up to 30 seconds and its answer is not cut") {
  PendingFetch fetch(FetchRequest::follow_up(Purpose::archive, url_of("http://a.test/0")));
  CHECK(time_left(fetch, {}) == std::chrono::seconds(30));
  CHECK(time_left(pending("http://a.test/0"), {}) == FetchOptions().link_timeout);
  for (const std::string next : {"/1", "/2", "/3"}) {
    HopAnswer answer = answered(302, {{"location", next}});
    CHECK(make_next_hop(fetch, answer, {}, now, 0.5));
  }
  HopAnswer answer = answered(302, {{"location", "/4"}});
  CHECK_FALSE(make_next_hop(fetch, answer, {}, now, 0.5));
  CHECK(answer.failure == FailureKind::too_many_redirects);
  CHECK(fetch.request.body_limit(100) == std::size_t{2} << 20);
  CHECK(pending("http://a.test/0").request.body_limit(100) == 100);
}

TEST_CASE("a retry waits at least as long as the server asked") {
  PendingFetch fetch = pending("http://a.test/");
  HopAnswer answer = answered(503);
  answer.retry_at = now + std::chrono::seconds(30);
  CHECK(make_next_hop(fetch, answer, {}, now, 0.0));
  CHECK(fetch.retries == 1);
  REQUIRE(fetch.not_before);
  CHECK(*fetch.not_before == now + std::chrono::seconds(30));
  HopAnswer too_long = answered(503);
  too_long.retry_at = now + std::chrono::seconds(3000);
  CHECK_FALSE(make_next_hop(fetch, too_long, {}, now, 0.0));
}

TEST_CASE("a final status makes no new hop") {
  PendingFetch fetch = pending("http://a.test/");
  for (const int status : {200, 204, 304, 300, 404, 410, 999}) {
    CAPTURE(status);
    HopAnswer answer = answered(status);
    CHECK_FALSE(make_next_hop(fetch, answer, {}, now, 0.5));
    CHECK(answer.failure == FailureKind::none);
  }
  CHECK(fetch.redirects.empty());
}

TEST_CASE("a refused plain request may be repeated once as a browser would send it") {
  const FetchOptions options;
  for (const int status : {400, 403, 405, 406}) {
    PendingFetch fetch = pending("https://a.test/");
    CAPTURE(status);
    CHECK(may_retry_as_browser(fetch, answered(status), options));
    make_browser_hop(fetch, answered(status));
    CHECK(fetch.should_imitate_browser);
    REQUIRE(fetch.refusal);
    CHECK(fetch.refusal->status == status);
    CHECK_FALSE(may_retry_as_browser(fetch, answered(status), options));
  }
  PendingFetch fetch = pending("https://a.test/");
  for (const int status : {200, 301, 401, 404, 410, 412, 429, 451, 500, 503, 999}) {
    CAPTURE(status);
    CHECK_FALSE(may_retry_as_browser(fetch, answered(status), options));
  }
  FetchOptions off;
  off.retry_as_browser = false;
  CHECK_FALSE(may_retry_as_browser(fetch, answered(403), off));
  FetchOptions walls;
  walls.is_wall = [](const HopAnswer& answer) { return answer.header("cf-mitigated") == "challenge"; };
  CHECK_FALSE(may_retry_as_browser(fetch, answered(403, {{"cf-mitigated", "challenge"}}), walls));
  CHECK(may_retry_as_browser(fetch, answered(403), walls));
}

TEST_CASE("a kept refusal is cut to 64 KiB and dropped with the next hop") {
  const FetchOptions options;
  PendingFetch fetch = pending("https://a.test/");
  HopAnswer refusal = answered(403);
  refusal.body.assign(1'000'000, 'x');
  make_browser_hop(fetch, std::move(refusal));
  CHECK(fetch.refusal->body.size() == 65'536);
  CHECK_FALSE(fetch.refusal->is_body_complete());
  HopAnswer moved = answered(302, {{"location", "/b"}});
  REQUIRE(make_next_hop(fetch, moved, options, now, 0));
  CHECK_FALSE(fetch.should_imitate_browser);
  CHECK_FALSE(fetch.refusal);
}

TEST_CASE("only an answer about the page overrides a refusal") {
  for (const int status : {200, 204, 301, 304, 404, 410}) CHECK(is_no_refusal(answered(status)));
  for (const int status : {400, 401, 403, 405, 406, 412, 429, 500, 503, 999})
    CHECK_FALSE(is_no_refusal(answered(status)));
  CHECK_FALSE(is_no_refusal(failed_hop(FailureKind::timeout, "")));
}

}  // namespace linkherd::crawler
