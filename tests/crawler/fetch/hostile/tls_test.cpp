// Tests every kind of invalid certificate, and servers whose TLS handshake fails.
#include <openssl/ssl.h>

#include "tests/crawler/fetch/hostile/hostile_case.h"
#include "tests/support/small_internet.h"
#include "tests/support/temp_dir.h"

namespace linkherd::tests {

namespace {

void survive_certificate(CertificateKind kind, const Expected& expected,
                         const std::function<void(crawler::FetchOptions&)>& adjust = {},
                         const std::function<void(const crawler::FetchResult&)>& look = {}) {
  SmallInternet internet;
  internet.host("www.hostile.test").default_page(html_page("<p>hello</p>"));
  internet.tls("www.hostile.test", kind);
  survive_own_server(expected, {.url = "https://www.hostile.test/page",
                                .adjust =
                                    [&](crawler::FetchOptions& options) {
                                      options.connect_to = {"*:443:127.0.0.1:" + std::to_string(internet.https_port())};
                                      options.ca_file = internet.ca_file();
                                      options.timeout = std::chrono::seconds(5);
                                      options.connect_timeout = std::chrono::seconds(5);
                                      if (adjust) adjust(options);
                                    },
                                .check_result = look});
}

void is_looked_behind(const crawler::FetchResult& result) {
  CHECK(result.response.unverified_status == 200);
  CHECK(result.response.certificate.has_value());
}
void has_certificate(const crawler::FetchResult& result) {
  REQUIRE(result.response.certificate.has_value());
  CHECK(result.response.certificate->certificate.expires.has_value());
  CHECK_FALSE(result.response.certificate->certificate.issuer.empty());
}

// Runs a case against a TLS server with a valid certificate, whose context `set_up` configures.
void survive_tls(const std::function<void(SSL_CTX*)>& set_up, const Script& script, const Expected& expected,
                 const std::function<void(crawler::FetchOptions&)>& adjust = {}) {
  TestAuthority authority;
  const TempDir folder;
  const std::string ca_file = folder.write("ca.pem", authority.certificate_pem()).string();
  survive(script, expected,
          {.url = "https://hostile.test/page",
           .adjust =
               [&](crawler::FetchOptions& options) {
                 options.ca_file = ca_file;
                 if (adjust) adjust(options);
               },
           .tls =
               [&](SSL_CTX* context) {
                 authority.install(context);
                 set_up(context);
               }});
}

const Expected no_handshake{Health::unreachable, "tls_handshake"};
const Expected old_protocol{Health::insecure, "tls_old_protocol"};
const Expected untrusted{Health::insecure, "tls_untrusted"};
const Expected weak{Health::insecure, "tls_weak"};

}  // namespace

TEST_CASE("a trusted certificate is alive") { survive_certificate(CertificateKind::trusted, {}, {}, has_certificate); }
TEST_CASE("an expired certificate is insecure") {
  survive_certificate(CertificateKind::expired, {Health::insecure, "tls_expired"}, {}, is_looked_behind);
}
TEST_CASE("a certificate that is not valid yet is insecure") {
  survive_certificate(CertificateKind::not_yet_valid, {Health::insecure, "tls_not_yet_valid"}, {}, is_looked_behind);
}
TEST_CASE("a certificate that expires tomorrow is alive") {
  survive_certificate(CertificateKind::expires_tomorrow, {}, {}, has_certificate);
}
TEST_CASE("a self-signed certificate is insecure") {
  survive_certificate(CertificateKind::self_signed, {Health::insecure, "tls_self_signed"}, {}, is_looked_behind);
}
TEST_CASE("a certificate for another host is insecure") {
  survive_certificate(CertificateKind::wrong_host, {Health::insecure, "tls_wrong_host"}, {}, is_looked_behind);
}
TEST_CASE("a certificate of an unknown authority is insecure") {
  survive_certificate(CertificateKind::untrusted_authority, untrusted, {}, is_looked_behind);
}
TEST_CASE("a certificate without a common name is alive") { survive_certificate(CertificateKind::no_common_name, {}); }
TEST_CASE("a certificate without subject is alive") { survive_certificate(CertificateKind::no_subject, {}); }
TEST_CASE("a wildcard certificate is alive") { survive_certificate(CertificateKind::wildcard, {}); }
TEST_CASE("a wildcard certificate one level too high is insecure") {
  survive_certificate(CertificateKind::wildcard_above, {Health::insecure, "tls_wrong_host"});
}
TEST_CASE("a certificate for a thousand hosts is alive") { survive_certificate(CertificateKind::thousand_names, {}); }
TEST_CASE("a certificate for ten thousand hosts fails the handshake") {
  survive_certificate(CertificateKind::ten_thousand_names, no_handshake);
}
TEST_CASE("a certificate signed with SHA-1 is insecure") {
  survive_certificate(CertificateKind::sha1, weak, {}, is_looked_behind);
}
TEST_CASE("a certificate with a weak key is insecure") { survive_certificate(CertificateKind::weak_key, weak); }
TEST_CASE("a chain with its intermediate is alive") { survive_certificate(CertificateKind::with_intermediate, {}); }
TEST_CASE("a chain without its intermediate is insecure") {
  survive_certificate(CertificateKind::intermediate_missing, untrusted, {}, is_looked_behind);
}
TEST_CASE("a chain in the wrong order with unrelated certificates is alive") {
  survive_certificate(CertificateKind::stray_in_chain, {});
}
TEST_CASE("a refused handshake is unreachable") { survive_certificate(CertificateKind::no_handshake, no_handshake); }
TEST_CASE("a bad certificate is alive in insecure mode") {
  survive_certificate(
      CertificateKind::expired, {}, [](crawler::FetchOptions& options) { options.insecure = true; }, has_certificate);
}
TEST_CASE("no secret is sent to a server with a bad certificate") {
  SmallInternet internet;
  internet.host("hostile.test").default_page(html_page("x"));
  internet.tls("hostile.test", CertificateKind::self_signed);
  survive_own_server({Health::insecure, "tls_self_signed"},
                     {.url = "https://hostile.test/", .adjust = [&](crawler::FetchOptions& options) {
                        options.connect_to = {"*:443:127.0.0.1:" + std::to_string(internet.https_port())};
                        options.ca_file = internet.ca_file();
                        options.headers = {crawler::parse_basic_auth("hostile.test me:secret").value(),
                                           crawler::parse_header("X-Key: secret").value()};
                        options.cookies =
                            crawler::parse_cookie_file("hostile.test\tFALSE\t/\tFALSE\t0\tk\tsecret\n").value();
                      }});
  REQUIRE(internet.requests().size() == 1);
  const ReceivedRequest seen = internet.requests().front();
  for (const std::string name : {"Authorization", "X-Key", "Cookie"}) CHECK(seen.header(name) == "");
}

TEST_CASE("a server with only TLS 1.2 is alive") {
  survive_tls([](SSL_CTX* c) { SSL_CTX_set_max_proto_version(c, TLS1_2_VERSION); }, respond_with(ok("")), {});
}
TEST_CASE("a server with only TLS 1.0 is insecure") {
  survive_tls(
      [](SSL_CTX* c) {
        SSL_CTX_set_security_level(c, 0), SSL_CTX_set_min_proto_version(c, TLS1_VERSION),
            SSL_CTX_set_max_proto_version(c, TLS1_VERSION);
      },
      respond_with(ok("")), old_protocol);
}
TEST_CASE("a server with only TLS 1.1 is insecure") {
  survive_tls(
      [](SSL_CTX* c) {
        SSL_CTX_set_security_level(c, 0), SSL_CTX_set_min_proto_version(c, TLS1_VERSION),
            SSL_CTX_set_max_proto_version(c, TLS1_1_VERSION);
      },
      respond_with(ok("")), old_protocol);
}
TEST_CASE("a server with TLS 1.2 fails the handshake if TLS 1.3 is required") {
  survive_tls([](SSL_CTX* c) { SSL_CTX_set_max_proto_version(c, TLS1_2_VERSION); }, respond_with(ok("")), no_handshake,
              [](crawler::FetchOptions& options) { options.min_tls = crawler::TlsVersion::v1_3; });
}
TEST_CASE("ciphers without encryption fail the handshake") {
  survive_tls(
      [](SSL_CTX* c) {
        SSL_CTX_set_security_level(c, 0);
        SSL_CTX_set_max_proto_version(c, TLS1_2_VERSION);
        SSL_CTX_set_cipher_list(c, "eNULL");
      },
      respond_with(ok("")), no_handshake);
}
TEST_CASE("ciphers without certificate fail the handshake") {
  survive_tls(
      [](SSL_CTX* c) {
        SSL_CTX_set_security_level(c, 0);
        SSL_CTX_set_max_proto_version(c, TLS1_2_VERSION);
        SSL_CTX_set_cipher_list(c, "aNULL");
      },
      respond_with(ok("")), no_handshake);
}
TEST_CASE("a required client certificate is a login") {
  survive_tls(
      [](SSL_CTX* c) {
        SSL_CTX_set_max_proto_version(c, TLS1_2_VERSION);
        SSL_CTX_set_verify(c, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
      },
      respond_with(ok("")), {Health::blocked, "login_required"});
}
TEST_CASE("a client certificate required after the TLS 1.3 handshake is a login") {
  survive_tls([](SSL_CTX* c) { SSL_CTX_set_verify(c, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr); },
              respond_with(ok("")), {Health::blocked, "login_required"});
}
TEST_CASE("a missing TLS close at the end of a body without length is accepted") {
  survive_tls([](SSL_CTX*) {}, respond_with("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>hello</p>"), {});
}
TEST_CASE("a protocol that was not offered fails the handshake") {
  const auto choose = [](SSL*, const unsigned char** out, unsigned char* length, const unsigned char*, unsigned,
                         void*) {
    *out = reinterpret_cast<const unsigned char*>("spdy/3");
    *length = 6;
    return SSL_TLSEXT_ERR_OK;
  };
  survive_tls([&](SSL_CTX* c) { SSL_CTX_set_alpn_select_cb(c, choose, nullptr); }, respond_with(ok("")), no_handshake);
}
TEST_CASE("no common protocol fails the handshake") {
  const auto refuse = [](SSL*, const unsigned char**, unsigned char*, const unsigned char*, unsigned, void*) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  };
  survive_tls([&](SSL_CTX* c) { SSL_CTX_set_alpn_select_cb(c, refuse, nullptr); }, respond_with(ok("")), no_handshake);
}
TEST_CASE("a host name unknown to the TLS server fails the handshake") {
  // Not SSL_CTX_set_tlsext_servername_callback: that macro casts in the old style.
  const auto refuse = [](SSL*, int* alert, void*) {
    *alert = SSL_AD_UNRECOGNIZED_NAME;
    return SSL_CLIENT_HELLO_ERROR;
  };
  survive_tls([&](SSL_CTX* c) { SSL_CTX_set_client_hello_cb(c, refuse, nullptr); }, respond_with(ok("")), no_handshake);
}

}  // namespace linkherd::tests
