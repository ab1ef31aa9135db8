#include "crawler/classify/classify.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "tests/crawler/classify/result_builder.h"

using namespace linkherd;
using namespace linkherd::crawler;
using storage::Health;

TEST_CASE("statuses become verdicts") {
  struct Row {
    int status;
    Health health;
    std::string_view reason;
  };
  const std::vector<Row> rows{
      {200, Health::alive, "ok"},
      {202, Health::suspect, "http_202"},  // without content
      {204, Health::alive, "ok"},
      {206, Health::alive, "ok"},
      {299, Health::alive, "ok"},
      {300, Health::alive, "ok"},
      {301, Health::blocked, "bad_redirect"},
      {305, Health::blocked, "http_305"},
      {308, Health::blocked, "bad_redirect"},
      {400, Health::blocked, "http_400"},
      {401, Health::blocked, "login_required"},
      {402, Health::blocked, "http_402"},
      {403, Health::blocked, "http_403"},
      {404, Health::dead, "http_404"},
      {405, Health::blocked, "http_405"},
      {406, Health::blocked, "http_406"},
      {407, Health::blocked, "http_407"},
      {408, Health::unreachable, "http_408"},
      {409, Health::blocked, "http_409"},
      {410, Health::dead, "http_410"},
      {412, Health::blocked, "http_412"},
      {418, Health::blocked, "http_418"},
      {421, Health::unreachable, "http_421"},
      {425, Health::unreachable, "http_425"},
      {429, Health::blocked, "rate_limited"},
      {451, Health::blocked, "http_451"},
      {499, Health::blocked, "http_499"},
      {500, Health::unreachable, "http_500"},
      {501, Health::unreachable, "http_501"},
      {503, Health::unreachable, "http_503"},
      {511, Health::blocked, "http_511"},
      {521, Health::unreachable, "http_521"},
      {599, Health::unreachable, "http_599"},
      {999, Health::blocked, "http_999"},
      {101, Health::unreachable, "http_101"},
      {0, Health::unreachable, "bad_response"},
      {-1, Health::unreachable, "bad_response"},
      {100000, Health::unreachable, "bad_response"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.status);
    const storage::Verdict verdict = classify(build({.status = row.status}), {});
    CHECK(health_name(verdict) == enum_name(storage::health_names, row.health));
    CHECK(verdict.reason == row.reason);
    CHECK(verdict.rule == "status");
    CHECK(verdict.evidence.find(std::to_string(row.status)) != std::string::npos);
    CHECK(verdict.evidence.ends_with('.'));
  }
}

TEST_CASE("only 404 and 410 are dead") {
  for (int status = 100; status < 1000; ++status) {
    const storage::Verdict verdict = classify(build({.status = status}), {});
    CAPTURE(status);
    CHECK((verdict.health == Health::dead) == (status == 404 || status == 410));
  }
}

