#include "crawler/fetch/address_limiter.h"

#include <chrono>
#include <vector>

#include <doctest/doctest.h>

namespace linkherd::crawler {

namespace {

const Timestamp now = *parse_timestamp("2026-03-05T10:00:00Z");

}  // namespace

TEST_CASE("A place lets in so many at once and sends the others away to come one by one") {
  AddressLimiter limiter(2);
  AddressLimiter::Visit first;
  AddressLimiter::Visit second;
  AddressLimiter::Visit third;
  CHECK_FALSE(limiter.enter(*IpAddress::parse("192.0.2.1"), now, first));
  CHECK_FALSE(limiter.enter(*IpAddress::parse("192.0.2.99"), now, second));  // the same /24
  const auto later = limiter.enter(*IpAddress::parse("192.0.2.1"), now, third);
  const auto later_still = limiter.enter(*IpAddress::parse("192.0.2.1"), now, third);
  REQUIRE(later.has_value());
  REQUIRE(later_still.has_value());
  CHECK(*later > now);
  CHECK(*later_still > *later);
  CHECK_FALSE(limiter.enter(*IpAddress::parse("192.0.3.1"), now, third));
  first = AddressLimiter::Visit();
  AddressLimiter::Visit again;
  CHECK_FALSE(limiter.enter(*IpAddress::parse("192.0.2.1"), now, again));
}

TEST_CASE("Loopback is exempt and IPv6 is counted by its site") {
  AddressLimiter limiter(1);
  std::vector<AddressLimiter::Visit> visits(10);
  for (AddressLimiter::Visit& visit : visits) CHECK_FALSE(limiter.enter(*IpAddress::parse("127.0.0.1"), now, visit));
  for (AddressLimiter::Visit& visit : visits) CHECK_FALSE(limiter.enter(*IpAddress::parse("::1"), now, visit));
  AddressLimiter::Visit one;
  AddressLimiter::Visit two;
  CHECK_FALSE(limiter.enter(*IpAddress::parse("2606:4700:1::1"), now, one));
  CHECK(limiter.enter(*IpAddress::parse("2606:4700:1:ffff::2"), now, two));
  CHECK_FALSE(limiter.enter(*IpAddress::parse("2606:4700:2::1"), now, two));
}

}  // namespace linkherd::crawler
