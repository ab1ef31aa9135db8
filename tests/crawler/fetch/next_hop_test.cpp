#include "crawler/fetch/next_hop.h"

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "crawler/fetch/http/redirect.h"
#include "parser/timestamp.h"

namespace linkherd::crawler {

namespace {

parser::Url url_of(const std::string& text) { return *parser::Url::parse(text); }

FetchState pending(const std::string& url) {
  const parser::Url parsed = url_of(url);
  return FetchState(FetchRequest(storage::LinkId::of(parsed), parsed.href()));
}

AttemptResult answered(int status, std::vector<storage::ResponseHeader> headers = {}) {
  AttemptResult response;
  response.status = status;
  response.connection = ConnectionUse::opened;
  response.headers = std::move(headers);
  return response;
}

const Timestamp now = *parse_timestamp("2026-03-05T10:00:00Z");

EndedAttempt ended(FetchState& fetch, AttemptResult& response, const FetchOptions& options, double jitter = 0.5) {
  return {.fetch = fetch,
          .response = response,
          .options = options,
          .now = now,
          .jitter = jitter,
          .may_change_version = true,
          .may_imitate_browser = true};
}

bool goes_on(FetchState& fetch, AttemptResult& response, const FetchOptions& options = {}, double jitter = 0.5) {
  EndedAttempt hop = ended(fetch, response, options, jitter);
  return make_next_hop(hop);
}

AttemptResult in_doubt(AttemptResult response) {
  response.version = HttpVersion::in_doubt;
  return response;
}

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
  FetchState fetch = pending("http://a.test/");
  fetch.retries = 2;
  fetch.needs_fresh_connection = true;
  AttemptResult response = answered(301, {{"location", "https://a.test/"}});
  CHECK(goes_on(fetch, response));
  CHECK(fetch.hop_url.href() == "https://a.test/");
  CHECK(fetch.retries == 0);
  CHECK_FALSE(fetch.needs_fresh_connection);
  CHECK(fetch.redirects == std::vector<storage::Redirect>{{"http://a.test/", 301, "https://a.test/"}});
}

TEST_CASE("a redirect to another fragment of the same URL is a loop") {
  FetchState fetch = pending("http://a.test/x");
  AttemptResult response = answered(302, {{"location", "#y"}});
  CHECK_FALSE(goes_on(fetch, response));
  CHECK(response.failure == FailureKind::redirect_loop);
}

TEST_CASE("exactly as many redirects as allowed are followed") {
  FetchOptions options;
  options.max_redirects = 2;
  FetchState fetch = pending("http://a.test/0");
  for (const std::string next : {"/1", "/2"}) {
    AttemptResult response = answered(302, {{"location", next}});
    CHECK(goes_on(fetch, response, options));
  }
  AttemptResult response = answered(302, {{"location", "/3"}});
  CHECK_FALSE(goes_on(fetch, response, options));
  CHECK(response.failure == FailureKind::too_many_redirects);
  CHECK(fetch.redirects.size() == 3);
}

TEST_CASE("a page with its own redirect becomes the next hop under the same rules") {
  const auto refresh_to = [](std::string to) { return answered(200, {{"refresh", "0; url=" + std::move(to)}}); };
  FetchState fetch = pending("http://a.test/#part");
  AttemptResult response = refresh_to("/new");
  CHECK(goes_on(fetch, response));
  CHECK(fetch.hop_url.href() == "http://a.test/new#part");
  REQUIRE(fetch.redirects.size() == 1);
  CHECK(fetch.redirects.front().kind == parser::RedirectKind::refresh_header);
  CHECK_FALSE(fetch.redirects.front().permanent());

  response = refresh_to("/");
  CHECK_FALSE(goes_on(fetch, response));
  CHECK(response.failure == FailureKind::redirect_loop);

  FetchOptions options;
  options.max_redirects = 0;
  fetch.redirects.clear();
  response = refresh_to("/other");
  CHECK_FALSE(goes_on(fetch, response, options));
  CHECK(response.failure == FailureKind::too_many_redirects);

  options = {};
  options.is_known_page = [](const FetchState&, AttemptResult&) { return true; };
  FetchState known = pending("http://a.test/");
  response = refresh_to("/other");
  CHECK_FALSE(goes_on(known, response, options));
  CHECK(response.failure == FailureKind::none);
  CHECK(known.redirects.empty());

  for (const auto& [status, to] : std::vector<std::pair<int, std::string>>{
           {404, "/new"}, {503, "/new"}, {200, "http://a.test/#x"}, {200, "mailto:a@b.test"}}) {
    FetchState page = pending("http://a.test/");
    response = answered(status, {{"refresh", "0; url=" + to}});
    goes_on(page, response);
    CHECK(page.redirects.empty());
  }
}

TEST_CASE("an archive request follows three redirects for up to 30 seconds and its response is not cut") {
  FetchState fetch(FetchRequest::follow_up(Purpose::archive, url_of("http://a.test/0")));
  CHECK(time_left(fetch, {}) == std::chrono::seconds(30));
  CHECK(time_left(pending("http://a.test/0"), {}) == FetchOptions().link_timeout);
  for (const std::string next : {"/1", "/2", "/3"}) {
    AttemptResult response = answered(302, {{"location", next}});
    CHECK(goes_on(fetch, response));
  }
  AttemptResult response = answered(302, {{"location", "/4"}});
  CHECK_FALSE(goes_on(fetch, response));
  CHECK(response.failure == FailureKind::too_many_redirects);
  CHECK(fetch.request.body_limit(100) == std::size_t{2} << 20);
  CHECK(pending("http://a.test/0").request.body_limit(100) == 100);
}

TEST_CASE("a retry waits at least as long as the server asked") {
  FetchState fetch = pending("http://a.test/");
  AttemptResult response = answered(503);
  response.retry_at = now + std::chrono::seconds(30);
  CHECK(goes_on(fetch, response, {}, 0.0));
  CHECK(fetch.retries == 1);
  REQUIRE(fetch.not_before);
  CHECK(*fetch.not_before == now + std::chrono::seconds(30));
  AttemptResult too_long = answered(503);
  too_long.retry_at = now + std::chrono::seconds(3000);
  CHECK_FALSE(goes_on(fetch, too_long, {}, 0.0));
}

TEST_CASE("a final status makes no new hop") {
  FetchState fetch = pending("http://a.test/");
  for (const int status : {200, 204, 304, 300, 404, 410, 999}) {
    CAPTURE(status);
    AttemptResult response = answered(status);
    CHECK_FALSE(goes_on(fetch, response));
    CHECK(response.failure == FailureKind::none);
  }
  CHECK(fetch.redirects.empty());
}

TEST_CASE("a refused plain request may be repeated once as a browser would send it") {
  const auto is_repeated = [](const AttemptResult& refusal, const FetchOptions& options = {}, bool is_as_usual = true) {
    FetchState fetch = pending("https://a.test/");
    AttemptResult response = answered(refusal.status, refusal.headers);
    EndedAttempt hop = ended(fetch, response, options);
    hop.may_imitate_browser = is_as_usual;
    const bool is_next = make_next_hop(hop) && fetch.alternative == Alternative::browser;
    if (is_next) CHECK(fetch.refusal->status == refusal.status);
    return is_next;
  };
  for (const int status : {400, 403, 405, 406}) {
    CAPTURE(status);
    CHECK(is_repeated(answered(status)));
    CHECK_FALSE(is_repeated(answered(status), {}, false));
  }
  for (const int status : {200, 301, 401, 404, 410, 412, 429, 451, 500, 503, 999}) {
    CAPTURE(status);
    CHECK_FALSE(is_repeated(answered(status)));
  }
  FetchOptions off;
  off.retry_as_browser = false;
  CHECK_FALSE(is_repeated(answered(403), off));
  FetchOptions walls;
  walls.is_wall = [](const AttemptResult& response) { return response.header("cf-mitigated") == "challenge"; };
  CHECK_FALSE(is_repeated(answered(403, {{"cf-mitigated", "challenge"}}), walls));
  CHECK(is_repeated(answered(403), walls));
}

TEST_CASE("a kept refusal is cut to 64 KiB and dropped with the next hop") {
  FetchState fetch = pending("https://a.test/");
  AttemptResult refusal = answered(403);
  refusal.body.assign(1'000'000, 'x');
  REQUIRE(goes_on(fetch, refusal));
  CHECK(fetch.refusal->body.size() == 65'536);
  CHECK_FALSE(fetch.refusal->is_body_complete());
  AttemptResult moved = answered(302, {{"location", "/b"}});
  REQUIRE(goes_on(fetch, moved));
  CHECK(fetch.alternative == Alternative::none);
  CHECK_FALSE(fetch.refusal);
}

// Each rule has a response to which no other rule applies, so none is superfluous or hidden by an earlier one.
TEST_CASE("each rule for the next hop applies to a response of its own") {
  struct Row {
    NextHop next;
    MethodPlan method;
    AttemptResult (*response)();
  };
  const Row rows[] = {{NextHop::other_version, MethodPlan::get, [] { return in_doubt(answered(505)); }},
                      {NextHop::redirect, MethodPlan::get,
                       [] {
                         return answered(301, {{"location", "/b"}});
                       }},
                      {NextHop::page_redirect, MethodPlan::get,
                       [] {
                         return answered(200, {{"refresh", "0; url=/b"}});
                       }},
                      {NextHop::get_after_head, MethodPlan::head_then_get, [] { return answered(501); }},
                      {NextHop::retry, MethodPlan::get, [] { return answered(503); }},
                      {NextHop::browser, MethodPlan::get, [] { return answered(403); }}};
  REQUIRE(std::size(rows) == next_hop_rules.size());
  for (const Row& row : rows) {
    FetchOptions options;
    options.method = row.method;
    for (const NextHopRule& rule : next_hop_rules) {
      FetchState fetch = pending("https://a.test/");
      AttemptResult response = row.response();
      CAPTURE(response.status);
      EndedAttempt hop = ended(fetch, response, options);
      CHECK(rule.apply(hop).has_value() == (rule.next == row.next));
    }
  }
}

TEST_CASE("of two rules for the next hop, the first decides") {
  FetchOptions head;
  head.method = MethodPlan::head_then_get;
  FetchState doubtful = pending("https://a.test/");
  AttemptResult reset = in_doubt(failed_attempt(FailureKind::connection_reset, ""));
  CHECK(goes_on(doubtful, reset));  // a temporary failure, too
  CHECK(doubtful.alternative == Alternative::other_version);
  CHECK(doubtful.retries == 0);

  FetchState by_head = pending("https://a.test/");
  AttemptResult unavailable = answered(503);
  CHECK(goes_on(by_head, unavailable, head));
  CHECK(by_head.should_use_get);
  CHECK(by_head.retries == 0);

  FetchState refused = pending("https://a.test/");
  AttemptResult forbidden = answered(403);
  CHECK(goes_on(refused, forbidden, head));
  CHECK(refused.alternative == Alternative::none);
}

TEST_CASE("after a timeout, the next attempt of any kind uses the other version of HTTP") {
  for (const MethodPlan method : {MethodPlan::get, MethodPlan::head_then_get}) {
    FetchOptions options;
    options.method = method;
    FetchState fetch = pending("https://a.test/");
    AttemptResult timeout = in_doubt(failed_attempt(FailureKind::timeout, ""));
    CHECK(goes_on(fetch, timeout, options));
    CHECK(fetch.alternative == Alternative::other_version);
    CHECK(fetch.needs_fresh_connection);
    CHECK(fetch.should_use_get == (method == MethodPlan::head_then_get));
    CHECK(fetch.refusal->failure == FailureKind::timeout);
  }
}

TEST_CASE("only a response about the page overrides a refusal") {
  for (const int status : {200, 204, 301, 304, 404, 410}) CHECK(is_no_refusal(answered(status)));
  for (const int status : {400, 401, 403, 405, 406, 412, 429, 500, 503, 999})
    CHECK_FALSE(is_no_refusal(answered(status)));
  CHECK_FALSE(is_no_refusal(failed_attempt(FailureKind::timeout, "")));
}

}  // namespace linkherd::crawler