TEST_CASE("failures become verdicts") {
  struct Row {
    FailureKind failure;
    Health health;
    std::string_view reason;
  };
  const std::vector<Row> rows{
      {FailureKind::dns_not_found, Health::dead, "dns_not_found"},
      {FailureKind::dns_untrusted, Health::deferred, "outage"},
      {FailureKind::dns_no_address, Health::unreachable, "dns_no_address"},
      {FailureKind::dns_failed, Health::unreachable, "dns_failed"},
      {FailureKind::dns_timeout, Health::unreachable, "dns_timeout"},
      {FailureKind::connection_refused, Health::unreachable, "connection_refused"},
      {FailureKind::connection_reset, Health::unreachable, "connection_reset"},
      {FailureKind::network_unreachable, Health::unreachable, "network_unreachable"},
      {FailureKind::connect_timeout, Health::unreachable, "timeout"},
      {FailureKind::timeout, Health::unreachable, "timeout"},
      {FailureKind::tls_expired, Health::insecure, "tls_expired"},
      {FailureKind::tls_not_yet_valid, Health::insecure, "tls_not_yet_valid"},
      {FailureKind::tls_self_signed, Health::insecure, "tls_self_signed"},
      {FailureKind::tls_untrusted, Health::insecure, "tls_untrusted"},
      {FailureKind::tls_wrong_host, Health::insecure, "tls_wrong_host"},
      {FailureKind::tls_revoked, Health::insecure, "tls_revoked"},
      {FailureKind::tls_weak, Health::insecure, "tls_weak"},
      {FailureKind::tls_invalid, Health::insecure, "tls_invalid"},
      {FailureKind::tls_old_protocol, Health::insecure, "tls_old_protocol"},
      {FailureKind::tls_handshake, Health::unreachable, "tls_handshake"},
      {FailureKind::client_certificate, Health::blocked, "login_required"},
      {FailureKind::bad_response, Health::unreachable, "bad_response"},
      {FailureKind::odd_status_line, Health::blocked, "bad_response"},
      {FailureKind::headers_too_large, Health::unreachable, "headers_too_large"},
      {FailureKind::proxy_unreachable, Health::deferred, "outage"},
      {FailureKind::proxy_login, Health::blocked, "proxy_refused"},
      {FailureKind::proxy_silent, Health::unreachable, "timeout"},
      {FailureKind::proxy_failed, Health::unreachable, "proxy_failed"},
      {FailureKind::proxy_refused, Health::blocked, "proxy_refused"},
      {FailureKind::needs_tor, Health::skipped, "needs_tor"},
      {FailureKind::redirect_loop, Health::dead, "redirect_loop"},
      {FailureKind::too_many_redirects, Health::dead, "too_many_redirects"},
      {FailureKind::bad_redirect, Health::blocked, "bad_redirect"},
      {FailureKind::unsupported_scheme, Health::skipped, "unsupported_scheme"},
      {FailureKind::private_address, Health::skipped, "private_address"},
      {FailureKind::robots_disallowed, Health::skipped, "robots_disallowed"},
      {FailureKind::not_in_archive, Health::skipped, "not_in_archive"},
      {FailureKind::interrupted, Health::deferred, "interrupted"},
      {FailureKind::outage, Health::deferred, "outage"},
      {FailureKind::host_unavailable, Health::deferred, "host_unavailable"},
      {FailureKind::retry_after, Health::deferred, "rate_limited"},
      {FailureKind::deadline, Health::deferred, "deadline"},
  };
  REQUIRE(rows.size() + 1 == failure_names.size());
  for (const Row& row : rows) {
    CAPTURE(enum_name(failure_names, row.failure));
    const storage::Verdict verdict = classify(build({.failure = row.failure}), {});
    CHECK(health_name(verdict) == enum_name(storage::health_names, row.health));
    CHECK(verdict.reason == row.reason);
    CHECK_FALSE(verdict.rule.empty());
    CHECK(verdict.evidence.ends_with('.'));
  }
}

TEST_CASE("a status line proves that the host is alive whatever happened to the body") {
  for (const FailureKind failure : {FailureKind::timeout, FailureKind::connection_reset, FailureKind::bad_response}) {
    CHECK(classify(build({.status = 200, .failure = failure}), {}).health == Health::alive);
    CHECK(classify(build({.status = 404, .failure = failure}), {}).reason == "http_404");
  }
  FetchResult cut = build({.status = 200});
  cut.response.body_state = BodyState::cut;
  const storage::Verdict verdict = classify(cut, {});
  CHECK(verdict.health == Health::alive);
  CHECK(verdict.evidence == "HTTP 200, with a truncated body.");
  // An interrupted check gives no verdict.
  CHECK(classify(build({.status = 200, .failure = FailureKind::interrupted}), {}).health == Health::deferred);
}

TEST_CASE("redirects are permanent only if all hops are permanent") {
  struct Row {
    const char* what;
    std::vector<std::pair<int, std::string_view>> redirects;
    Health health;
    std::string_view reason;
    std::string_view evidence;
  };
  const std::vector<Row> rows{
      {"one",
       {{301, "https://b.example/"}},
       Health::redirected,
       "moved_permanently",
       "HTTP 200 at https://b.example/ after 1 redirect, permanent."},
      {"two",
       {{301, "https://b.example/"}, {308, "https://c.example/"}},
       Health::redirected,
       "moved_permanently",
       "HTTP 200 at https://c.example/ after 2 redirects, all permanent."},
      {"temporary",
       {{302, "https://b.example/"}},
       Health::redirected,
       "moved_temporarily",
       "HTTP 200 at https://b.example/ after 1 redirect, temporary."},
      {"mixed",
       {{301, "https://b.example/"}, {307, "https://c.example/"}},
       Health::redirected,
       "moved_temporarily",
       "HTTP 200 at https://c.example/ after 2 redirects, not all permanent."},
      {"only a slash",
       {{301, "https://a.example/page/"}},
       Health::redirected,
       "moved_permanently",
       "HTTP 200 at https://a.example/page/ after 1 redirect, permanent."},
      {"there and back",
       {{302, "https://b.example/cookie"}, {302, "https://a.example/page#x"}},
       Health::alive,
       "ok",
       "HTTP 200 at https://a.example/page#x after 2 redirects."},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const storage::Verdict verdict = classify(build({.status = 200, .redirects = row.redirects}), {});
    CHECK(health_name(verdict) == enum_name(storage::health_names, row.health));
    CHECK(verdict.reason == row.reason);
    CHECK(verdict.evidence == row.evidence);
  }
}

