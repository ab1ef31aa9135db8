// Tests that bytes outside the body count against the limits too, in every form. A link receives at most its limit and
// a little more. The server counts the bytes that it could send.
#include <atomic>
#include <string>

#include <openssl/ssl.h>

#include "tests/crawler/fetch/hostile/hostile_case.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tls_certificates.h"

namespace linkherd::tests {

namespace {

// The limit on bodies is 1 MiB here, and headers may have as much. The rest allows for the buffers of both kernels.
constexpr std::size_t max_sent_bytes = std::size_t{24} << 20;

const std::string chunked_start = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n";

// Sends `start`, then `again` until the client disconnects.
void stay_within_limits(const std::string& start, const std::string& again, const Expected& expected,
                        CaseOptions setting = {}) {
  std::atomic<std::size_t> sent{0};
  survive(
      [&](ServerConnection& client) {
        client.read_request();
        bool is_connected = client.send(start);
        while (is_connected) {
          is_connected = client.send(again);
          sent += again.size();
        }
      },
      expected, setting);
  CHECK(sent.load() < max_sent_bytes);
}

std::string repeated(const std::string& text, std::size_t bytes) {
  std::string all;
  while (all.size() < bytes) all += text;
  return all;
}

constexpr std::size_t piece = 60'000;

}  // namespace

TEST_CASE("an endless chunk extension is cut at the wire limit") {
  stay_within_limits(chunked_start + "4;name=", std::string(piece, 'x'), {}, {.check_result = check_body_truncated});
}
TEST_CASE("an endless chunk extension after a whole page is cut at the wire limit") {
  stay_within_limits(
      chunked_start + "c\r\n<p>hello</p>\r\n0;x=", std::string(piece, 'x'), {},
      {.check_result = [](const crawler::FetchResult& result) { CHECK(result.response.body == "<p>hello</p>"); }});
}
TEST_CASE("One-byte chunks with long extensions are cut at the wire limit") {
  stay_within_limits(chunked_start, repeated("1;" + std::string(1000, 'x') + "\r\nx\r\n", piece), {},
                     {.check_result = check_body_truncated});
}
TEST_CASE("endless blanks after a chunk size are cut at the wire limit") {
  stay_within_limits(chunked_start + "4", std::string(piece, ' '), {}, {.check_result = check_body_truncated});
}
TEST_CASE("endless trailers are cut at the wire limit") {
  stay_within_limits(chunked_start + "c\r\n<p>hello</p>\r\n0\r\n", repeated("X-Trailer: 0123456789\r\n", piece), {});
}
TEST_CASE("an endlessly folded header is cut at the wire limit") {
  stay_within_limits("HTTP/1.1 200 OK\r\nX: a\r\n", repeated(" b\r\n", piece), {});
}
TEST_CASE("endless interim answers are cut at the wire limit") {
  stay_within_limits("", repeated("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", piece),
                     {Health::unreachable, "headers_too_large"});
}
TEST_CASE("endless empty lines are cut at the wire limit and are no answer") {
  stay_within_limits("", repeated("\r\n", piece), {Health::unreachable, "bad_response"});
}
TEST_CASE("an endless body after empty lines is cut at the wire limit") {
  stay_within_limits("\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", std::string(piece, 'x'), {},
                     {.check_result = check_body_truncated});
}
TEST_CASE("endless compressed bytes that decode to nothing are cut at the wire limit") {
  // Empty blocks of deflate, each with a length of 0.
  stay_within_limits("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: deflate\r\n\r\n\x78\x9c",
                     repeated(std::string("\x00\x00\x00\xff\xff", 5), piece), {},
                     {.check_result = check_body_truncated});
}
TEST_CASE("the endless body of a redirect is cut at the wire limit") {
  stay_within_limits("HTTP/1.1 302 Found\r\nLocation: http://hostile.test/page\r\nTransfer-Encoding: chunked\r\n\r\n4;",
                     std::string(piece, 'x'), {Health::dead, "redirect_loop"});
}

namespace {

// Does the same over TLS. `send_again` sends the repeated part.
void stay_within_limits_over_tls(const std::function<bool(ServerConnection&)>& send_again, std::size_t bytes,
                                 const Expected& expected) {
  TestAuthority authority;
  const TempDir folder;
  const std::string ca_file = folder.write("ca.pem", authority.certificate_pem()).string();
  std::atomic<std::size_t> sent{0};
  survive(
      [&](ServerConnection& client) {
        client.read_request();
        bool is_connected = client.send(chunked_start);
        while (is_connected) {
          is_connected = send_again(client);
          sent += bytes;
        }
      },
      expected,
      {.url = "https://hostile.test/page",
       .adjust = [&](crawler::FetchOptions& options) { options.ca_file = ca_file; },
       .tls = [&](SSL_CTX* context) { authority.install(context); }});
  CHECK(sent.load() < max_sent_bytes);
}

}  // namespace

TEST_CASE("an endless chunk extension over TLS is cut at the wire limit") {
  const std::string bytes(piece, 'x');
  stay_within_limits_over_tls([&bytes](ServerConnection& client) { return client.send("4;" + bytes); }, piece, {});
}
TEST_CASE("TLS records of one byte each are cut at the wire limit") {
  constexpr std::size_t record = 23;  // at least
  stay_within_limits_over_tls([](ServerConnection& client) { return client.send("x"); }, record, {});
}

}  // namespace linkherd::tests
