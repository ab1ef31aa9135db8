// Tests requests through a proxy: what it receives, what it may see, and how its failures are attributed.
#include <cstdlib>
#include <mutex>

#include <doctest/doctest.h>

#include "tests/crawler/fetch/fetch_pool_fixture.h"
#include "tests/support/raw_server.h"

namespace linkherd::tests {

namespace {

// A proxy that records requests and gives all of them the same response.
class NotingProxy {
 public:
  explicit NotingProxy(std::string answer)
      : server_([this, answer = std::move(answer)](ServerConnection& client) {
          const std::string request = client.read_request();
          {
            const std::lock_guard lock(mutex_);
            requests_.push_back(request);
          }
          client.send(answer);
        }) {}
  std::string address() const { return "http://127.0.0.1:" + std::to_string(server_.port()); }
  std::vector<std::string> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  RawServer server_;
};

const std::string page =
    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx";

void use(FetchPoolFixture& fixture, const std::string& proxy) {
  fixture.options.proxies = crawler::parse_proxy(proxy).value();
  fixture.options.connect_to.clear();
  fixture.options.retry.max_retries = 0;
}

}  // namespace

TEST_CASE("a request goes through the proxy even if only the proxy can resolve the name") {
  SmallInternet internet;
  internet.dns("known.test", dns_addresses({"192.0.2.1"}));
  const NotingProxy proxy(page);
  FetchPoolFixture fixture(internet);
  use(fixture, proxy.address());
  CHECK(fixture.fetch("http://known.test/a").response.status == 200);
  CHECK(fixture.fetch("http://inside.test/b").response.status == 200);
  REQUIRE(proxy.requests().size() == 2);
  CHECK(proxy.requests()[0].starts_with("GET http://known.test/a HTTP/1.1\r\n"));
  CHECK(proxy.requests()[1].starts_with("GET http://inside.test/b HTTP/1.1\r\n"));
}

TEST_CASE("private addresses are refused and not sent to a proxy") {
  SmallInternet internet;
  const NotingProxy proxy(page);
  FetchPoolFixture fixture(internet);
  use(fixture, proxy.address());
  fixture.options.addresses.all = false;
  for (const std::string url : {"http://10.0.0.1/", "http://[::ffff:10.0.0.1]/", "http://localhost/"}) {
    CAPTURE(url);
    CHECK(enum_name(crawler::failure_names, fixture.fetch(url).response.failure) == "private_address");
  }
  CHECK(proxy.requests().empty());
}

TEST_CASE("proxy credentials reach the proxy and not the site") {
  SmallInternet internet;
  internet.dns("known.test", dns_addresses({"192.0.2.1"}));
  const NotingProxy proxy("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  FetchPoolFixture fixture(internet);
  use(fixture, "http://me:secret@" + proxy.address().substr(7));
  const FetchResult result = fixture.fetch("https://known.test/");
  CHECK(result.response.failure == FailureKind::proxy_refused);
  CHECK(result.response.detail.find("HTTP 403") != std::string::npos);
  CHECK(result.response.detail.find("secret") == std::string::npos);
  REQUIRE_FALSE(proxy.requests().empty());
  CHECK(proxy.requests()[0].starts_with("CONNECT known.test:443 HTTP/1.1\r\n"));
  CHECK(proxy.requests()[0].find("Proxy-Authorization: Basic bWU6c2VjcmV0\r\n") != std::string::npos);
}

TEST_CASE("local name server answers are no evidence behind a proxy") {
  SmallInternet internet;
  const NotingProxy proxy("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  FetchPoolFixture fixture(internet);
  use(fixture, proxy.address());
  for (const std::string url : {"http://nowhere.test/", "https://nowhere.test/"}) {
    CAPTURE(url);
    const FetchResult result = fixture.fetch(url);
    CHECK((result.response.status == 503 || result.response.failure == FailureKind::proxy_failed));
  }
  CHECK(internet.dns_queries().empty());
}

TEST_CASE("a proxy that never answers is a proxy failure and not a missing site") {
  SmallInternet internet;
  internet.dns("known.test", dns_addresses({"192.0.2.1"}));
  const RawServer proxy([](ServerConnection& client) { client.read_request(), client.wait_for_end(); });
  for (const std::string scheme : {"http", "socks5h"}) {
    FetchPoolFixture fixture(internet);
    use(fixture, scheme + "://127.0.0.1:" + std::to_string(proxy.port()));
    fixture.options.connect_timeout = std::chrono::milliseconds(500);
    fixture.options.retry.max_retries = 0;
    for (const std::string url : {"https://known.test/", "https://nowhere.test/"}) {
      CAPTURE(scheme);
      CAPTURE(url);
      CHECK(enum_name(crawler::failure_names, fixture.fetch(url).response.failure) == "proxy_silent");
    }
  }
}

TEST_CASE("proxies of the environment are ignored by default") {
  SmallInternet internet;
  internet.host("plain.test").default_page(html_page("x"));
  const NotingProxy proxy(page);
  setenv("http_proxy", proxy.address().c_str(), 1);
  setenv("ALL_PROXY", proxy.address().c_str(), 1);
  FetchPoolFixture fixture(internet);
  CHECK(fixture.fetch("http://plain.test/").response.status == 200);
  unsetenv("http_proxy");
  unsetenv("ALL_PROXY");
  CHECK(proxy.requests().empty());
}

TEST_CASE("proxies of the environment are used on request") {
  SmallInternet internet;
  internet.host("plain.test").default_page(html_page("x"));
  internet.dns("known.test", dns_addresses({"192.0.2.1"}));
  internet.dns("inside.test", dns_addresses({"10.0.0.1"}));
  const NotingProxy http(page);
  const NotingProxy https("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  setenv("http_proxy", http.address().substr(7).c_str(), 1);
  setenv("HTTPS_PROXY", ("http://me:secret@" + https.address().substr(7)).c_str(), 1);
  setenv("no_proxy", "other.test, .plain.test,inside.test", 1);
  FetchPoolFixture fixture(internet);
  fixture.options.proxies = crawler::read_proxies_from_environment().value();
  for (std::string& rule : fixture.options.connect_to) rule.replace(0, 1, "plain.test");  // was "*"
  fixture.options.retry.max_retries = 0;
  CHECK(fixture.fetch("http://known.test/a").response.status == 200);
  CHECK(fixture.fetch("https://known.test/b").response.failure == FailureKind::proxy_refused);
  CHECK(fixture.fetch("http://plain.test/c").response.status == 200);
  CHECK(http.requests().size() == 1);
  CHECK(https.requests().size() == 1);
  CHECK(http.requests()[0].find("Proxy-Authorization") == std::string::npos);
  CHECK(https.requests()[0].find("Proxy-Authorization: Basic bWU6c2VjcmV0") != std::string::npos);
  // Without a proxy, a host in a private network is not contacted.
  FetchPoolFixture careful(internet);
  careful.options.proxies = fixture.options.proxies;
  careful.options.addresses.all = false;
  CHECK(enum_name(crawler::failure_names, careful.fetch("http://inside.test/").response.failure) == "private_address");
  for (const char* name : {"http_proxy", "HTTPS_PROXY", "no_proxy"}) unsetenv(name);
}

TEST_CASE("proxy variables are read as curl reads them") {
  using crawler::read_proxies_from_environment;
  const auto proxy_of = [](const char* url) {
    const crawler::Proxies proxies = read_proxies_from_environment().value();
    const crawler::Proxy& proxy = proxies.of(parser::Url::parse(url).value());
    return proxy.used() ? proxy.address() : std::string("none");
  };
  CHECK_FALSE(read_proxies_from_environment().value().used());
  setenv("HTTP_PROXY", "http://upper", 1);
  CHECK(proxy_of("http://a.cn") == "http://upper:1080");
  CHECK(proxy_of("https://a.cn") == "none");
  setenv("REQUEST_METHOD", "GET", 1);
  CHECK(proxy_of("http://a.cn") == "none");
  setenv("http_proxy", "lower:8080/", 1);
  setenv("ALL_PROXY", "socks5h://all", 1);
  CHECK(proxy_of("http://a.cn") == "http://lower:8080");
  CHECK(proxy_of("https://a.cn") == "socks5h://all:1080");
  setenv("NO_PROXY", ".b.cn., 10.0.0.0/8 ::1,C.cn", 1);
  for (const char* direct : {"http://b.cn", "http://x.B.cn.", "http://10.1.2.3", "http://[::1]:8080", "https://c.cn"})
    CHECK(proxy_of(direct) == "none");
  for (const char* other : {"http://xb.cn", "http://b.cn.evil.cn", "http://11.0.0.1", "http://[::2]"})
    CHECK(proxy_of(other) == "http://lower:8080");
  setenv("no_proxy", "*", 1);
  CHECK(proxy_of("http://a.cn") == "none");
  setenv("https_proxy", "ftp://me:secret@a.cn", 1);
  const Result<crawler::Proxies> refused = read_proxies_from_environment();
  REQUIRE(refused.has_error());
  CHECK(refused.error().message.starts_with("https_proxy: "));
  CHECK(refused.error().message.find("secret") == std::string::npos);
  for (const char* name :
       {"HTTP_PROXY", "REQUEST_METHOD", "http_proxy", "ALL_PROXY", "NO_PROXY", "no_proxy", "https_proxy"})
    unsetenv(name);
}

TEST_CASE("a proxy that is down makes no link dead") {
  SmallInternet internet;
  internet.dns("known.test", dns_addresses({"192.0.2.1"}));
  FetchPoolFixture fixture(internet);
  use(fixture, "http://127.0.0.1:9");
  const FetchResult result = fixture.fetch("http://known.test/");
  CHECK(result.response.failure == FailureKind::proxy_unreachable);
  CHECK(crawler::find_meaning(result.response.failure).health == storage::Health::deferred);
}

TEST_CASE("a socks5 proxy gets the locally resolved address") {
  SmallInternet internet;
  internet.dns("known.test", dns_addresses({"192.0.2.1"}));
  std::mutex mutex;
  std::string asked;
  const RawServer socks([&](ServerConnection& client) {
    client.read_some();
    client.send(std::string("\x05\x00", 2));
    std::string request = client.read_some();
    {
      const std::lock_guard lock(mutex);
      asked = request;
    }
    client.send(std::string("\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00", 10));
    client.read_request();
    client.send(page);
  });
  FetchPoolFixture fixture(internet);
  use(fixture, "socks5://127.0.0.1:" + std::to_string(socks.port()));
  CHECK(fixture.fetch("http://known.test/").response.status == 200);
  CHECK(asked == std::string("\x05\x01\x00\x01\xc0\x00\x02\x01\x00\x50", 10));  // connect to 192.0.2.1, port 80
}

TEST_CASE("a SOCKS connection error is a proxy failure") {
  SmallInternet internet;
  internet.dns("known.test", dns_addresses({"192.0.2.1"}));
  const RawServer socks([&](ServerConnection& client) {
    client.read_some();
    client.send(std::string("\x05\x00", 2));
    client.read_some();
    client.send(std::string("\x05\x05\x00\x01\x00\x00\x00\x00\x00\x00", 10));
  });
  FetchPoolFixture fixture(internet);
  use(fixture, "socks5://127.0.0.1:" + std::to_string(socks.port()));
  CHECK(fixture.fetch("http://known.test/").response.failure == FailureKind::proxy_failed);
}

}  // namespace linkherd::tests
