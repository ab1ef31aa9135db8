// Tests responses that violate HTTP/1.1 or use it in extreme ways.
#include <curl/curl.h>
#include <fmt/format.h>

#include "crawler/classify/classify.h"
#include "tests/crawler/fetch/hostile/hostile_case.h"

namespace linkherd::tests {

namespace {

using std::chrono::milliseconds;

const std::string status_line = "HTTP/1.1 200 OK\r\n";
const std::string html = "Content-Type: text/html\r\n";

std::string answer(int status, std::string_view headers = {}, std::string_view body = {}) {
  return fmt::format(
      "HTTP/1.1 {} Whatever\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n{}\r\n{}", status,
      body.size(), headers, body);
}

std::string chunked(std::string_view chunks, std::string_view headers = {}) {
  return status_line + html + "Transfer-Encoding: chunked\r\n" + std::string(headers) + "\r\n" + std::string(chunks);
}

// The status was received, which is enough. The headers were not.
void headers_are_broken(const crawler::FetchResult& result) {
  CHECK(result.response.status == 200);
  CHECK(result.response.failure == crawler::FailureKind::none);
  CHECK_FALSE(result.response.detail.empty());
  CHECK(result.attempts.size() == 1);
}
void body_is_hello(const crawler::FetchResult& result) { CHECK(result.response.body == "<p>hello</p>"); }

}  // namespace

TEST_CASE("endless headers are cut and the status counts") {
  survive(respond_endlessly(status_line, "X-Header: 0123456789\r\n"), {}, {.check_result = headers_are_broken});
}
TEST_CASE("a header of 80 kB is cut and the status counts") {
  survive(respond_with(status_line + "X: " + std::string(80'000, 'x') + "\r\n\r\n"), {},
          {.check_result = headers_are_broken});
}
TEST_CASE("a header above the limit of curl is cut and the status counts") {
  survive(respond_with(status_line + "X: " + std::string(150'000, 'x') + "\r\n\r\n"), {},
          {.check_result = headers_are_broken});
}
TEST_CASE("an endless header is cut and the status counts") {
  survive(respond_endlessly(status_line + "X: ", std::string(1000, 'x')), {}, {.check_result = headers_are_broken});
}
TEST_CASE("a 404 with a header above the limit of curl is dead") {
  survive(respond_with("HTTP/1.1 404 Gone\r\nX: " + std::string(150'000, 'x') + "\r\n\r\n"),
          {Health::dead, "http_404"});
}
TEST_CASE("a redirect with a header above the limit of curl is followed") {
  survive(respond_in_turn({"HTTP/1.1 302 Found\r\nLocation: /other\r\nX: " + std::string(150'000, 'x') + "\r\n\r\n",
                           ok("Connection: close\r\n")}),
          {Health::redirected, "moved_temporarily"});
}
TEST_CASE("a redirect with a Location that is too long is blocked") {
  for (const std::size_t length : {std::size_t{80'000}, std::size_t{150'000}}) {
    survive(respond_with("HTTP/1.1 302 Found\r\nLocation: /" + std::string(length, 'x') + "\r\n\r\n"),
            {Health::blocked, "bad_redirect"}, {.check_result = [](const crawler::FetchResult& result) {
              CHECK(result.redirects.empty());
              CHECK(result.response.detail.starts_with("a redirect whose target cannot be read: "));
            }});
  }
}
TEST_CASE("an endless status line is unreachable") {
  survive(respond_endlessly("HTTP/1.1 200 ", std::string(1000, 'O')), {Health::unreachable, "headers_too_large"});
}
TEST_CASE("a reason phrase of 10 kB is accepted") {
  survive(respond_with("HTTP/1.1 200 " + std::string(10'000, 'O') + "\r\n" + html + "Content-Length: 0\r\n\r\n"), {});
}
TEST_CASE("endless interim answers are unreachable") {
  survive(respond_endlessly("", "HTTP/1.1 100 Continue\r\n\r\n"), {Health::unreachable, "headers_too_large"});
}
TEST_CASE("early hints before the answer are skipped") {
  survive(respond_with("HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n" + ok("")), {},
          {.check_result = body_is_hello});
}
TEST_CASE("early hints without an answer are unreachable") {
  survive(respond_with("HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"), {Health::unreachable, "bad_response"});
}
TEST_CASE("ten thousand cookies do no harm") {
  std::string cookies;
  for (int i = 0; i < 10'000; ++i) cookies += "Set-Cookie: c" + std::to_string(i) + "=1\r\n";
  survive(respond_with(ok(cookies)), {});
}
TEST_CASE("cookies above the header limit are cut and the status counts") {
  std::string cookies;
  for (int i = 0; i < 10'000; ++i) cookies += "Set-Cookie: c" + std::to_string(i) + "=0123456789012345\r\n";
  survive(respond_with(ok(cookies)), {}, {.check_result = headers_are_broken});
}

TEST_CASE("an answer without headers is unreachable") {
  survive(respond_with("<html>hello</html>"), {Health::unreachable, "bad_response"});
}
TEST_CASE("binary garbage is unreachable") {
  survive(respond_with(std::string(5000, '\0') + "\xff\xfe"), {Health::unreachable, "bad_response"});
}
TEST_CASE("the greeting of another protocol is named") {
  struct Row {
    std::string bytes;
    std::string words;
  };
  const std::vector<Row> rows{{"SSH-2.0-OpenSSH_9.2p1\r\n", "the server speaks SSH, not HTTP"},
                              {"220 mail.test ESMTP\r\n", "the server speaks SMTP, not HTTP"},
                              {std::string("\x15\x03\x01\x00\x02\x02\x46", 7), "the server speaks TLS, not HTTP"},
                              {"* OK IMAP4rev1\r\n", "the server speaks IMAP, not HTTP"}};
  for (const Row& row : rows) {
    CAPTURE(row.words);
    survive(
        respond_with(row.bytes), {Health::unreachable, "bad_response"},
        {.check_result = [&row](const crawler::FetchResult& result) { CHECK(result.response.detail == row.words); }});
  }
}
TEST_CASE("a greeting on an open connection is named at once") {
  survive(
      [](ServerConnection& client) {
        client.read_request(), client.send("220 mail.test ESMTP\r\n"), client.wait_for_end();
      },
      {Health::unreachable, "bad_response"});
}
TEST_CASE("empty lines before the status line are skipped") {
  for (const std::string before : {"\r\n", "\r\n\r\n\r\n", "\n", " \r\n", "\xef\xbb\xbf"}) {
    CAPTURE(before.size());
    survive(respond_with(before + ok("")), {}, {.check_result = body_is_hello});
    survive(
        [&before](ServerConnection& client) {
          client.read_request(), client.send(before + ok("")), client.wait_for_end();
        },
        {}, {.check_result = body_is_hello});
  }
}
TEST_CASE("empty lines before any kind of answer are skipped") {
  survive(respond_with("\r\n" + answer(404)), {Health::dead, "http_404"});
  survive(respond_with("\r\n" + chunked("c\r\n<p>hello</p>\r\n0\r\n\r\n")), {}, {.check_result = body_is_hello});
  survive(respond_in_turn({"\r\n" + redirect("/other"), ok("Connection: close\r\n")}),
          {Health::redirected, "moved_temporarily"});
  survive(respond_with("\r\n" + status_line + html + "\r\n<p>hello</p>"), {}, {.check_result = body_is_hello});
  survive(respond_with("\r\n" + status_line + html + "Content-Length: 999\r\n\r\n<p>hello</p>"), {},
          {.check_result = check_body_truncated});
  survive(respond_with("\r\nHTTP/1.1 103 Early Hints\r\n\r\n" + ok("")), {}, {.check_result = body_is_hello});
}
TEST_CASE("empty lines that arrive byte by byte are skipped") {
  survive(respond_slowly("\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", milliseconds(1)), {});
}
TEST_CASE("status lines are read as leniently as browsers read them") {
  for (const std::string line : {"http/1.1 200 OK", "ICY 200 OK", "HTTP 200 OK", "HTTP/1.1 200"}) {
    CAPTURE(line);
    survive(respond_with(line + "\r\n" + html + "Content-Length: 12\r\n\r\n<p>hello</p>"), {},
            {.check_result = body_is_hello});
  }
}
// curl 7 reads them, curl 8 does not, and the link never becomes dead.
TEST_CASE("a status line that only older versions of curl read is not dead") {
  for (const std::string line : {"HTTP/1.1  200 OK", "HTTP/2 200 OK"}) {
    CAPTURE(line);
    const Expected expected = curl_version_info(CURLVERSION_NOW)->version_num >= 0x080000
                                  ? Expected{Health::blocked, "bad_response"}
                                  : Expected{};
    survive(respond_with(line + "\r\n" + html + "Content-Length: 12\r\n\r\n<p>hello</p>"), expected);
  }
}
// Chromium shows the page after each of these status lines, but curl rejects them. Without the page the verdict is
// uncertain, so the link never becomes dead.
TEST_CASE("a status line that only browsers read is blocked and not dead") {
  for (const std::string line :
       {"HTTP/1 200 OK", "HTTP/1.1\t200 OK", "HTTP/1.1\t404\tNot Found", "HTTP/ 200 OK", "HTTP/1.2 200 OK",
        "HTTP/1.10 200 OK", "HTTP/0.9 200 OK", "HTTP/3 200 OK", "HTTP/9.9 200 OK", "HTTP/1.1: 200 OK", "HTTP/1.1 OK",
        "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 000 Nothing", "HTTP/1.1 -200 OK"}) {
    CAPTURE(line);
    survive(respond_with(line + "\r\n" + html + "Content-Length: 12\r\n\r\n<p>hello</p>"),
            {Health::blocked, "bad_response"}, {.check_result = [](const crawler::FetchResult& result) {
              CHECK(result.response.detail ==
                    "the server's status line is not one of HTTP/1; a browser may still show the page");
              CHECK(result.attempts.size() == 1);
            }});
  }
}
TEST_CASE("a status line that both curl and browsers read is accepted") {
  for (const std::string line :
       {"HTTP/1.1 200\tOK", "HTTP/1.1 200OK", "HTTP/1.1 200.1 OK", "HTTP/2.0 200 OK", "HTTP/1.0 200"}) {
    CAPTURE(line);
    survive(respond_with(line + "\r\n" + html + "Content-Length: 12\r\n\r\n<p>hello</p>"), {},
            {.check_result = body_is_hello});
  }
}
TEST_CASE("a status line without reason phrase is accepted") {
  survive(respond_with("HTTP/1.1 200\r\n" + html + "Content-Length: 0\r\n\r\n"), {});
}
TEST_CASE("a second answer after the first one is ignored") {
  survive(respond_with(ok("") + answer(404)), {}, {.check_result = body_is_hello});
}
TEST_CASE("bare line feeds end header lines") {
  survive(respond_with("HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: 12\n\n<p>hello</p>"), {},
          {.check_result = body_is_hello});
}
TEST_CASE("a NUL in a header ends the headers and the status counts") {
  survive(respond_with(status_line + std::string("X: a\0b\r\n\r\n", 10)), {}, {.check_result = headers_are_broken});
}
TEST_CASE("a header without colon ends the headers and the status counts") {
  survive(respond_with(ok("what is this\r\n")), {}, {.check_result = headers_are_broken});
}
TEST_CASE("a header without name is ignored") {
  survive(respond_with(ok(": value\r\n")), {}, {.check_result = body_is_hello});
}
TEST_CASE("headers with non-ASCII bytes are accepted") {
  survive(respond_with(ok("X: \xe4\xbd\xa0\xff\r\n")), {}, {.check_result = body_is_hello});
}
TEST_CASE("a folded header is accepted") {
  survive(respond_with(ok("X: a\r\n  b\r\n\tc\r\n")), {}, {.check_result = body_is_hello});
}
TEST_CASE("a content type of 10 kB is accepted") {
  survive(respond_with(status_line + "Content-Type: text/html; x=" + std::string(10'000, 'x') +
                       "\r\nContent-Length: 0\r\n\r\n"),
          {});
}
TEST_CASE("an unrequested protocol switch is unreachable") {
  survive(respond_with("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"),
          {Health::unreachable, "http_101"});
}

TEST_CASE("an endless body without length is cut") {
  survive(respond_endlessly(status_line + html + "\r\n", std::string(10'000, 'x')), {},
          {.check_result = check_body_truncated});
}
TEST_CASE("an endless chunked body is cut") {
  survive(respond_endlessly(chunked(""), "4\r\nspam\r\n"), {}, {.check_result = check_body_truncated});
}
TEST_CASE("a body with an invalid chunk size is cut") {
  survive(respond_with(chunked("zz\r\nspam\r\n0\r\n\r\n")), {}, {.check_result = check_body_truncated});
}
TEST_CASE("a body with a negative chunk size is cut") {
  survive(respond_with(chunked("-4\r\nspam\r\n0\r\n\r\n")), {}, {.check_result = check_body_truncated});
}
TEST_CASE("a body with a huge chunk size is cut") {
  survive(respond_with(chunked("7fffffffffffffff\r\nspam")), {}, {.check_result = check_body_truncated});
}
TEST_CASE("a body with a chunk size above 64 bits is cut") {
  survive(respond_with(chunked("fffffffffffffffffffffffff\r\nspam")), {}, {.check_result = check_body_truncated});
}
TEST_CASE("a body with an endless chunk extension is cut") {
  survive(respond_endlessly(chunked("4"), ";name=value"), {}, {.check_result = check_body_truncated});
}
TEST_CASE("a body that ends inside a chunk is cut") {
  survive(respond_with(chunked("c\r\n<p>hel")), {}, {.check_result = check_body_truncated});
}
TEST_CASE("a body without the last chunk is cut") {
  survive(respond_with(chunked("c\r\n<p>hello</p>\r\n")), {}, {.check_result = check_body_truncated});
}
TEST_CASE("trailers after the chunks are ignored") {
  survive(respond_with(chunked("c\r\n<p>hello</p>\r\n0\r\nX-Sum: 1\r\n\r\n")), {}, {.check_result = body_is_hello});
}
TEST_CASE("a trailer is not read as a header") {
  survive(respond_with(chunked("c\r\n<p>hello</p>\r\n0\r\nContent-Encoding: gzip\r\nLocation: /x\r\n\r\n")), {},
          {.check_result = body_is_hello});
}
TEST_CASE("endless trailers do not fail the page") {
  survive(respond_endlessly(chunked("c\r\n<p>hello</p>\r\n0\r\n"), "X-Trailer: 0123456789\r\n"), {});
}
TEST_CASE("chunked encoding overrides a content length") {
  survive(respond_with(chunked("c\r\n<p>hello</p>\r\n0\r\n\r\n", "Content-Length: 3\r\n")), {},
          {.check_result = body_is_hello});
}
TEST_CASE("two different content lengths do not fail the page") {
  survive(respond_with(status_line + html + "Content-Length: 5\r\nContent-Length: 12\r\n\r\n<p>hello</p>"), {});
}
TEST_CASE("a negative content length ends the headers and the status counts") {
  survive(respond_with(status_line + html + "Content-Length: -5\r\n\r\n<p>hello</p>"), {},
          {.check_result = headers_are_broken});
}
TEST_CASE("an invalid content length ends the headers and the status counts") {
  survive(respond_with(status_line + html + "Content-Length: many\r\n\r\n<p>hello</p>"), {},
          {.check_result = headers_are_broken});
}
TEST_CASE("a content length above 64 bits does not fail the page") {
  survive(respond_with(status_line + html + "Content-Length: 99999999999999999999999\r\n\r\n<p>hello</p>"), {});
}
TEST_CASE("a body below its content length is cut") {
  survive(respond_with(status_line + html + "Content-Length: 999\r\n\r\n<p>hello</p>"), {},
          {.check_result = check_body_truncated});
}
TEST_CASE("a body is read only up to its content length") {
  survive(respond_with(status_line + html + "Content-Length: 3\r\n\r\n<p>hello</p>"), {},
          {.check_result = [](const crawler::FetchResult& result) { CHECK(result.response.body == "<p>"); }});
}
TEST_CASE("a download of terabytes that is no page is not read") {
  survive(respond_endlessly(status_line + "Content-Type: application/zip\r\nContent-Length: 9999999999999\r\n\r\n",
                            std::string(100'000, 'z')),
          {}, {.check_result = [](const crawler::FetchResult& result) {
            CHECK(result.response.body_state == crawler::BodyState::dropped);
            CHECK(result.response.body.empty());
          }});
}
TEST_CASE("the body of a PDF is kept") {
  survive(respond_with(status_line + "Content-Type: application/pdf\r\nContent-Length: 8\r\n\r\n%PDF-1.7"), {},
          {.check_result = [](const crawler::FetchResult& result) { CHECK(result.response.body == "%PDF-1.7"); }});
}

TEST_CASE("a 204 with a body is alive") { survive(respond_with(answer(204, "", "surprise")), {}); }
TEST_CASE("a 205 with a body is alive") { survive(respond_with(answer(205, "", "surprise")), {}); }
TEST_CASE("an unrequested 206 is alive") {
  survive(respond_with(answer(206, "Content-Range: bytes 0-3/99\r\n", "spam")), {});
}
TEST_CASE("an unrequested 304 is alive") { survive(respond_with(answer(304, "", "surprise")), {}); }
TEST_CASE("a 300 is alive") { survive(respond_with(answer(300)), {}); }
TEST_CASE("a 401 requires a login") {
  survive(respond_with(answer(401, "WWW-Authenticate: Basic realm=x\r\n")), {Health::blocked, "login_required"});
}
TEST_CASE("a 402 is blocked") { survive(respond_with(answer(402)), {Health::blocked, "http_402"}); }
TEST_CASE("a 404 is dead") { survive(respond_with(answer(404)), {Health::dead, "http_404"}); }
TEST_CASE("a 407 without a proxy is blocked") {
  survive(respond_with(answer(407, "Proxy-Authenticate: Basic realm=x\r\n")), {Health::blocked, "http_407"});
}
TEST_CASE("a 410 is dead") { survive(respond_with(answer(410)), {Health::dead, "http_410"}); }
TEST_CASE("a 451 is blocked") { survive(respond_with(answer(451)), {Health::blocked, "http_451"}); }
TEST_CASE("a 421 is repeated once on a new connection and then counts") {
  survive(respond_in_turn({answer(421), ok("")}), {},
          {.check_result = [](const crawler::FetchResult& result) { CHECK(result.attempts.size() == 2); }});
  survive(respond_with(answer(421)), {Health::unreachable, "http_421"},
          {.check_result = [](const crawler::FetchResult& result) { CHECK(result.attempts.size() == 2); }});
}
TEST_CASE("a 511 is blocked") { survive(respond_with(answer(511)), {Health::blocked, "http_511"}); }
TEST_CASE("a 521 with the cookie of a browser challenge is blocked") {
  survive(respond_with(answer(521, "Set-Cookie: __jsluid_s=1; path=/\r\nSet-Cookie: other=2\r\n")),
          {Health::blocked, "challenge"});
}
TEST_CASE("a 999 is blocked") { survive(respond_with(answer(999)), {Health::blocked, "http_999"}); }
TEST_CASE("a lasting 503 is unreachable") { survive(respond_with(answer(503)), {Health::unreachable, "http_503"}); }
TEST_CASE("a 429 without Retry-After is retried with growing waits and then blocked") {
  const auto twice = [](crawler::FetchOptions& o) {
    o.retry.max_retries = 2;
    o.retry.first_wait = milliseconds(200);
  };
  survive(respond_with(answer(429)), {Health::blocked, "rate_limited"},
          {.adjust = twice, .check_result = [](const crawler::FetchResult& result) {
             REQUIRE(result.attempts.size() == 3);
             const auto first = result.attempts[1].at - result.attempts[0].at;
             const auto second = result.attempts[2].at - result.attempts[1].at;
             CHECK(first >= milliseconds(100));   // at least half of the wait, because the rest is jitter
             CHECK(second >= milliseconds(200));  // the wait doubles
             CHECK_FALSE(result.response.retry_at.has_value());
             CHECK(result.response.detail.empty());
             CHECK(crawler::classify(result, {}).evidence == "HTTP 429: too many requests.");
           }});
  survive(respond_in_turn({answer(429), answer(429), ok("")}), {}, {.adjust = twice, .check_result = body_is_hello});
}
TEST_CASE("a 429 with a wait of a thousand years is blocked") {
  survive(respond_with(answer(429, "Retry-After: 31536000000\r\n")), {Health::blocked, "rate_limited"});
}
TEST_CASE("a 429 with a wait above 64 bits is blocked") {
  survive(respond_with(answer(429, "Retry-After: 99999999999999999999999999\r\n")), {Health::blocked, "rate_limited"});
}
TEST_CASE("a 429 with a negative wait is retried") {
  survive(respond_in_turn({answer(429, "Retry-After: -5\r\n"), ok("")}), {},
          {.adjust = [](crawler::FetchOptions& o) { o.retry.max_retries = 1; }});
}
TEST_CASE("a 429 with a date in the past is retried") {
  survive(respond_in_turn({answer(429, "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT\r\n"), ok("")}), {},
          {.adjust = [](crawler::FetchOptions& o) { o.retry.max_retries = 1; }});
}
TEST_CASE("a 429 with an invalid Retry-After is retried") {
  survive(respond_in_turn({answer(429, "Retry-After: later, maybe\r\n"), ok("")}), {},
          {.adjust = [](crawler::FetchOptions& o) { o.retry.max_retries = 1; }});
}

}  // namespace linkherd::tests
