// Tests connections that are refused, silent, slow, cut or reset, at every point of an attempt.
#include <array>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/crawler/fetch/hostile/hostile_case.h"

namespace linkherd::tests {

namespace {

using std::chrono::milliseconds;

const std::string cut_page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\n<p>hello";

void body_is_whole(const crawler::FetchResult& result) { CHECK(result.response.is_body_complete()); }

CaseOptions patient(milliseconds timeout) {
  return {.adjust = [timeout](crawler::FetchOptions& options) { options.timeout = timeout; }};
}

// A listener with a full queue. New connections are not even refused.
class BlackHole {
 public:
  BlackHole() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    bind(listener_, reinterpret_cast<const sockaddr*>(&address), length);
    listen(listener_, 0);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
    port_ = ntohs(address.sin_port);
    for (int& knocker : knockers_) {
      knocker = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
      connect(knocker, reinterpret_cast<const sockaddr*>(&address), length);
    }
  }
  BlackHole(const BlackHole&) = delete;
  BlackHole& operator=(const BlackHole&) = delete;
  ~BlackHole() {
    for (const int knocker : knockers_) close(knocker);
    close(listener_);
  }
  std::string port() const { return std::to_string(port_); }

 private:
  int listener_;
  std::array<int, 8> knockers_{};
  std::uint16_t port_ = 0;
};

}  // namespace

TEST_CASE("a refused port is unreachable") {
  survive_own_server({Health::unreachable, "connection_refused"},
                     {.adjust = [](crawler::FetchOptions& options) { options.connect_to = {"*:80:127.0.0.1:9"}; }});
}

TEST_CASE("a host that accepts no connection times out") {
  const BlackHole hole;
  survive_own_server({Health::unreachable, "timeout"}, {.adjust = [&](crawler::FetchOptions& options) {
                       options.connect_to = {"*:80:127.0.0.1:" + hole.port()};
                     }});
}

TEST_CASE("a server that accepts and never answers times out") {
  survive([](ServerConnection& client) { client.wait_for_end(); }, {Health::unreachable, "timeout"});
}

TEST_CASE("a server that closes at once is unreachable") {
  survive([](ServerConnection&) {}, {Health::unreachable, "bad_response"});
}

TEST_CASE("a server that closes after the request is unreachable") {
  survive(respond_with(""), {Health::unreachable, "bad_response"});
}

TEST_CASE("a server that shuts down its side at once is unreachable") {
  survive([](ServerConnection& client) { client.shut_down(), client.wait_for_end(); },
          {Health::unreachable, "bad_response"});
}

TEST_CASE("a reset before the request is unreachable") {
  survive([](ServerConnection& client) { client.reset(); }, {Health::unreachable, "connection_reset"});
}

TEST_CASE("a reset after the request is unreachable") {
  survive([](ServerConnection& client) { client.read_request(), client.reset(); },
          {Health::unreachable, "connection_reset"});
}

TEST_CASE("a reset in the middle of the headers is unreachable") {
  survive(
      [](ServerConnection& client) {
        client.read_request();
        client.send("HTTP/1.1 200 OK\r\nContent-Ty");
        client.pause(milliseconds(100));
        client.reset();
      },
      {Health::unreachable, "connection_reset"});
}

TEST_CASE("a reset in the middle of the body gives a cut body") {
  survive(
      [](ServerConnection& client) {
        client.read_request();
        client.send(cut_page);
        client.pause(milliseconds(100));
        client.reset();
      },
      {}, {.check_result = check_body_truncated});
}

TEST_CASE("a close in the middle of the headers is unreachable") {
  survive(respond_with("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"), {Health::unreachable, "bad_response"});
}

TEST_CASE("a close in the middle of the body gives a cut body") {
  survive(respond_with(cut_page), {}, {.check_result = check_body_truncated});
}

TEST_CASE("a server that stalls after half a body gives a cut body") {
  survive([](ServerConnection& client) { client.read_request(), client.send(cut_page), client.wait_for_end(); }, {},
          {.check_result = check_body_truncated});
}

TEST_CASE("a server that stalls after half the headers times out") {
  survive(
      [](ServerConnection& client) {
        client.read_request(), client.send("HTTP/1.1 200 OK\r\nServer:"), client.wait_for_end();
      },
      {Health::unreachable, "timeout"});
}

TEST_CASE("a server that shuts down its side in the middle of the body gives a cut body") {
  survive(
      [](ServerConnection& client) {
        client.read_request(), client.send(cut_page), client.shut_down(), client.wait_for_end();
      },
      {}, {.check_result = check_body_truncated});
}

TEST_CASE("headers that arrive too slowly time out") {
  survive(respond_slowly(ok(""), milliseconds(50)), {Health::unreachable, "timeout"});
}

TEST_CASE("headers that arrive byte by byte in time are read") {
  survive(respond_slowly(ok("", "x"), milliseconds(1)), {}, patient(std::chrono::seconds(8)));
}

TEST_CASE("a body that arrives too slowly is cut") {
  survive(
      [](ServerConnection& client) {
        client.read_request();
        client.send(cut_page);
        while (client.send("x")) client.pause(milliseconds(50));
      },
      {}, {.check_result = check_body_truncated});
}

