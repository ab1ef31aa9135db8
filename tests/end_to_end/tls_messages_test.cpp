// Tests that TLS and connection errors are described in plain words, without messages of OpenSSL or libcurl.
#include <algorithm>
#include <functional>

#include <doctest/doctest.h>
#include <openssl/ssl.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/raw_server.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

// Options in `way` take precedence over the options for the small internet.
CheckedLine check_link(const SmallInternet& internet, const std::string& url,
                       const std::vector<std::string>& way = {}) {
  const TempDir folder;
  folder.write("list.md", "[x](" + url + ")\n");
  std::vector<std::string> words =
      check_arguments(internet, {"--no-store", "--max-retries", "0", "--format", "jsonl", "list.md"});
  words.insert(words.begin() + 1, way.begin(), way.end());
  const ProgramResult result = run_linkherd(folder.path(), words);
  CAPTURE(result.err);
  CheckedLine line = line_of(checked_lines(result.out), url);
  CAPTURE(line.evidence);
  for (const char* raw : {"SSL", "routines", "error:", "memory"}) CHECK(line.evidence.find(raw) == std::string::npos);
  return line;
}

// Returns options that lead to a server of the test. They take precedence over the options for the small internet.
std::vector<std::string> way_to(const std::string& host, const RawServer& server) {
  return {"--connect-to", host + ":443:127.0.0.1:" + std::to_string(server.port()), "--connect-to",
          host + ":80:127.0.0.1:" + std::to_string(server.port())};
}

}  // namespace

TEST_CASE("plain HTTP on port 443 is reported as no TLS") {
  SmallInternet internet;
  internet.host("plain.herd");
  const RawServer server([](ServerConnection& client) {
    client.read_some();
    client.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
  });
  const CheckedLine line = check_link(internet, "https://plain.herd/", way_to("plain.herd", server));
  CHECK(line.health == "unreachable");
  CHECK(line.reason == "tls_handshake");
  CHECK(line.evidence.find("does not speak TLS") != std::string::npos);
}

TEST_CASE("the log contains the messages of OpenSSL") {
  SmallInternet internet;
  const TempDir folder;
  internet.host("stubborn.herd");
  internet.tls("stubborn.herd", CertificateKind::no_handshake);
  folder.write("list.md", "[x](https://stubborn.herd/)\n");
  run_linkherd(folder.path(), check_arguments(internet, {"--no-store", "--log-file", "log", "list.md"}));
  CHECK(read_file(folder / "log").find("SSL routines") != std::string::npos);
  CHECK(check_link(internet, "https://stubborn.herd/").reason == "tls_handshake");
}

TEST_CASE("a connection closed in the handshake is reported as such") {
  SmallInternet internet;
  internet.host("cut.herd");
  const RawServer server([](ServerConnection& client) {
    client.read_some();
    if (client.number() % 2 == 0) client.reset();
  });
  CHECK(check_link(internet, "https://cut.herd/", way_to("cut.herd", server)).health == "unreachable");
}

TEST_CASE("a weak signature is not an unknown authority") {
  SmallInternet internet;
  for (const auto& [host, kind] :
       {std::pair("sha1.herd", CertificateKind::sha1), std::pair("small.herd", CertificateKind::weak_key)}) {
    CAPTURE(host);
    internet.host(host).default_page(html_page("x"));
    internet.tls(host, kind);
    const CheckedLine line = check_link(internet, std::string("https://") + host + "/");
    CHECK(line.health == "insecure");
    CHECK(line.reason == "tls_weak");
    CHECK(line.evidence.find("too weak") != std::string::npos);
    CHECK(line.evidence.find("authority") == std::string::npos);
  }
}

