// Tests good certificates and each kind of bad one.
#include <atomic>

#include <doctest/doctest.h>
#include <openssl/ssl.h>

#include "crawler/fetch/http/certificate.h"
#include "tests/crawler/fetch/fetch_pool_fixture.h"
#include "tests/support/raw_server.h"
#include "tests/support/temp_dir.h"

namespace linkherd::tests {

TEST_CASE("a good certificate is verified and its facts are kept even on a reused connection") {
  SmallInternet internet;
  internet.host("good.test").default_page(html_page("x"));
  FetchPoolFixture fixture(internet);
  fixture.options.politeness.host_concurrency = 1;
  for (int i = 0; i < 3; ++i) fixture.pool().submit(request_for("https://good.test/" + std::to_string(i)));
  for (const FetchResult& result : fixture.take(3)) {
    CHECK(result.response.status == 200);
    CHECK(result.response.detail == "");
    REQUIRE(result.response.certificate);
    CHECK(result.response.certificate->certificate.subject.find("good.test") != std::string::npos);
    CHECK_FALSE(result.response.certificate->certificate.issuer.empty());
    REQUIRE(result.response.certificate->certificate.expires);
    CHECK(*result.response.certificate->certificate.expires > fixture.clock.now());
  }
}

TEST_CASE("a bad certificate is named and one request is made without verification") {
  struct Row {
    CertificateKind kind;
    FailureKind failure;
    std::string words;
  };
  const std::vector<Row> rows{
      {CertificateKind::expired, FailureKind::tls_expired, "certificate expired on 20"},
      {CertificateKind::not_yet_valid, FailureKind::tls_not_yet_valid, "certificate is not valid before 20"},
      {CertificateKind::self_signed, FailureKind::tls_self_signed, "self-signed"},
      {CertificateKind::wrong_host, FailureKind::tls_wrong_host, "another host"},
      {CertificateKind::untrusted_authority, FailureKind::tls_untrusted, "known authority"}};
  SmallInternet internet;
  FetchPoolFixture fixture(internet);
  for (const Row& row : rows) {
    const std::string name = "bad" + std::to_string(static_cast<int>(row.kind)) + ".test";
    CAPTURE(name);
    internet.host(name).default_page(html_page("still here"));
    internet.tls(name, row.kind);
    const FetchResult result = fixture.fetch("https://" + name + "/");
    CHECK(result.response.status == 0);
    CHECK(enum_name(crawler::failure_names, result.response.failure) == enum_name(crawler::failure_names, row.failure));
    CHECK(result.response.unverified_status == 200);
    CAPTURE(result.response.detail);
    CHECK(result.response.detail.find(row.words) != std::string::npos);
    CHECK(result.response.certificate);
    CHECK(internet.requests(name).size() == 1);
  }
}

namespace {

// Requests a certificate from every client and counts the received ones.
class AskingServer {
 public:
  AskingServer(TestAuthority& authority, const std::string& ca_file, std::string location)
      : server_(
            [location = std::move(location)](ServerConnection& client) {
              client.read_request();
              client.send(location.empty()
                              ? "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/html\r\n\r\nx"
                              : "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nConnection: close\r\nLocation: " +
                                    location + "\r\n\r\n");
            },
            [&](SSL_CTX* context) {
              authority.install(context);
              SSL_CTX_load_verify_locations(context, ca_file.c_str(), nullptr);
              SSL_CTX_set_verify(context, SSL_VERIFY_PEER, &AskingServer::note);
              shown = 0;
            }) {}
  std::string port() const { return std::to_string(server_.port()); }

  static inline std::atomic<int> shown{0};

 private:
  static int note(int verified, X509_STORE_CTX* /*chain*/) {
    ++shown;
    return verified;
  }
  RawServer server_;
};

}  // namespace

TEST_CASE("a client certificate is sent to the link's own host and not to a redirect target") {
  SmallInternet internet;
  TestAuthority authority;
  const TempDir folder;
  const std::string ca_file = folder.write("ca.pem", authority.certificate_pem()).string();
  const std::string client = folder.write("client.pem", authority.client_pem()).string();
  CHECK_FALSE(crawler::check_client_certificate(client, "").has_value());
  FetchPoolFixture fixture(internet);
  fixture.options.ca_file = ca_file;
  fixture.options.client_cert = client;
  const AskingServer server(authority, ca_file, "");
  fixture.options.connect_to = {"home.test:443:127.0.0.1:" + server.port(), "away.test:443:127.0.0.1:" + server.port()};
  CHECK(fixture.fetch("https://home.test/").response.status == 200);
  const int once = AskingServer::shown;  // the callback is called for every certificate of the chain
  CHECK(once > 0);
  fixture.end_pool();
  const AskingServer sending_away(authority, ca_file, "https://away.test/");
  fixture.options.connect_to[0] = "home.test:443:127.0.0.1:" + sending_away.port();
  CHECK(fixture.fetch("https://home.test/").response.status == 200);
  CHECK(AskingServer::shown == once);
}

TEST_CASE("unusable client certificates are named") {
  const TestAuthority authority;
  const TestAuthority other;
  const TempDir folder;
  const std::string good = folder.write("good.pem", authority.client_pem()).string();
  const std::string stranger = folder.write("stranger.pem", other.client_pem()).string();
  const std::string text = folder.write("text.pem", "hello").string();
  const std::string only_certificate = folder.write("cert.pem", authority.certificate_pem()).string();
  CHECK_FALSE(crawler::check_client_certificate(good, good).has_value());
  for (const auto& [certificate, key] : std::vector<std::pair<std::string, std::string>>{{"missing.pem", ""},
                                                                                         {text, ""},
                                                                                         {only_certificate, ""},
                                                                                         {good, stranger},
                                                                                         {good, "missing.pem"},
                                                                                         {"", good}}) {
    CAPTURE(certificate);
    CAPTURE(key);
    CHECK(crawler::check_client_certificate(certificate, key).has_value());
  }
}

TEST_CASE("a refused handshake and a server without TLS are no certificate failures") {
  SmallInternet internet;
  internet.host("no.test").default_page(html_page("x"));
  internet.tls("no.test", CertificateKind::no_handshake);
  FetchPoolFixture fixture(internet);
  fixture.options.retry.max_retries = 0;
  CHECK(fixture.fetch("https://no.test/").response.failure == FailureKind::tls_handshake);
  fixture.end_pool();
  fixture.options.connect_to = {"*:443::" + std::to_string(internet.http_port())};
  const FetchResult plain = fixture.fetch("https://no.test/");
  CHECK(plain.response.status == 0);
  CHECK(plain.response.unverified_status == 0);
  CHECK_FALSE(crawler::is_certificate_failure(plain.response.failure));
}

}  // namespace linkherd::tests
