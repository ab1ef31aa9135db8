#include "crawler/run/outage.h"

#include <doctest/doctest.h>

using namespace linkherd::crawler;
using linkherd::parser::Url;

TEST_CASE("the outage rule compares failing domains with answering ones") {
  struct Row {
    ContactCounts counts;
    bool slow_contacts_done;
    bool outage;
    const char* why;
  };
  const Row rows[] = {
      {{0, 0, 0}, true, false, "nothing was tried"},
      {{1, 1, 0}, true, false, "one domain that fails is its own fault"},
      {{1, 1, 1}, true, true, "no DNS server answers for the only domain"},
      {{9, 9, 8}, true, false, "fewer than ten and one DNS answer"},
      {{9, 9, 9}, false, true, "no DNS server answers for any"},
      {{10, 10, 0}, false, true, "ten domains and all fail"},
      {{10, 9, 0}, false, false, "young run with one answer"},
      {{10, 5, 0}, true, true, "settled and half of them fail"},
      {{10, 4, 0}, true, false, "settled and less than half fail"},
      {{1000, 499, 499}, true, false, "a list with many dead hosts"},
      {{9, 0, 0, 9}, true, false, "nine hosts that do not exist"},
      {{10, 0, 0, 10}, false, true, "not one of ten hosts exists"},
      {{10, 0, 0, 9}, true, false, "one of ten hosts exists"},
      {{10, 4, 0, 6}, false, true, "no answer but that there is no such host"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.why);
    CHECK(is_outage(row.counts, 0.5, row.slow_contacts_done) == row.outage);
  }
}

TEST_CASE("a domain counts once by its latest contact") {
  OutageDetector detector(true);
  const Url first = Url::parse("https://a.zhihu.com/1").value();
  const Url second = Url::parse("https://b.zhihu.com/2").value();
  detector.on_attempt(first, 0, FailureKind::dns_timeout);
  CHECK(detector.counts().domains == 1);
  CHECK(detector.counts().without_service == 1);
  detector.on_attempt(second, 200, FailureKind::none);
  CHECK(detector.counts().domains == 1);
  CHECK(detector.counts().failing == 0);
}

TEST_CASE("an unresponsive host of an earlier run counts only if it answers or DNS fails") {
  OutageDetector detector(true);
  linkherd::storage::HostState silent{
      .origin = "https://silent.cn", .not_before = std::nullopt, .unresponsive = std::nullopt};
  silent.unresponsive = {.since = {}, .last = {}, .strikes = 1};
  detector.restore({silent});
  const Url url = Url::parse("https://silent.cn/").value();
  detector.on_attempt(url, 0, FailureKind::connect_timeout);
  CHECK(detector.counts().domains == 0);
  detector.on_attempt(url, 0, FailureKind::dns_timeout);
  CHECK(detector.counts().without_service == 1);
  detector.on_attempt(url, 200, FailureKind::none);
  CHECK(detector.counts().failing == 0);
  detector.on_attempt(url, 0, FailureKind::connect_timeout);
  CHECK(detector.counts().failing == 1);
}

TEST_CASE("NXDOMAIN counts as an answer and an interruption does not count") {
  OutageDetector detector(true);
  detector.on_attempt(Url::parse("https://gone.cn/").value(), 0, FailureKind::dns_not_found);
  CHECK(detector.counts().failing == 0);
  CHECK(detector.counts().not_found == 0);
  detector.on_attempt(Url::parse("https://other.cn/").value(), 0, FailureKind::interrupted);
  CHECK(detector.counts().domains == 1);
}

TEST_CASE("NXDOMAIN from a third-party resolver may be false") {
  OutageDetector detector(false);
  for (int i = 0; i < 10; ++i) {
    CHECK_FALSE(is_outage(detector.counts(), 0.5, true));
    detector.on_attempt(Url::parse("https://gone" + std::to_string(i) + ".cn/").value(), 0, FailureKind::dns_not_found);
  }
  CHECK(is_outage(detector.counts(), 0.5, true));
}

TEST_CASE("name servers that deny a top-level domain count as missing") {
  OutageDetector detector(true);
  detector.on_attempt(Url::parse("https://gone.cn/").value(), 0, FailureKind::dns_untrusted);
  CHECK(is_outage(detector.counts(), 0.5, true));
}

TEST_CASE("a proxy that fails for every domain is an outage and one that fails for some is none") {
  const auto domain = [](int number) { return Url::parse("https://site" + std::to_string(number) + ".cn/").value(); };
  for (const FailureKind failure :
       {FailureKind::proxy_unreachable, FailureKind::proxy_silent, FailureKind::proxy_login}) {
    OutageDetector detector(false);
    for (int i = 0; i < 3; ++i) detector.on_attempt(domain(i), 0, failure);
    CHECK(is_outage(detector.counts(), 0.5, true));
    detector.on_attempt(domain(3), 0, FailureKind::proxy_failed);  // the host is alive
    CHECK_FALSE(is_outage(detector.counts(), 0.5, true));
  }
  OutageDetector detector(false);
  for (int i = 0; i < 20; ++i) {
    CHECK(is_outage(detector.counts(), 0.5, true) == (i >= 10));
    detector.on_attempt(domain(i), 0, FailureKind::proxy_failed);
  }
  detector.on_attempt(domain(20), 200, FailureKind::none);
  CHECK_FALSE(is_outage(detector.counts(), 0.5, true));
}
