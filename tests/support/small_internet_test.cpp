// Tests SmallInternet as a whole: hosts, certificates, names and logs.
#include "tests/support/small_internet.h"

#include <filesystem>
#include <future>

#include <curl/curl.h>
#include <doctest/doctest.h>
#include <openssl/x509_vfy.h>

#include "tests/support/curl_client.h"

namespace linkherd::tests {

TEST_CASE("each host has its own script") {
  SmallInternet internet;
  internet.host("a.test").page("/x?y=1", html_page("from a"));
  internet.host("b.test").default_page(html_page("from b"));
  internet.host("c.test").page("/planted", html_page("planted")).handler([](const ReceivedRequest& request) {
    return html_page("handled " + request.method + " " + request.target);
  });
  CHECK(get(internet, "http://a.test/x?y=1").body == "from a");
  CHECK(get(internet, "http://a.test/x").status == 404);
  CHECK(get(internet, "https://b.test/whatever").body == "from b");
  CHECK(get(internet, "http://c.test/planted").body == "planted");
  CHECK(get(internet, "http://c.test/other").body == "handled GET /other");
  CHECK(get(internet, "http://unknown.test/").status == 421);
}

TEST_CASE("consecutive answers end with the last one") {
  SmallInternet internet;
  internet.host("a.test").pages("/", {status_page(429, {{"Retry-After", "1"}}), html_page("fine")});
  CHECK(get(internet, "http://a.test/").status == 429);
  CHECK(get(internet, "http://a.test/").body == "fine");
  CHECK(get(internet, "http://a.test/").body == "fine");
}

TEST_CASE("a page with validators answers conditional requests") {
  SmallInternet internet;
  Page page = html_page("hello");
  page.headers.emplace_back("ETag", "\"v1\"");
  page.headers.emplace_back("Last-Modified", "Tue, 05 Mar 2024 10:20:00 GMT");
  internet.host("a.test").page("/", page);
  const auto status = [&internet](const std::string& header) {
    ClientRequest request;
    request.url = "http://a.test/";
    request.headers = {header};
    return get(internet, request).status;
  };
  CHECK(status("If-None-Match: \"v1\"") == 304);
  CHECK(status("If-None-Match: \"v2\"") == 200);
  CHECK(status("If-Modified-Since: Tue, 05 Mar 2024 10:20:00 GMT") == 304);
  CHECK(status("If-Modified-Since: Tue, 05 Mar 2019 10:20:00 GMT") == 200);
}

TEST_CASE("each kind of certificate fails in its own way") {
  struct Row {
    long verify_result;
    CertificateKind kind;
    bool accepted;
  };
  const std::vector<Row> rows{
      {X509_V_OK, CertificateKind::trusted, true},
      {X509_V_ERR_CERT_HAS_EXPIRED, CertificateKind::expired, false},
      {X509_V_ERR_CERT_NOT_YET_VALID, CertificateKind::not_yet_valid, false},
      {X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, CertificateKind::self_signed, false},
      {X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, CertificateKind::untrusted_authority, false},
      {X509_V_ERR_UNSPECIFIED, CertificateKind::wrong_host, false},  // libcurl itself checks the name, before the chain
  };
  SmallInternet internet;
  internet.host("a.test").default_page(html_page("hello"));
  for (const Row& row : rows) {
    CAPTURE(static_cast<int>(row.kind));
    internet.tls("a.test", row.kind);
    const ClientResponse answer = get(internet, "https://a.test/");
    CHECK((answer.curl_code == CURLE_OK) == row.accepted);
    CHECK(answer.verify_result == row.verify_result);
    if (!row.accepted) CHECK(answer.curl_code == CURLE_PEER_FAILED_VERIFICATION);
  }
  internet.tls("a.test", CertificateKind::no_handshake);
  CHECK(get(internet, "https://a.test/").curl_code == CURLE_SSL_CONNECT_ERROR);
}

TEST_CASE("a small internet records every request") {
  SmallInternet internet;
  internet.host("a.test").default_page(html_page("a"));
  internet.host("b.test").default_page(html_page("b"));
  ClientRequest request;
  request.url = "https://A.test:443/p?q";
  request.headers = {"X-Mark: here"};
  get(internet, request);
  get(internet, "http://b.test/");
  const std::vector<ReceivedRequest> seen = internet.requests();
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].url() == "https://a.test/p?q");
  CHECK(seen[0].method == "GET");
  CHECK(seen[0].header("x-mark") == "here");
  CHECK(seen[0].tls);
  CHECK_FALSE(seen[1].tls);
  CHECK(seen[0].connection != seen[1].connection);
  CHECK(seen[0].time <= seen[1].time);
  CHECK(internet.requests("b.test").size() == 1);
  CHECK(internet.count("a.test", "/p?q") == 1);
  CHECK(internet.wait_for_requests(2, std::chrono::milliseconds(0)));
  CHECK_FALSE(internet.wait_for_requests(3, std::chrono::milliseconds(30)));
  internet.clear_requests();
  CHECK(internet.requests().empty());
}

TEST_CASE("a small internet counts simultaneous requests per host") {
  SmallInternet internet;
  Page slow = html_page("slow");
  slow.delay = std::chrono::milliseconds(700);
  internet.host("a.test").default_page(slow);
  internet.host("b.test").default_page(html_page("quick"));
  std::vector<std::future<long>> clients;
  clients.reserve(3);
  for (int i = 0; i < 3; ++i) {
    clients.push_back(std::async(std::launch::async, [&internet] { return get(internet, "http://a.test/").status; }));
  }
  for (std::future<long>& client : clients) CHECK(client.get() == 200);
  get(internet, "http://b.test/");
  get(internet, "http://b.test/");
  CHECK(internet.max_concurrent("a.test") >= 2);
  CHECK(internet.max_concurrent("a.test") <= 3);
  CHECK(internet.max_concurrent("b.test") == 1);
  CHECK(internet.max_concurrent("c.test") == 0);
}

TEST_CASE("further addresses serve the same hosts") {
  SmallInternet internet;
  internet.host("a.test").default_page(html_page("hello"));
  internet.listen_on("127.0.0.9");
  ClientRequest request;
  request.url = "https://a.test/";
  request.address = "127.0.0.9";
  CHECK(get(internet, request).body == "hello");
  CHECK(internet.requests().back().server_address == "127.0.0.9");
  request.address = "127.0.0.10";
  CHECK(get(internet, request).curl_code == CURLE_COULDNT_CONNECT);
}

TEST_CASE("the options direct a client to its servers") {
  SmallInternet internet;
  const std::vector<std::string> options = internet.options();
  REQUIRE(options.size() == 9);
  CHECK(options[0] == "--dns-server");
  CHECK(options[1] == internet.dns_server());
  CHECK(options[3] == internet.ca_file());
  CHECK(options[4] == "--allow-private");
  CHECK(options[6] == "*:80::" + std::to_string(internet.http_port()));
  CHECK(options[8] == "*:443::" + std::to_string(internet.https_port()));
  CHECK(std::filesystem::exists(internet.ca_file()));
}

}  // namespace linkherd::tests
