#include "crawler/fetch/net/address_policy.h"

#include <doctest/doctest.h>

namespace linkherd::crawler {

TEST_CASE("private ranges are not public and their neighbours are") {
  struct Row {
    std::string address;
    bool is_public;
  };
  const Row rows[] = {
      {"0.0.0.0", false},
      {"1.0.0.1", true},
      {"9.255.255.255", true},
      {"10.0.0.0", false},
      {"11.0.0.0", true},
      {"100.63.255.255", true},
      {"100.64.0.1", false},
      {"100.127.255.255", false},
      {"100.128.0.0", true},
      {"127.0.0.1", false},
      {"127.255.255.255", false},
      {"128.0.0.1", true},
      {"169.253.1.1", true},
      {"169.254.169.254", false},
      {"172.15.0.1", true},
      {"172.16.0.1", false},
      {"172.31.255.255", false},
      {"172.32.0.1", true},
      {"192.0.0.8", false},
      {"192.0.1.1", true},
      {"192.0.2.1", false},
      {"192.88.99.1", false},
      {"192.168.255.1", false},
      {"192.169.0.1", true},
      {"198.17.255.255", true},
      {"198.18.0.1", false},
      {"198.19.255.255", false},
      {"198.20.0.1", true},
      {"198.51.100.7", false},
      {"203.0.113.7", false},
      {"223.255.255.255", true},
      {"224.0.0.1", false},
      {"239.255.255.255", false},
      {"240.0.0.1", false},
      {"255.255.255.255", false},
      {"8.8.8.8", true},
      {"::", false},
      {"::1", false},
      {"fc00::1", false},
      {"fd12::1", false},
      {"fe80::1", false},
      {"fec0::1", false},
      {"ff02::1", false},
      {"100::1", false},
      {"2001:db8::1", false},
      {"2001:4860:4860::8888", true},
      {"2606:4700::1111", true},
      {"3fff::1", false},
      {"::ffff:127.0.0.1", false},
      {"::ffff:8.8.8.8", true},
      {"::127.0.0.1", false},
      {"::8.8.8.8", false},
      {"64:ff9b::7f00:1", false},
      {"64:ff9b::808:808", true},
      {"64:ff9b:1::808:808", false},
      {"2002:7f00:1::", false},
      {"2002:a00:1::", false},
      {"2002:808:808::", true},
      {"2001:0:0808:0808::f7f7:f7f7", true},   // Teredo: client 8.8.8.8, server 8.8.8.8
      {"2001:0:0808:0808::f5ff:fffe", false},  // client 10.0.0.1
      {"2001:0:0a00:0001::f7f7:f7f7", false},  // server 10.0.0.1
      {"2001:2::1", false},
      {"[::1]", false},
      {"[2606:4700::1111]", true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.address);
    const auto address = IpAddress::parse(row.address);
    REQUIRE(address);
    CHECK(is_public(*address) == row.is_public);
  }
}

TEST_CASE("address ranges are parsed and contain mapped forms of their addresses") {
  struct Row {
    std::string range, address;
    bool inside;
  };
  const Row rows[] = {{"10.0.0.0/8", "10.1.2.3", true},
                      {"10.0.0.0/8", "11.1.2.3", false},
                      {"10.0.0.0/9", "10.128.0.0", false},
                      {"10.0.0.1", "10.0.0.1", true},
                      {"10.0.0.1", "10.0.0.2", false},
                      {"fd00::/8", "fd12::1", true},
                      {"fd00::/8", "fc00::1", false},
                      {"10.0.0.0/8", "::ffff:10.1.2.3", true},
                      {"10.0.0.0/8", "64:ff9b::a01:203", true},
                      {"0.0.0.0/0", "::1", false},
                      {"::/0", "10.0.0.1", false},
                      {"::1/128", "::1", true}};
  for (const Row& row : rows) {
    CAPTURE(row.range);
    CAPTURE(row.address);
    CHECK(AddressRange::parse(row.range)->contains(*IpAddress::parse(row.address)) == row.inside);
  }
  for (const std::string bad :
       {"", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "intranet", "10.0.0.0/8x", "/8"}) {
    CAPTURE(bad);
    CHECK(AddressRange::parse(bad).has_error());
  }
}

TEST_CASE("an allowed private range does not open other private ranges") {
  const AddressPolicy policy{false, {*AddressRange::parse("10.1.0.0/16")}};
  CHECK(policy.allows(*IpAddress::parse("10.1.2.3")));
  CHECK(policy.allows(*IpAddress::parse("8.8.8.8")));
  CHECK_FALSE(policy.allows(*IpAddress::parse("10.2.0.1")));
  CHECK_FALSE(policy.allows(*IpAddress::parse("127.0.0.1")));
}

TEST_CASE("name servers are addresses with or without a port") {
  for (const std::string good : {"192.0.2.1", "192.0.2.1:53", "::1", "[::1]:5353"}) CHECK(is_address_with_port(good));
  for (const std::string bad : {"", "dns.test", "192.0.2.1:", "192.0.2.1:0", "192.0.2.1:70000", "192.0.2.1:x", ":53"}) {
    CAPTURE(bad);
    CHECK_FALSE(is_address_with_port(bad));
  }
}

TEST_CASE("host names and partial addresses are not parsed as addresses") {
  for (const std::string text :
       {"", "example.com", "1.2.3", "1.2.3.4.5", "0x7f.1", "[", "[]", "[1.2.3", "::1%eth0", "1.2.3.4 "}) {
    CAPTURE(text);
    CHECK_FALSE(IpAddress::parse(text));
  }
  CHECK_FALSE(IpAddress::parse(std::string(100'000, '1')));
  CHECK_FALSE(IpAddress::parse(std::string_view("1.2.3.4\0x", 9)));
}

TEST_CASE("addresses are written as URLs write them") {
  CHECK(IpAddress::parse("::1")->in_url() == "[::1]");
  CHECK(IpAddress::parse("[::1]")->to_string() == "::1");
  CHECK(IpAddress::parse("127.0.0.1")->in_url() == "127.0.0.1");
}

}  // namespace linkherd::crawler