TEST_CASE("a redirect chain that ends badly is judged by its last answer") {
  const auto end = [](int status, FailureKind failure) {
    return classify(build({.status = status, .failure = failure, .redirects = {{301, "https://b.example/"}}}), {});
  };
  CHECK(end(404, FailureKind::none).reason == "http_404");
  CHECK(end(404, FailureKind::none).evidence == "HTTP 404 at https://b.example/ after 1 redirect: no such page.");
  CHECK(end(503, FailureKind::none).health == Health::unreachable);
  CHECK(end(0, FailureKind::dns_not_found).reason == "dns_not_found");
  CHECK(end(302, FailureKind::redirect_loop).reason == "redirect_loop");
  CHECK(end(302, FailureKind::bad_redirect).health == Health::blocked);
  CHECK(end(0, FailureKind::private_address).health == Health::skipped);
}

TEST_CASE("not modified counts only as an answer to a conditional request") {
  FetchResult asked = build({.status = 304});
  asked.request = FetchRequest({}, asked.link_url.href(),
                               Validators{.url = "https://a.example/page", .etag = "\"x\"", .last_modified = ""});
  CHECK(classify(asked, {}).reason == "not_modified");
  CHECK(classify(asked, {}).confidence == 1.0);

  const storage::Verdict unasked = classify(build({.status = 304}), {});
  CHECK(unasked.health == Health::alive);
  CHECK(unasked.reason == "ok");
  CHECK(unasked.confidence < 1.0);

  FetchResult moved = build({.status = 304, .redirects = {{301, "https://b.example/"}}});
  moved.request = FetchRequest({}, moved.link_url.href(),
                               Validators{.url = "https://b.example/", .etag = "\"x\"", .last_modified = ""});
  CHECK(classify(moved, {}).reason == "moved_permanently");
}

TEST_CASE("the verdict on a bad certificate names the answer without verification") {
  const storage::Verdict there = classify(build({.failure = FailureKind::tls_expired,
                                                 .failure_detail = "certificate expired on 2024-05-01",
                                                 .unverified_status = 200}),
                                          {});
  CHECK(there.health == Health::insecure);
  CHECK(there.evidence == "Certificate expired on 2024-05-01; without verification the server answers HTTP 200.");
  const storage::Verdict nothing = classify(build({.failure = FailureKind::tls_self_signed}), {});
  CHECK(nothing.health == Health::insecure);
  CHECK(nothing.evidence == "The certificate is self-signed; without verification there is no response either.");
}

TEST_CASE("a link that was answered 429 is blocked and one that was not requested is deferred") {
  CHECK(classify(build({.status = 429, .failure = FailureKind::retry_after}), {}).health == Health::blocked);
  CHECK(classify(build({.status = 429, .failure = FailureKind::retry_after}), {}).reason == "rate_limited");
  CHECK(classify(build({.status = 503, .failure = FailureKind::retry_after}), {}).health == Health::unreachable);
  CHECK(classify(build({.failure = FailureKind::retry_after}), {}).health == Health::deferred);

  FetchResult asked_before = build({.failure = FailureKind::retry_after});
  asked_before.attempts.push_back(
      {.at = {}, .url = "https://a.example/page", .status = 429, .failure = "", .milliseconds = 1});
  CHECK(classify(asked_before, {}).health == Health::blocked);
  CHECK(classify(asked_before, {}).reason == "rate_limited");

  FetchResult limited = build({.status = 429});
  limited.response.retry_at = parse_timestamp("2026-03-05T10:20:00Z").value();
  CHECK(classify(limited, {}).evidence ==
        "HTTP 429: too many requests; the host asks to wait until 2026-03-05T10:20:00Z.");
}

TEST_CASE("a redirect to a login page is a wall and not a moved page") {
  struct Row {
    std::string_view from, to;
    bool wall;
  };
  const std::vector<Row> rows{
      {"https://a.example/doc", "https://a.example/login?next=/doc", true},
      {"https://a.example/doc", "https://a.example/users/sign_in", true},
      {"https://a.example/doc", "https://a.example/Login.aspx", true},
      {"https://a.example/doc", "https://accounts.google.com/ServiceLogin?x", true},
      {"https://a.example/doc", "https://passport.a.example/", true},
      {"https://www.zhihu.com/question/1", "https://www.zhihu.com/signin?next=%2Fquestion%2F1", true},
      {"https://a.example/doc", "https://a.example/login-without-fear", false},
      {"https://a.example/doc", "https://a.example/docs/loginform", false},
      {"https://a.example/doc", "https://login/", false},
      {"http://a.example/login", "https://a.example/login", false},
      {"https://a.example/doc", "https://a.example/other?to=/login", false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.to);
    const storage::Verdict verdict =
        classify(build({.url = row.from, .status = 200, .redirects = {{302, row.to}}}), {});
    CHECK((verdict.reason == "login_required") == row.wall);
    CHECK(health_name(verdict) == (row.wall ? "blocked" : "redirected"));
  }
}
