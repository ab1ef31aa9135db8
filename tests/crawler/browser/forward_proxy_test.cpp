#include "crawler/browser/forward_proxy.h"

#include <array>
#include <string>
#include <thread>

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "crawler/browser/coroutine_end.h"
#include "crawler/fetch/http/extra_headers.h"
#include "crawler/fetch/net/resolver.h"
#include "crawler/fetch/net/socket_set.h"
#include "tests/crawler/browser/browser_fixture.h"
#include "tests/support/raw_server.h"

namespace linkherd::tests {

namespace asio = boost::asio;
using asio::ip::tcp;
using crawler::ForwardProxy;
using crawler::PageTraffic;

namespace {

asio::awaitable<void> run_proxy(ForwardProxy& proxy, asio::io_context& io) {
  co_await proxy.run();
  io.stop();
}

class ProxyFixture {
 public:
  explicit ProxyFixture(const crawler::FetchOptions& fetching, std::size_t max_bytes = 1 << 20)
      : options_(fetching), page_(proxy_.open_page(max_bytes)) {
    const crawler::ProxyCredentials login = proxy_.credentials(page_);
    authorization_ = "Proxy-Authorization: " + crawler::basic_authorization(login.user + ":" + login.password) + "\r\n";
    asio::co_spawn(io_, run_proxy(proxy_, io_), crawler::rethrow_failure);
    thread_ = std::thread([this] { io_.run(); });
  }
  ~ProxyFixture() { stop(); }
  ProxyFixture(const ProxyFixture&) = delete;
  ProxyFixture& operator=(const ProxyFixture&) = delete;

  // Stops the proxy. Returns what the page has used.
  PageTraffic stop() {
    if (thread_.joinable()) {
      asio::post(io_, [this] {
        proxy_.stop();
        resolver_.cancel_all();
      });
      thread_.join();
    }
    return proxy_.traffic(page_);
  }

  tcp::socket connect() {
    tcp::socket socket(client_io_);
    socket.connect({asio::ip::address_v4::loopback(), proxy_.port()});
    return socket;
  }
  // Sends bytes and returns everything that comes back.
  std::string exchange(const std::string& bytes) {
    tcp::socket socket = connect();
    asio::write(socket, asio::buffer(bytes));
    std::string response;
    boost::system::error_code end;
    asio::read(socket, asio::dynamic_buffer(response), end);
    return response;
  }
  // Returns the head of a plain request with credentials, up to its other headers.
  std::string get(const std::string& url) const {
    return fmt::format("GET {} HTTP/1.1\r\nHost: wrong.test\r\n{}", url, authorization_);
  }
  std::string connect_to(const std::string& authority) const {
    return fmt::format("CONNECT {} HTTP/1.1\r\n{}\r\n", authority, authorization_);
  }

