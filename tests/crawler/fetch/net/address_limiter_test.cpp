#include "crawler/fetch/net/address_limiter.h"

#include <chrono>
#include <vector>

#include <doctest/doctest.h>

namespace linkherd::crawler {

namespace {

const Timestamp start = *parse_timestamp("2026-03-05T10:00:00Z");

}  // namespace

TEST_CASE("an address limiter admits its maximum and spaces out the others") {
  AddressLimiter limiter(2);
  AddressLimiter::Lease first;
  AddressLimiter::Lease second;
  AddressLimiter::Lease third;
  CHECK_FALSE(limiter.enter(*IpAddress::parse("192.0.2.1"), start, first));
  CHECK_FALSE(limiter.enter(*IpAddress::parse("192.0.2.99"), start, second));  // the same /24
  const auto later = limiter.enter(*IpAddress::parse("192.0.2.1"), start, third);
  const auto later_still = limiter.enter(*IpAddress::parse("192.0.2.1"), start, third);
  REQUIRE(later.has_value());
  REQUIRE(later_still.has_value());
  CHECK(*later > start);
  CHECK(*later_still > *later);
  CHECK_FALSE(limiter.enter(*IpAddress::parse("192.0.3.1"), start, third));
  first = AddressLimiter::Lease();
  AddressLimiter::Lease again;
  CHECK_FALSE(limiter.enter(*IpAddress::parse("192.0.2.1"), start, again));
}

TEST_CASE("loopback is exempt and IPv6 is counted by its /48") {
  AddressLimiter limiter(1);
  std::vector<AddressLimiter::Lease> leases(10);
  for (AddressLimiter::Lease& lease : leases) CHECK_FALSE(limiter.enter(*IpAddress::parse("127.0.0.1"), start, lease));
  for (AddressLimiter::Lease& lease : leases) CHECK_FALSE(limiter.enter(*IpAddress::parse("::1"), start, lease));
  AddressLimiter::Lease one;
  AddressLimiter::Lease two;
  CHECK_FALSE(limiter.enter(*IpAddress::parse("2606:4700:1::1"), start, one));
  CHECK(limiter.enter(*IpAddress::parse("2606:4700:1:ffff::2"), start, two));
  CHECK_FALSE(limiter.enter(*IpAddress::parse("2606:4700:2::1"), start, two));
}

TEST_CASE("an address that cannot be connected to is left alone for every host") {
  using namespace std::chrono_literals;
  AddressLimiter limiter(100);
  const IpAddress down = *IpAddress::parse("192.0.2.1");
  const IpAddress neighbour = *IpAddress::parse("192.0.2.2");
  const auto contact = [&limiter](const IpAddress& address, ContactResult outcome, Timestamp at) {
    AddressLimiter::Lease lease;
    if (limiter.enter(address, at, lease)) return false;
    lease.found(outcome, at);
    return true;
  };
  for (int i = 0; i < 5; ++i) CHECK(contact(down, ContactResult::unconnected, start));
  CHECK_FALSE(contact(down, ContactResult::unconnected, start));
  CHECK(contact(neighbour, ContactResult::served, start));
  Timestamp at = start;
  for (const Duration wait : {1s, 2s, 4s}) {
    CHECK_FALSE(limiter.is_abandoned(down));
    CHECK_FALSE(contact(down, ContactResult::unconnected, at + wait - 1ms));
    at += wait;
    AddressLimiter::Lease probe;
    CHECK_FALSE(limiter.enter(down, at, probe));
    CHECK_FALSE(contact(down, ContactResult::served, at));  // one at a time
    probe.found(ContactResult::unconnected, at);
  }
  CHECK(limiter.is_abandoned(down));
  CHECK_FALSE(limiter.is_abandoned(neighbour));
}

TEST_CASE("an address without any reply is left alone unless it served something meanwhile") {
  using namespace std::chrono_literals;
  AddressLimiter limiter(100);
  const IpAddress silent = *IpAddress::parse("192.0.2.1");
  const IpAddress mixed = *IpAddress::parse("192.0.2.2");
  for (const IpAddress& address : {silent, mixed}) {
    std::vector<AddressLimiter::Lease> leases(32);
    for (AddressLimiter::Lease& lease : leases) CHECK_FALSE(limiter.enter(address, start, lease));
    if (address == mixed) leases.back().found(ContactResult::served, start + 1s);
    if (address == mixed) leases.pop_back();
    for (AddressLimiter::Lease& lease : leases) lease.found(ContactResult::unresponsive, start + 20s);
  }
  AddressLimiter::Lease next;
  CHECK(limiter.enter(silent, start + 20s, next).has_value());
  CHECK_FALSE(limiter.enter(mixed, start + 20s, next));
}

TEST_CASE("an address that answers in between is not down and loopback never is") {
  AddressLimiter limiter(100);
  const auto contact = [&limiter](const char* address, ContactResult outcome) {
    AddressLimiter::Lease lease;
    if (limiter.enter(*IpAddress::parse(address), start, lease)) return false;
    lease.found(outcome, start);
    return true;
  };
  for (int i = 0; i < 50; ++i) {
    CHECK(contact("192.0.2.1", i % 5 == 4 ? ContactResult::served : ContactResult::unconnected));
    CHECK(contact("127.0.0.1", ContactResult::unconnected));
    CHECK(contact("::1", ContactResult::unconnected));
  }
}

}  // namespace linkherd::crawler
