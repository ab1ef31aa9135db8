// Tests HTTP/2 servers that abort, flood or send nonsense. linkherd uses HTTP/2 only with --http2.
#include <curl/curl.h>
#include <openssl/ssl.h>

#include "tests/crawler/fetch/hostile/hostile_case.h"
#include "tests/support/http2_frames.h"
#include "tests/support/tls_certificates.h"

namespace linkherd::tests {

namespace {

using http2::end_headers;
using http2::end_stream;
using http2::frame;
using std::chrono::milliseconds;
namespace frame_type = http2::frame_type;

const std::string status_200 = http2::status(200);
const std::string html_type = http2::header("content-type", "text/html");
const std::string good_headers = frame(frame_type::headers, end_headers, 1, status_200 + html_type);
const std::string good_data = frame(frame_type::data, end_stream, 1, "<p>hello</p>");

// Sends the server's settings, waits for the request, then calls `rest`.
Script after_request(std::function<void(ServerConnection&)> rest) {
  return [rest](ServerConnection& client) {
    if (http2::read_request(client, "") != 0) rest(client);
  };
}
Script answers(std::string frames) {
  return after_request(
      [frames = std::move(frames)](ServerConnection& client) { client.send(frames), client.wait_for_end(); });
}
Script floods(std::string again) {
  return after_request([again = std::move(again)](ServerConnection& client) {
    while (client.send(again)) continue;
  });
}

void survive_http2(const Script& script, const Expected& expected,
                   const std::function<void(const crawler::FetchResult&)>& check_result = {}) {
  TestAuthority authority;
  survive(script, expected,
          {.url = "https://hostile.test/page",
           .adjust =
               [](crawler::FetchOptions& options) {
                 options.http2 = true;
                 options.insecure = true;
               },
           .tls =
               [&](SSL_CTX* context) {
                 authority.install(context);
                 http2::require_http2(context);
               },
           .check_result = check_result});
}

const Expected bad{Health::unreachable, "bad_response"};
// Newer versions of nghttp2 end a flood themselves.
const Expected flooded{Health::unreachable, "connection_reset", {"timeout", "headers_too_large", "bad_response"}};

}  // namespace

TEST_CASE("an HTTP/2 answer is read") {
  survive_http2(answers(good_headers + good_data), {},
                [](const crawler::FetchResult& result) { CHECK(result.response.body == "<p>hello</p>"); });
}
TEST_CASE("HTTP/2 with an immediate GOAWAY is unreachable") { survive_http2(answers(http2::goaway(0)), bad); }
TEST_CASE("HTTP/2 with a GOAWAY error is unreachable") { survive_http2(answers(http2::goaway(0xb)), bad); }
TEST_CASE("HTTP/2 with a stream reset before its headers is unreachable") {
  survive_http2(answers(http2::rst_stream(1, 2)), bad);
}
// curl 7.88 delays headers that arrive together with the end of the stream. The pause separates them.
Script answers_in_two(std::string headers, std::string rest) {
  return after_request([headers = std::move(headers), rest = std::move(rest)](ServerConnection& client) {
    client.send(headers);
    client.pause(milliseconds(200));
    client.send(rest);
    client.wait_for_end();
  });
}
const std::string cancelled = http2::rst_stream(1, 8);

TEST_CASE("HTTP/2 with a stream cancelled in the middle of the body gives a cut body") {
  survive_http2(answers_in_two(good_headers, frame(frame_type::data, 0, 1, "<p>") + cancelled), {},
                check_body_truncated);
}
TEST_CASE("HTTP/2 with a stream cancelled together with its headers is not dead") {
  const bool shows_headers = curl_version_info(CURLVERSION_NOW)->version_num >= 0x080000;
  survive_http2(answers(good_headers + cancelled), shows_headers ? Expected{} : bad);
}
TEST_CASE("HTTP/2 with a body below the announced length gives a cut body") {
  const std::string headers = status_200 + html_type + http2::header("content-length", "99");
  survive_http2(answers_in_two(frame(frame_type::headers, end_headers, 1, headers), good_data), {},
                check_body_truncated);
}
TEST_CASE("HTTP/2 with a connection closed in the middle of the body gives a cut body") {
  survive_http2(
      after_request([](ServerConnection& client) { client.send(good_headers + frame(frame_type::data, 0, 1, "<p>")); }),
      {}, check_body_truncated);
}
TEST_CASE("HTTP/2 without an answer times out") { survive_http2(answers(""), {Health::unreachable, "timeout"}); }
TEST_CASE("HTTP/2 that stalls after half a body gives a cut body") {
  survive_http2(answers(good_headers + frame(frame_type::data, 0, 1, "<p>")), {}, check_body_truncated);
}
TEST_CASE("HTTP/2 with endless headers is ended") {
  survive_http2(after_request([](ServerConnection& client) {
                  bool is_connected = client.send(frame(frame_type::headers, 0, 1, status_200));
                  const std::string header = frame(frame_type::continuation, 0, 1,
                                                   std::string("\x00\x01x\x7f\x80\x01", 6) + std::string(255, 'x'));
                  while (is_connected) is_connected = client.send(header);
                }),
                flooded);
}
TEST_CASE("HTTP/2 with endless SETTINGS is ended") {
  survive_http2(floods(frame(frame_type::settings, 0, 0, "")), flooded);
}
TEST_CASE("HTTP/2 with endless PINGs is ended") {
  survive_http2(floods(frame(frame_type::ping, 0, 0, "12345678")), flooded);
}
TEST_CASE("HTTP/2 with endless PINGs is ended even if the server reads the replies") {
  survive_http2(after_request([](ServerConnection& client) {
                  std::string pings;
                  for (int i = 0; i < 100; ++i) pings += frame(frame_type::ping, 0, 0, "12345678");
                  while (client.send(pings) && !client.read_some().empty()) continue;
                }),
                flooded);
}
TEST_CASE("HTTP/2 with undecodable headers is unreachable") {
  survive_http2(answers(frame(frame_type::headers, end_headers, 1, "\xff\xff\xff\xff\xff\xff")), bad);
}
TEST_CASE("HTTP/2 with a frame above the agreed size is unreachable") {
  survive_http2(answers(frame(frame_type::data, 0, 1, std::string(100'000, 'x'))), bad);
}
TEST_CASE("HTTP/2 with headers on an unopened stream is unreachable") {
  survive_http2(answers(frame(frame_type::headers, end_headers, 77, status_200)), bad);
}
TEST_CASE("HTTP/2 with an endless body is cut") {
  survive_http2(after_request([](ServerConnection& client) {
                  bool is_connected = client.send(good_headers);
                  while (is_connected)
                    is_connected = client.send(frame(frame_type::data, 0, 1, std::string(1000, 'x')));
                }),
                {}, check_body_truncated);
}
TEST_CASE("an HTTP/1 answer after negotiating HTTP/2 is unreachable") {
  // The server waits for the client to disconnect. Closing the connection with unread frames would reset it before the
  // response is read.
  survive_http2(
      [](ServerConnection& client) {
        client.read_request();
        client.send(ok(""));
        client.wait_for_end();
      },
      bad);
}
TEST_CASE("a server that does not take the offered HTTP/2 is read over HTTP/1") {
  TestAuthority authority;
  survive(respond_with(ok("")), {},
          {.url = "https://hostile.test/page",
           .adjust =
               [](crawler::FetchOptions& options) {
                 options.http2 = true;
                 options.insecure = true;
               },
           .tls = [&](SSL_CTX* context) { authority.install(context); }});
}

}  // namespace linkherd::tests