namespace {

// Checks the result of a host with this kind of certificate, and its evidence.
void check_certificate(CertificateKind kind, const std::string& reason, const std::vector<std::string>& words,
                       const std::string& health = "insecure") {
  SmallInternet internet;
  internet.serve_issuers();
  internet.host("certified.herd").default_page(html_page("<title>A page</title><p>x"));
  internet.tls("certified.herd", kind);
  const CheckedLine line = check_link(internet, "https://certified.herd/");
  CAPTURE(reason);
  CAPTURE(line.evidence);
  CHECK(line.health == health);
  CHECK(line.reason == reason);
  for (const std::string& one : words) {
    CAPTURE(one);
    CHECK(line.evidence.find(one) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("certificate errors are described with dates and names") {
  check_certificate(CertificateKind::expired, "tls_expired", {"expired on 20", ", 35 days ago", "answers HTTP 200"});
  check_certificate(CertificateKind::not_yet_valid, "tls_not_yet_valid", {"not valid before 20", ", in 29 days"});
  check_certificate(CertificateKind::wrong_host, "tls_wrong_host", {"for another host: somebody-else.test;"});
  check_certificate(CertificateKind::self_signed, "tls_self_signed", {"self-signed, by ", "certified.herd"});
  check_certificate(CertificateKind::untrusted_authority, "tls_untrusted",
                    {"not signed by a known authority", "an authority that nobody knows"});
  check_certificate(CertificateKind::stranger_with_root, "tls_untrusted", {"an authority that nobody knows"});
}

TEST_CASE("a missing intermediate is distinguished from an unknown authority") {
  check_certificate(CertificateKind::intermediate_at_url, "ok",
                    {"does not send the intermediate certificate of", "an authority in between", "HTTP 200"}, "alive");
  check_certificate(CertificateKind::two_at_urls, "ok", {"an authority two below"}, "alive");
  check_certificate(CertificateKind::expired_intermediate_at_url, "tls_expired",
                    {"an authority of its own", "35 days"});
  check_certificate(CertificateKind::intermediate_missing, "tls_untrusted", {"an authority in between"});
  check_certificate(CertificateKind::nothing_at_url, "tls_untrusted", {"an authority in between"});
  check_certificate(CertificateKind::stranger_at_url, "tls_untrusted", {"an authority that nobody knows"});
}

TEST_CASE("a page behind a completed chain is read and the chain is completed once per host") {
  SmallInternet internet;
  internet.serve_issuers();
  internet.host("certified.herd").default_page(html_page("<title>A page</title><p>x"));
  internet.tls("certified.herd", CertificateKind::intermediate_at_url);
  const TempDir folder;
  folder.write("list.md",
               "[x](https://certified.herd/1)\n[x](https://certified.herd/2)\n[x](https://certified.herd/3)\n");
  const ProgramResult result = run_linkherd(
      folder.path(),
      check_arguments(internet, {"--no-store", "--format", "jsonl", "--host-concurrency", "1", "list.md"}));
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  for (const CheckedLine& line : checked_lines(result.out)) {
    CHECK(line.health == "alive");
    CHECK(line.harvest.title == "A page");
  }
  CHECK(internet.count("issuers.test", "/intermediate.der") == 1);
  CHECK(internet.count("certified.herd", "/1") == 2);  // once without verification, to get the certificate
  CHECK(internet.count("certified.herd", "/2") == 1);
  CHECK(internet.count("certified.herd", "/3") == 1);
}

TEST_CASE("an error of an intermediate certificate names the intermediate") {
  check_certificate(CertificateKind::expired_intermediate, "tls_expired",
                    {"of its authority (CN = an authority of its own) expired on 20", ", 35 days ago"});
  check_certificate(CertificateKind::future_intermediate, "tls_not_yet_valid",
                    {"an authority of its own", "not valid before 20", ", in 29 days"});
  check_certificate(CertificateKind::intermediate_no_authority, "tls_invalid",
                    {"an authority of its own", "may not sign other certificates"});
  check_certificate(CertificateKind::intermediate_for_others, "tls_invalid", {"name constraints"});
}

TEST_CASE("a certificate of a known authority can still be invalid") {
  check_certificate(CertificateKind::signed_by_old_key, "tls_invalid",
                    {"not made with the key of", "linkherd test authority", "answers HTTP 200"});
  check_certificate(CertificateKind::for_clients, "tls_invalid", {"not meant for web servers"});
  check_certificate(CertificateKind::critical_extension, "tls_invalid", {"critical extension"});
  check_certificate(CertificateKind::only_common_name, "tls_wrong_host",
                    {"no subject alternative name", "certified.herd"});
}

TEST_CASE("a chain may have any order and unrelated or repeated certificates") {
  check_certificate(CertificateKind::intermediate_twice, "ok", {}, "alive");
  check_certificate(CertificateKind::stray_in_chain, "ok", {}, "alive");
}

namespace {

// Checks a link to a server that requests a client certificate.
CheckedLine check_asking(const std::function<void(SSL_CTX*)>& set_up, const RawServer::Script& script) {
  SmallInternet internet;
  internet.host("asking.herd");
  const RawServer server(script, [&](SSL_CTX* context) {
    internet.authority().install(context);
    set_up(context);
  });
  return check_link(internet, "https://asking.herd/", way_to("asking.herd", server));
}

void ask(SSL_CTX* context) { SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr); }
void demand(SSL_CTX* context) {
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
}

std::string with_length(const std::string& status, const std::string& page) {
  return "HTTP/1.1 " + status + "\r\nContent-Type: text/html\r\nContent-Length: " + std::to_string(page.size()) +
         "\r\n\r\n" + page;
}

}  // namespace

TEST_CASE("a server that demands a client certificate is not dead") {
  const auto never = [](ServerConnection&) {};
  const std::vector<std::pair<std::function<void(SSL_CTX*)>, RawServer::Script>> rows{
      {[](SSL_CTX* c) { SSL_CTX_set_max_proto_version(c, TLS1_2_VERSION), demand(c); }, never},
      {&demand, never},
      {&ask, [](ServerConnection& client) { client.read_request(), client.reset(); }},
      {&ask, [](ServerConnection& client) { client.read_request(); }},
      {&ask,
       [](ServerConnection& client) {
         client.read_request();
         client.send(with_length("496 Wanted", "<p>no"));
       }},
      {[](SSL_CTX*) {},
       [](ServerConnection& client) {  // requested after the handshake
         client.read_request();
         SSL_set_verify(client.session(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
         SSL_verify_client_post_handshake(client.session());
         SSL_do_handshake(client.session());
         client.read_some();
       }},
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CAPTURE(i);
    const CheckedLine line = check_asking(rows[i].first, rows[i].second);
    CAPTURE(line.evidence);
    CHECK(line.health == "blocked");
    CHECK(line.reason == "login_required");
    CHECK(line.evidence.find("client certificate") != std::string::npos);
    CHECK(line.evidence.find("errno") == std::string::npos);
  }
}

TEST_CASE("a server with an optional client certificate is alive") {
  const CheckedLine line = check_asking(&ask, [](ServerConnection& client) {
    client.read_request();
    client.send(with_length("200 OK", "<title>A page</title><p>x"));
  });
  CHECK(line.health == "alive");
  CHECK(line.harvest.title == "A page");
}

TEST_CASE("an issuer certificate is fetched once and only a certificate is accepted") {
  SmallInternet internet;
  const TempDir folder;
  std::string list;
  for (const char* host : {"one.herd", "two.herd", "three.herd"}) {
    internet.host(host).default_page(html_page("x"));
    internet.tls(host, CertificateKind::intermediate_at_url);
    list += std::string("[x](https://") + host + "/)\n";
  }
  folder.write("list.md", list);
  Page page = html_page(std::string(200'000, 'x'), "application/pkix-cert");
  SUBCASE("much too long body") {}
  SUBCASE("another page") { page = html_page("<p>not here"); }
  SUBCASE("a redirect") { page = redirect_page(302, "http://one.herd/"); }
  internet.host("issuers.test").default_page(page);
  std::vector<std::string> words =
      check_arguments(internet, {"--no-store", "--format", "jsonl", "--threads", "1", "list.md"});
  const ProgramResult result = run_linkherd(folder.path(), words);
  CAPTURE(result.err);
  for (const CheckedLine& line : checked_lines(result.out)) CHECK(line.reason == "tls_untrusted");
  CHECK(internet.count("issuers.test", "/intermediate.der") == 1);
}

TEST_CASE("an issuer certificate is not fetched from a private address") {
  SmallInternet internet;
  internet.serve_issuers();
  internet.listen_on("127.0.0.9");
  internet.dns("issuers.test", dns_addresses({"127.0.0.9"}));
  internet.host("certified.herd").default_page(html_page("x"));
  internet.tls("certified.herd", CertificateKind::intermediate_at_url);
  const TempDir folder;
  folder.write("list.md", "[x](https://certified.herd/)\n");
  std::vector<std::string> words = check_arguments(internet, {"--no-store", "--format", "jsonl", "list.md"});
  std::ranges::replace(words, std::string("--allow-private"), std::string("--allow-private=127.0.0.1/32"));
  const ProgramResult result = run_linkherd(folder.path(), words);
  CAPTURE(result.err);
  CHECK(checked_lines(result.out).front().reason == "tls_untrusted");
  CHECK(internet.requests("issuers.test").empty());
}

TEST_CASE("a certificate is revoked only by a valid stapled OCSP response") {
  check_certificate(CertificateKind::stapled_revoked, "tls_revoked", {"revoked", "OCSP", "answers HTTP 200"});
  for (const CertificateKind kind :
       {CertificateKind::stapled_good, CertificateKind::stapled_by_stranger, CertificateKind::stapled_long_ago}) {
    CAPTURE(static_cast<int>(kind));
    check_certificate(kind, "ok", {}, "alive");
  }
}

TEST_CASE("a server with only an old version of TLS is insecure and not dead") {
  check_certificate(CertificateKind::old_protocol, "tls_old_protocol", {"supports only TLS 1.1", "answers HTTP 200"});
}

TEST_CASE("a header that is too large is not reported as out of memory") {
  SmallInternet internet;
  internet.host("large.herd");
  const RawServer server([](ServerConnection& client) {
    client.read_request();
    client.send("HTTP/1.1 200 OK\r\nX-Large: " + std::string(150'000, 'a') + "\r\n\r\n");
  });
  const CheckedLine line = check_link(internet, "http://large.herd/", way_to("large.herd", server));
  CHECK(line.evidence.find("emory") == std::string::npos);
}

TEST_CASE("host names keep their case in messages") {
  SmallInternet internet;
  internet.host("empty.herd");
  internet.dns("empty.herd", dns_failure(DnsKind::no_data));
  const CheckedLine line = check_link(internet, "http://empty.herd/");
  CHECK(line.reason == "dns_no_address");
  CHECK(line.evidence.find("empty.herd") != std::string::npos);
}

TEST_CASE("SSL_CERT_FILE names the CA certificates, and an unreadable one is reported") {
  SmallInternet internet;
  internet.host("good.herd").page("/", html_page("<title>Fine</title>"));
  const TempDir folder;
  folder.write("list.md", "[x](https://good.herd/)\n");
  std::vector<std::string> words =
      check_arguments(internet, {"--no-store", "--max-retries", "0", "--format", "jsonl", "list.md"});
  const auto option = std::ranges::find(words, "--ca-file");
  REQUIRE(option != words.end());
  words.erase(option, option + 2);

  ProgramOptions options = linkherd_options(folder.path(), words);
  options.environment["SSL_CERT_FILE"] = internet.ca_file();
  const ProgramResult trusting = run_program(LINKHERD_PROGRAM, options);
  CAPTURE(trusting.err);
  CHECK(line_of(checked_lines(trusting.out), "https://good.herd/").health == "alive");
  CHECK_FALSE(holds(trusting.err, "SSL_CERT_FILE"));

  options.environment["SSL_CERT_FILE"] = "/nowhere.pem";
  const ProgramResult doubting = run_program(LINKHERD_PROGRAM, options);
  CAPTURE(doubting.err);
  CHECK(line_of(checked_lines(doubting.out), "https://good.herd/").health == "insecure");
  CHECK(holds(doubting.err, "/nowhere.pem"));
}
