// What is wrong with a connection is said in plain words: nothing of OpenSSL's or libcurl's own.
#include <doctest/doctest.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/raw_server.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

// `way`: options that count before the small internet's.
CheckedLine check_link(const SmallInternet& internet, const std::string& url,
                       const std::vector<std::string>& way = {}) {
  const TempDir folder;
  folder.write("list.md", "[x](" + url + ")\n");
  std::vector<std::string> words =
      check_words(internet, {"--no-store", "--max-retries", "0", "--format", "jsonl", "list.md"});
  words.insert(words.begin() + 1, way.begin(), way.end());
  const ProgramResult result = run_linkherd(folder.path(), words);
  CAPTURE(result.err);
  CheckedLine line = line_of(checked_lines(result.out), url);
  CAPTURE(line.evidence);
  for (const char* raw : {"SSL", "routines", "error:", "memory"}) CHECK(line.evidence.find(raw) == std::string::npos);
  return line;
}

// The way to a server of the test's own, before the small internet's.
std::vector<std::string> way_to(const std::string& host, const RawServer& server) {
  return {"--connect-to", host + ":443:127.0.0.1:" + std::to_string(server.port()), "--connect-to",
          host + ":80:127.0.0.1:" + std::to_string(server.port())};
}

}  // namespace

TEST_CASE("plain HTTP on 443 does not speak TLS") {
  SmallInternet internet;
  internet.host("plain.herd");
  const RawServer server([](Conversation& client) {
    client.read_some();
    client.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
  });
  const CheckedLine line = check_link(internet, "https://plain.herd/", way_to("plain.herd", server));
  CHECK(line.health == "unreachable");
  CHECK(line.reason == "tls_handshake");
  CHECK(line.evidence.find("does not speak TLS") != std::string::npos);
}

TEST_CASE("OpenSSL's own words are in the log") {
  SmallInternet internet;
  const TempDir folder;
  internet.host("stubborn.herd");
  internet.tls("stubborn.herd", CertificateKind::no_handshake);
  folder.write("list.md", "[x](https://stubborn.herd/)\n");
  run_linkherd(folder.path(), check_words(internet, {"--no-store", "--log-file", "log", "list.md"}));
  CHECK(read_file(folder / "log").find("SSL routines") != std::string::npos);
  CHECK(check_link(internet, "https://stubborn.herd/").reason == "tls_handshake");
}

TEST_CASE("a connection that is cut in the handshake is said as such") {
  SmallInternet internet;
  internet.host("cut.herd");
  const RawServer server([](Conversation& client) {
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
    internet.host(host).otherwise(html_page("x"));
    internet.tls(host, kind);
    const CheckedLine line = check_link(internet, std::string("https://") + host + "/");
    CHECK(line.health == "insecure");
    CHECK(line.reason == "tls_weak");
    CHECK(line.evidence.find("too weak") != std::string::npos);
    CHECK(line.evidence.find("authority") == std::string::npos);
  }
}

TEST_CASE("a header that is too large is not a lack of memory") {
  SmallInternet internet;
  internet.host("large.herd");
  const RawServer server([](Conversation& client) {
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
