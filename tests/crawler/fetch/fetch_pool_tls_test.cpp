// Certificates: good ones, and each way in which one can be bad.
#include <doctest/doctest.h>

#include "tests/crawler/fetch/pool_bench.h"

namespace linkherd::tests {

TEST_CASE("A good certificate is verified and its facts are kept also over a reused connection") {
  SmallInternet internet;
  internet.host("good.test").otherwise(html_page("x"));
  PoolBench bench(internet);
  bench.options.politeness.host_concurrency = 1;
  for (int i = 0; i < 3; ++i) bench.pool().submit(request_for("https://good.test/" + std::to_string(i)));
  for (const FetchResult& result : bench.take(3)) {
    CHECK(result.status == 200);
    CHECK(result.failure_detail == "");
    REQUIRE(result.certificate);
    CHECK(result.certificate->subject.find("good.test") != std::string::npos);
    CHECK_FALSE(result.certificate->issuer.empty());
    REQUIRE(result.certificate->expires);
    CHECK(*result.certificate->expires > bench.clock.now());
  }
}

TEST_CASE("A bad certificate is named and looked behind once") {
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
  PoolBench bench(internet);
  for (const Row& row : rows) {
    const std::string name = "bad" + std::to_string(static_cast<int>(row.kind)) + ".test";
    CAPTURE(name);
    internet.host(name).otherwise(html_page("still here"));
    internet.tls(name, row.kind);
    const FetchResult result = bench.fetch("https://" + name + "/");
    CHECK(result.status == 0);
    CHECK(enum_name(crawler::failure_names, result.failure) == enum_name(crawler::failure_names, row.failure));
    CHECK(result.unverified_status == 200);
    CAPTURE(result.failure_detail);
    CHECK(result.failure_detail.find(row.words) != std::string::npos);
    CHECK(result.certificate);
    CHECK(internet.requests(name).size() == 1);
  }
}

TEST_CASE("A server that refuses the handshake and one that speaks no TLS are no certificate failures") {
  SmallInternet internet;
  internet.host("no.test").otherwise(html_page("x"));
  internet.tls("no.test", CertificateKind::no_handshake);
  PoolBench bench(internet);
  bench.options.retry.max_retries = 0;
  CHECK(bench.fetch("https://no.test/").failure == FailureKind::tls_handshake);
  bench.end_pool();
  bench.options.connect_to = {"*:443::" + std::to_string(internet.http_port())};
  const FetchResult plain = bench.fetch("https://no.test/");
  CHECK(plain.status == 0);
  CHECK(plain.unverified_status == 0);
  CHECK_FALSE(crawler::is_certificate_failure(plain.failure));
}

}  // namespace linkherd::tests