 private:
  const crawler::FetchOptions options_;
  const crawler::Clock clock_;
  asio::io_context io_{1};
  asio::io_context client_io_;
  crawler::SocketSet sockets_{io_};
  crawler::Resolver resolver_{io_, sockets_, clock_, options_, 1};
  ForwardProxy proxy_{io_, resolver_, options_};
  int page_;
  std::string authorization_;
  std::thread thread_;
};

// The proxy ends a connection with a plain request that it refuses, because a page would take a response for one of the
// host.
bool was_refused(const std::string& response) { return response.empty(); }
bool was_tunnel_refused(const std::string& response) { return response.starts_with("HTTP/1.1 502 "); }

}  // namespace

TEST_CASE("the proxy forwards one plain request, without what concerns only the proxy") {
  SmallInternet internet;
  internet.host("a.test").page("/p?q=1", html_page("hello"));
  ProxyFixture proxy(options_for_browser(internet));
  const std::string response = proxy.exchange(proxy.get("http://a.test/p?q=1") +
                                              "Proxy-Connection: keep-alive\r\nX-Other: 1\r\n\r\n"
                                              "GET http://b.test/second HTTP/1.1\r\n\r\n");
  CHECK(response.starts_with("HTTP/1.1 200 OK\r\nConnection: close\r\n"));
  CHECK(response.ends_with("hello"));
  REQUIRE(internet.requests().size() == 1);
  const ReceivedRequest request = internet.requests().front();
  CHECK(request.url() == "http://a.test/p?q=1");
  CHECK(request.header("x-other") == "1");
  CHECK(request.header("connection") == "close");
  CHECK(request.header("proxy-authorization") == "");
  CHECK(request.header("proxy-connection") == "");
  CHECK(proxy.stop().bytes >= response.size() - std::string_view("Connection: close\r\n").size());
}

TEST_CASE("the proxy forwards exactly the body of a request") {
  SmallInternet internet;
  internet.host("a.test").handler([](const ReceivedRequest& request) { return html_page(request.body); });
  ProxyFixture proxy(options_for_browser(internet));
  std::string request = proxy.get("http://a.test/");
  request.replace(0, 3, "POST");
  CHECK(proxy.exchange(request + "Content-Length: 4\r\n\r\nbodyGET http://b.test/ HTTP/1.1\r\n\r\n").ends_with("body"));
  CHECK(internet.requests().size() == 1);
}

TEST_CASE("the proxy opens tunnels") {
  SmallInternet internet;
  internet.host("a.test").default_page(html_page("through a tunnel"));
  ProxyFixture proxy(options_for_browser(internet));
  tcp::socket socket = proxy.connect();
  asio::write(socket, asio::buffer(proxy.connect_to("a.test:80")));
  std::string response(std::string_view("HTTP/1.1 200 Connection established\r\n\r\n").size(), '\0');
  asio::read(socket, asio::buffer(response));
  CHECK(response == "HTTP/1.1 200 Connection established\r\n\r\n");
  asio::write(socket, asio::buffer(std::string("GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n")));
  boost::system::error_code end;
  response.clear();
  asio::read(socket, asio::dynamic_buffer(response), end);
  CHECK(response.ends_with("through a tunnel"));
}

TEST_CASE("nobody without the credentials of an open page may use the proxy") {
  SmallInternet internet;
  internet.host("a.test").default_page(html_page("secret"));
  ProxyFixture proxy(options_for_browser(internet));
  for (const std::string login : {"", "Proxy-Authorization: Basic cGFnZS0xOng=\r\n", "Proxy-Authorization: \r\n"}) {
    CAPTURE(login);
    CHECK(proxy.exchange("GET http://a.test/ HTTP/1.1\r\n" + login + "\r\n").starts_with("HTTP/1.1 407 "));
    CHECK(proxy.exchange("CONNECT a.test:80 HTTP/1.1\r\n" + login + "\r\n").starts_with("HTTP/1.1 407 "));
  }
  CHECK(internet.requests().empty());
}

TEST_CASE("the proxy connects to no private address, however it is named") {
  SmallInternet internet;
  internet.host("a.test").default_page(html_page("inside"));
  internet.dns("inside.test", dns_addresses({"10.0.0.1"}));
  internet.dns("metadata.test", dns_addresses({"169.254.169.254"}));
  crawler::FetchOptions options = options_for_browser(internet);
  SUBCASE("only loopback is allowed") {
    ProxyFixture proxy(options);
    for (const char* const host : {"inside.test", "metadata.test", "10.0.0.1", "0xa.1", "[::ffff:10.0.0.1]",
                                   "169.254.169.254", "[fd00::1]", "missing.test"}) {
      CAPTURE(host);
      CHECK(was_refused(proxy.exchange(proxy.get(fmt::format("http://{}/", host)) + "\r\n")));
      CHECK(was_tunnel_refused(proxy.exchange(proxy.connect_to(fmt::format("{}:443", host)))));
    }
    const PageTraffic traffic = proxy.stop();
    REQUIRE(traffic.refusals.size() == 16);
    CHECK(traffic.refusals[0].host == "inside.test");
    CHECK(traffic.refusals[0].port == 80);
    CHECK(traffic.refusals[0].reason == "it has an address in a private network: 10.0.0.1");
    CHECK(traffic.refusals[1].port == 443);
    CHECK(traffic.refusals[14].reason == "no such host");
  }
  SUBCASE("nothing private is allowed") {
    options.addresses.allowed.clear();
    ProxyFixture proxy(options);
    CHECK(was_refused(proxy.exchange(proxy.get("http://a.test/") + "\r\n")));
    CHECK(was_refused(proxy.exchange(proxy.get("http://127.0.0.1/") + "\r\n")));
    CHECK(was_tunnel_refused(proxy.exchange(proxy.connect_to("localhost:80"))));
  }
  SUBCASE("a rule for the host allows its address") {
    options.addresses.allowed.clear();
    options.connect_to = {fmt::format("a.test:80:127.0.0.1:{}", internet.http_port())};
    ProxyFixture proxy(options);
    CHECK(proxy.exchange(proxy.get("http://a.test/") + "\r\n").ends_with("inside"));
  }
}

TEST_CASE("the traffic of a page ends at its limit") {
  SmallInternet internet;
  Page endless = html_page(std::string(10'000, 'x'));
  endless.delivery = Delivery::endless;
  internet.host("a.test").default_page(endless);
  ProxyFixture proxy(options_for_browser(internet), 100'000);
  CHECK(proxy.exchange(proxy.get("http://a.test/") + "\r\n").size() <= 120'000);
  CHECK(was_refused(proxy.exchange(proxy.get("http://a.test/") + "\r\n")));
  const PageTraffic traffic = proxy.stop();
  CHECK(traffic.bytes <= 120'000);
  REQUIRE(traffic.refusals.size() == 1);
  CHECK(traffic.refusals[0].reason == "the page has loaded too much");
}

TEST_CASE("the proxy refuses requests that no browser sends") {
  const SmallInternet internet;
  ProxyFixture proxy(options_for_browser(internet));
  for (const std::string& request :
       {std::string("\r\n\r\n"), std::string("GET / HTTP/1.1\r\n\r\n"), std::string("GET http://a.test/\r\n\r\n"),
        std::string("GET https://a.test/ HTTP/1.1\r\n\r\n"), std::string("GET http://u:p@a.test/ HTTP/1.1\r\n\r\n"),
        std::string("GET ftp://a.test/ HTTP/1.1\r\n\r\n"), std::string("CONNECT a.test/x:80 HTTP/1.1\r\n\r\n"),
        std::string("CONNECT u@a.test:80 HTTP/1.1\r\n\r\n"),
        std::string("GET http://a.test/ HTTP/1.1\r\nno colon\r\n\r\n"),
        std::string("POST http://a.test/ HTTP/1.1\r\nContent-Length: x\r\n\r\n"),
        std::string("POST http://a.test/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"),
        std::string("GET http://a.test/ HTTP/1.1\r\n") + std::string(ForwardProxy::max_head_bytes, 'x')}) {
    CAPTURE(request.substr(0, 60));
    CHECK(proxy.exchange(request).starts_with("HTTP/1.1 400 "));
  }
  CHECK(internet.requests().empty());
}

TEST_CASE("the proxy survives servers that break the connection") {
  SmallInternet internet;
  for (const Delivery delivery : {Delivery::close, Delivery::reset_early, Delivery::cut, Delivery::reset}) {
    Page page = html_page(std::string(1000, 'x'));
    page.delivery = delivery;
    internet.host("a.test").default_page(page);
    ProxyFixture proxy(options_for_browser(internet));
    CHECK(proxy.exchange(proxy.get("http://a.test/") + "\r\n").size() < 1100);
  }
}

}  // namespace linkherd::tests
