// Tests slow, broken and hostile servers and unresolvable names: each ends in bounded time with the right failure.
#include <random>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include "crawler/fetch/http/decode_body.h"
#include "tests/crawler/fetch/fetch_pool_fixture.h"
#include "tests/support/raw_server.h"

namespace linkherd::tests {

namespace {

Page raw_page(std::string bytes) {
  Page page;
  page.delivery = Delivery::raw;
  page.body = std::move(bytes);
  return page;
}

Page delivered(Delivery delivery, std::string body = "0123456789abcdef") {
  Page page = html_page(std::move(body));
  page.delivery = delivery;
  return page;
}

}  // namespace

TEST_CASE("answers that are not complete HTTP get the matching failure") {
  SmallInternet internet;
  HostScript& host = internet.host("odd.test");
  host.page("/garbage", raw_page("what is this\r\n\r\n"))
      .page("/empty", delivered(Delivery::close))
      .page("/silent", delivered(Delivery::silence))
      .page("/reset", delivered(Delivery::reset_early))
      .page("/many-headers", raw_page("HTTP/1.1 200 OK\r\n" +
                                      [] {
                                        std::string lines;
                                        for (int i = 0; i < 20'000; ++i) lines += "X-Header: 0123456789\r\n";
                                        return lines;
                                      }()))
      .page("/long-header", raw_page("HTTP/1.1 200 OK\r\nX: " + std::string(80'000, 'x') + "\r\n\r\nbody"))
      .page("/longer-header", raw_page("HTTP/1.1 200 OK\r\nX: " + std::string(150'000, 'x') + "\r\n\r\nbody"))
      .page("/interim", raw_page("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n\r\nfine"))
      .page("/no-end", raw_page("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"))
      .page("/status-999", status_page(999));
  FetchPoolFixture fixture(internet);
  fixture.options.retry.max_retries = 0;
  fixture.options.timeout = std::chrono::milliseconds(700);
  struct Row {
    std::string path;
    int status;
    FailureKind failure;
    bool has_detail = true;
  };
  const std::vector<Row> rows{{"/garbage", 0, FailureKind::bad_response},
                              {"/empty", 0, FailureKind::bad_response},
                              {"/silent", 0, FailureKind::timeout},
                              {"/reset", 0, FailureKind::connection_reset},
                              // A status line proves that the host is alive, regardless of the rest.
                              {"/many-headers", 200, FailureKind::none},
                              {"/long-header", 200, FailureKind::none},
                              {"/longer-header", 200, FailureKind::none},
                              {"/interim", 200, FailureKind::none, false},
                              {"/status-999", 999, FailureKind::none, false}};
  for (const Row& row : rows) {
    CAPTURE(row.path);
    const FetchResult result = fixture.fetch(std::string("http://odd.test") + row.path);
    CAPTURE(result.response.detail);
    CHECK(result.response.status == row.status);
    CHECK(enum_name(crawler::failure_names, result.response.failure) == enum_name(crawler::failure_names, row.failure));
    CHECK(result.response.detail.empty() != row.has_detail);
  }
}

TEST_CASE("complete headers prove that the host is alive whatever happens to the body") {
  SmallInternet internet;
  HostScript& host = internet.host("cut.test");
  host.page("/cut", delivered(Delivery::cut))
      .page("/reset", delivered(Delivery::reset))
      .page("/stall", delivered(Delivery::stall))
      .page("/endless", delivered(Delivery::endless, std::string(1000, 'x')))
      .page("/big", html_page(std::string(300'000, 'y')))
      .page("/whole", delivered(Delivery::until_close))
      .page("/chunked", delivered(Delivery::chunked))
      .page("/image", html_page(std::string(300'000, 'z'), "image/png"));
  FetchPoolFixture fixture(internet);
  fixture.options.max_body = 100'000;
  fixture.options.timeout = std::chrono::seconds(1);
  struct Row {
    std::string path;
    std::size_t bytes;
    bool complete;
    bool wanted;
  };
  const std::vector<Row> rows{{"/cut", 8, false, true},       {"/reset", 8, false, true},
                              {"/stall", 8, false, true},     {"/endless", 100'000, false, true},
                              {"/big", 100'000, false, true}, {"/whole", 16, true, true},
                              {"/chunked", 16, true, true},   {"/image", 0, true, false}};
  for (const Row& row : rows) {
    CAPTURE(row.path);
    const FetchResult result = fixture.fetch(std::string("http://cut.test") + row.path);
    CHECK(result.response.status == 200);
    CHECK(result.response.failure == FailureKind::none);
    if (std::string_view(row.path) != "/reset")
      CHECK(result.response.body.size() == row.bytes);  // the reset may arrive before the bytes
    CHECK(result.response.is_body_complete() == row.complete);
    CHECK((result.response.body_state != crawler::BodyState::dropped) == row.wanted);
    CHECK(result.response.lease.bytes() == result.response.body.size());
  }
}

TEST_CASE("a compressed body is decoded exactly once") {
  SmallInternet internet;
  std::string packed(100'000, '\0');
  z_stream stream{};
  std::string text = "<p>";  // long even if compressed, because short pages are decoded at once to find their redirects
  std::minstd_rand random(1);
  while (text.size() < 10'000) text += static_cast<char>('a' + random() % 26);
  deflateInit2(&stream, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  Page page = html_page(packed);
  page.headers.emplace_back("Content-Encoding", "gzip");
  internet.host("packed.test").page("/", page);
  FetchPoolFixture fixture(internet);
  FetchResult result = fixture.fetch("http://packed.test/");
  CHECK(result.response.body == packed);
  crawler::decode_content(result.response, 1 << 20);
  CHECK(result.response.body == text);
  crawler::decode_content(result.response, 1 << 20);
  CHECK(result.response.body == text);
  CHECK(result.response.is_body_complete());
  CHECK(result.response.lease.bytes() == text.size());
}

TEST_CASE("DNS failures are distinguished and NXDOMAIN is not queried twice") {
  SmallInternet internet;
  internet.dns("servfail.test", dns_failure(DnsKind::server_failure));
  internet.dns("nodata.test", dns_failure(DnsKind::no_data));
  internet.dns("silent.test", dns_failure(DnsKind::silence));
  internet.host("tcp.test").default_page(html_page("x"));
  DnsBehaviour truncated;
  truncated.truncated = true;
  internet.dns("tcp.test", truncated);
  FetchPoolFixture fixture(internet);
  fixture.options.retry.max_retries = 0;
  fixture.options.connect_timeout = std::chrono::seconds(1);
  struct Row {
    std::string host;
    FailureKind failure;
  };
  const std::vector<Row> rows{{"nowhere.test", FailureKind::dns_not_found},
                              {"servfail.test", FailureKind::dns_failed},
                              {"nodata.test", FailureKind::dns_no_address},
                              {"silent.test", FailureKind::dns_timeout},
                              {"*", FailureKind::dns_not_found},
                              {"tcp.test", FailureKind::none}};
  for (const Row& row : rows) {
    CAPTURE(row.host);
    const FetchResult result = fixture.fetch(std::string("http://") + row.host + "/");
    CHECK(enum_name(crawler::failure_names, result.response.failure) == enum_name(crawler::failure_names, row.failure));
  }
  std::size_t asked = 0;
  for (const ReceivedQuery& query : internet.dns_queries())
    asked += query.name == "nowhere.test" && query.type == dns_type::a ? 1U : 0U;
  CHECK(asked == 2);
}

TEST_CASE("a host name is resolved once for all its links") {
  SmallInternet internet;
  internet.host("one.test").default_page(html_page("x"));
  FetchPoolFixture fixture(internet);
  for (int i = 0; i < 20; ++i) fixture.pool().submit(request_for("http://one.test/" + std::to_string(i)));
  CHECK(fixture.take(20).size() == 20);
  CHECK(internet.dns_queries().size() == 2);  // A and AAAA
}

TEST_CASE("failed connections get the matching failure") {
  SmallInternet internet;
  internet.dns("refused.test", dns_addresses({"127.0.0.1"}));
  FetchPoolFixture fixture(internet);
  fixture.options.retry.max_retries = 0;
  fixture.options.connect_to = {"*:80:127.0.0.1:9"};  // port 9 (discard): nothing listens there
  const FetchResult refused = fixture.fetch("http://refused.test/");
  CHECK(refused.response.failure == FailureKind::connection_refused);
  CHECK(refused.response.detail.find("127.0.0.1") != std::string::npos);
}

TEST_CASE("private addresses are refused on every path") {
  SmallInternet internet;
  internet.host("inside.test").default_page(html_page("secret"));
  internet.dns("wrapped.test", dns_addresses({"::ffff:127.0.0.1"}));
  internet.dns("mixed.test", dns_addresses({"10.1.2.3", "192.168.0.1"}));
  FetchPoolFixture fixture(internet);
  fixture.options.addresses.all = false;
  for (const std::string url : {"http://inside.test/", "http://127.0.0.1/", "http://0x7f.1/", "http://[::1]/",
                                "http://wrapped.test/", "http://mixed.test/", "http://[64:ff9b::7f00:1]/"}) {
    CAPTURE(url);
    const FetchResult result = fixture.fetch(url);
    CHECK(enum_name(crawler::failure_names, result.response.failure) == "private_address");
    CHECK_FALSE(result.response.detail.empty());
  }
  CHECK(internet.requests().empty());
}

TEST_CASE("a private address is allowed if the user names it but not if a link does") {
  SmallInternet internet;
  internet.host("any.test").default_page(html_page("x"));
  FetchPoolFixture fixture(internet);
  fixture.options.addresses.all = false;
  fixture.options.connect_to = {"*:80:127.0.0.1:" + std::to_string(internet.http_port())};
  CHECK(fixture.fetch("http://any.test/").response.status == 200);
  CHECK(internet.dns_queries().empty());
  CHECK(fixture.fetch("http://10.0.0.1/").response.failure == FailureKind::private_address);
}

// Under a sanitizer this test proves nothing, because the sanitizer needs descriptors to probe memory through a pipe.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool checks_need_descriptors = true;
#else
constexpr bool checks_need_descriptors = false;
#endif

TEST_CASE("a process without free descriptors waits and blames no host" * doctest::skip(checks_need_descriptors)) {
  SmallInternet internet;
  internet.host("127.0.0.1").default_page(html_page("by address"));
  internet.host("named.test").default_page(html_page("by name"));
  FetchPoolFixture fixture(internet);
  fixture.pool();
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const int lowest_free = open("/dev/null", O_RDONLY | O_CLOEXEC);
  close(lowest_free);
  const rlimit exhausted{static_cast<rlim_t>(lowest_free), before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &exhausted);
  fixture.pool().submit(request_for("http://127.0.0.1/"));
  fixture.pool().submit(request_for("http://named.test/"));
  const auto early = fixture.results.pop_for(std::chrono::milliseconds(800));
  setrlimit(RLIMIT_NOFILE, &before);
  CHECK_FALSE(early.has_value());
  for (const FetchResult& result : fixture.take(2)) {
    CHECK(result.response.status == 200);
    CHECK(result.attempts.size() == 1);
  }
}

TEST_CASE("a restarted name server makes no link dead") {
  SmallInternet internet;
  for (const char* name : {"before.test", "within.test", "after.test"})
    internet.host(name).default_page(html_page("x"));
  const auto behave = [](const DnsQuestion&) { return dns_addresses({"127.0.0.1"}); };
  auto names = std::make_unique<DnsServer>(behave);
  const std::uint16_t port = names->port();
  FetchPoolFixture fixture(internet);
  fixture.options.dns_servers = {"127.0.0.1:" + std::to_string(port)};
  fixture.options.retry.max_retries = 20;
  fixture.options.retry.first_wait = std::chrono::milliseconds(200);
  fixture.options.retry.max_wait = std::chrono::milliseconds(500);
  CHECK(fixture.fetch("http://before.test/").response.status == 200);
  names.reset();
  fixture.pool().submit(request_for("http://within.test/"));
  CHECK_FALSE(fixture.results.pop_for(std::chrono::milliseconds(700)).has_value());
  names = std::make_unique<DnsServer>(behave, port);
  CHECK(fixture.fetch("http://after.test/").response.status == 200);
  const std::vector<FetchResult> within = fixture.take(1);
  REQUIRE(within.size() == 1);
  CHECK(within.front().response.status == 200);
}

TEST_CASE("a reset after any number of bytes is either no answer or a cut answer") {
  const std::string headers = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 60\r\n\r\n";
  const std::string body(60, 'x');
  const std::string whole = headers + body;
  const RawServer server([&](ServerConnection& client) {
    const std::string request = client.read_request();
    const std::size_t count = std::stoul(request.substr(5));  // GET /<count>
    client.send(std::string_view(whole).substr(0, count));
    client.pause(std::chrono::milliseconds(50));
    client.reset();
  });
  const SmallInternet internet;
  FetchPoolFixture fixture(internet);
  fixture.options.retry.max_retries = 0;
  fixture.options.robots = crawler::RobotsMode::ignore;
  for (std::size_t count = 0; count < whole.size(); ++count) {
    fixture.pool().submit(
        request_for("http://127.0.0.1:" + std::to_string(server.port()) + "/" + std::to_string(count)));
  }
  std::size_t answered = 0;
  const std::vector<FetchResult> results = fixture.take(whole.size());
  CHECK(results.size() == whole.size());
  for (const FetchResult& result : results) {
    const std::size_t count = std::stoul(result.final_url.href().substr(result.final_url.href().rfind('/') + 1).data());
    CAPTURE(count);
    if (result.response.status == 200) {
      ++answered;
      CHECK(count >= headers.size());
      CHECK(body.starts_with(result.response.body));
      CHECK_FALSE(result.response.is_body_complete());
    } else {
      const bool said = result.response.failure == FailureKind::connection_reset ||
                        result.response.failure == FailureKind::bad_response;
      CHECK(said);
    }
  }
  CHECK(answered > 0);
}

TEST_CASE("a redirect into a private network is refused") {
  SmallInternet internet;
  internet.host("outside.test").page("/", redirect_page(302, "http://10.0.0.1/admin"));
  FetchPoolFixture fixture(internet);
  fixture.options.addresses.all = false;
  fixture.options.connect_to = {"outside.test:80:127.0.0.1:" + std::to_string(internet.http_port())};
  const FetchResult result = fixture.fetch("http://outside.test/");
  CHECK(result.response.failure == FailureKind::private_address);
  CHECK(result.redirects.size() == 1);
}

TEST_CASE("a folded first header line does not write to freed memory") {
  SmallInternet internet;
  internet.host("odd.test")
      .page("/folded", raw_page("HTTP/1.1 200 OK\r\n folded: line\r\nContent-Length: 0\r\n\r\n"))
      .default_page(html_page("x"));
  FetchPoolFixture fixture(internet);
  fixture.options.threads = 1;
  fixture.options.retry.max_retries = 0;
  for (int i = 0; i < 10; ++i) {
    CHECK(fixture.fetch("http://odd.test/" + std::to_string(i)).response.status == 200);
    const FetchResult folded = fixture.fetch("http://odd.test/folded");
    CHECK(folded.response.status == 200);
    CHECK(folded.response.failure == FailureKind::none);
  }
}

}  // namespace linkherd::tests