TEST_CASE("a body below the lowest speed is cut long before the timeout") {
  survive(
      [](ServerConnection& client) {
        client.read_request();
        client.send(cut_page);
        while (client.send("x")) client.pause(milliseconds(100));
      },
      {},
      {.adjust =
           [](crawler::FetchOptions& options) {
             options.timeout = std::chrono::seconds(60);
             options.low_speed_time = std::chrono::seconds(1);
           },
       .check_result = check_body_truncated});
}

TEST_CASE("a late answer is not a slow body") {
  survive(
      [](ServerConnection& client) { client.read_request(), client.pause(milliseconds(2500)), client.send(ok("")); },
      {},
      {.adjust =
           [](crawler::FetchOptions& options) {
             options.timeout = std::chrono::seconds(9);
             options.low_speed_time = std::chrono::seconds(1);
           },
       .check_result = body_is_whole});
}

TEST_CASE("an answer before the request is read") {
  survive([](ServerConnection& client) { client.send(ok("Connection: close\r\n")), client.wait_for_end(); }, {});
}

TEST_CASE("a port that closes and opens again is retried") {
  survive(
      [](ServerConnection& client) {
        if (client.number() <= 2) {
          client.reset();
        } else {
          respond_with(ok(""))(client);
        }
      },
      {},
      {.adjust = [](crawler::FetchOptions& options) { options.retry.max_retries = 3; },
       .check_result = [](const crawler::FetchResult& result) { CHECK(result.attempts.size() == 3); }});
}

TEST_CASE("a server that never recovers is unreachable after the retries") {
  survive([](ServerConnection& client) { client.reset(); }, {Health::unreachable, "connection_reset"},
          {.adjust = [](crawler::FetchOptions& options) { options.retry.max_retries = 3; },
           .check_result = [](const crawler::FetchResult& result) { CHECK(result.attempts.size() == 4); }});
}

TEST_CASE("a link is not retried after its link timeout") {
  survive([](ServerConnection& client) { client.wait_for_end(); }, {Health::unreachable, "timeout"},
          {.adjust =
               [](crawler::FetchOptions& options) {
                 options.retry.max_retries = 100;
                 options.timeout = milliseconds(300);
                 options.link_timeout = milliseconds(1500);
               },
           .check_result = [](const crawler::FetchResult& result) { CHECK(result.attempts.size() < 8); }});
}

TEST_CASE("a redirect chain above the link timeout times out") {
  survive(
      [](ServerConnection& client) {
        client.read_request();
        client.pause(milliseconds(300));
        client.send(redirect("/hop" + std::to_string(client.number())));
      },
      {Health::unreachable, "timeout"},
      {.adjust =
           [](crawler::FetchOptions& options) {
             options.max_redirects = 100;
             options.link_timeout = milliseconds(1200);
           },
       .check_result = [](const crawler::FetchResult& result) { CHECK(result.redirects.size() < 8); }});
}

TEST_CASE("bytes beyond the content length on an open connection are ignored") {
  survive(
      [](ServerConnection& client) {
        client.read_request(), client.send(ok("") + "and more, which nobody asked for"), client.wait_for_end();
      },
      {}, {.check_result = [](const crawler::FetchResult& result) { CHECK(result.response.body == "<p>hello</p>"); }});
}

TEST_CASE("an unfinished TLS handshake times out") {
  survive([](ServerConnection& client) { client.wait_for_end(); }, {Health::unreachable, "timeout"},
          {.url = "https://hostile.test/"});
}

TEST_CASE("a reset in the TLS handshake is unreachable") {
  survive([](ServerConnection& client) { client.read_some(), client.reset(); },
          {Health::unreachable, "connection_reset"}, {.url = "https://hostile.test/"});
}

TEST_CASE("a close in the TLS handshake is unreachable") {
  survive([](ServerConnection& client) { client.read_some(); }, {Health::unreachable, "tls_handshake"},
          {.url = "https://hostile.test/"});
}

TEST_CASE("garbage instead of a TLS handshake is unreachable") {
  survive([](ServerConnection& client) { client.read_some(), client.send(std::string(1000, '\xff')); },
          {Health::unreachable, "tls_handshake"}, {.url = "https://hostile.test/"});
}

TEST_CASE("endless garbage instead of a TLS handshake is unreachable") {
  survive(
      [](ServerConnection& client) {
        client.read_some();
        while (client.send(std::string(10000, '\xff'))) continue;
      },
      {Health::unreachable, "tls_handshake"}, {.url = "https://hostile.test/"});
}

TEST_CASE("plain HTTP instead of TLS is unreachable") {
  survive([](ServerConnection& client) { client.read_some(), client.send(ok("")); },
          {Health::unreachable, "tls_handshake"}, {.url = "https://hostile.test/"});
}

TEST_CASE("TLS instead of plain HTTP is unreachable") {
  survive(
      [](ServerConnection& client) {
        client.read_request(), client.send(std::string("\x15\x03\x01\x00\x02\x02\x16", 7));
      },
      {Health::unreachable, "bad_response"});
}

}  // namespace linkherd::tests
