#include "crawler/fetch/net/connect_rules.h"

#include <doctest/doctest.h>

namespace linkherd::crawler {

TEST_CASE("the first matching connect rule decides") {
  const auto rules = parse_connect_rules(
      {"a.test:443:127.0.0.1:8443", "a.test::[::1]:", "*:80::8080", "[::1]:81:b.test:82", ":8000:C.test:"});
  REQUIRE(rules.has_value());
  struct Row {
    std::string host;
    std::uint16_t port;
    std::string to_host;
    std::uint16_t to_port;
    bool moved;
    bool has_address;
    bool has_host;
  };
  const Row rows[] = {
      {"a.test", 443, "127.0.0.1", 8443, true, true, true}, {"a.test", 80, "[::1]", 80, true, true, true},
      {"b.test", 80, "b.test", 8080, true, false, false},   {"[::1]", 81, "b.test", 82, true, true, true},
      {"x.test", 8000, "c.test", 8000, true, true, false},  {"x.test", 443, "x.test", 443, false, false, false}};
  for (const Row& row : rows) {
    CAPTURE(row.host);
    CAPTURE(row.port);
    const ConnectTarget target = find_connect_target(*rules, row.host, row.port);
    CHECK(target.host == row.to_host);
    CHECK(target.port == row.to_port);
    CHECK(target.moved == row.moved);
    CHECK(target.has_address == row.has_address);
    CHECK(target.has_host == row.has_host);
  }
}

TEST_CASE("an invalid connect rule is refused with its text") {
  for (const std::string text :
       {"", "a.test", "a:80:b", "a:80:b:81:c", "a:x:b:81", "a:80:b:0", "a:80:b:65536", "a:80:b:-1", "[::1:80:b:1"}) {
    CAPTURE(text);
    const auto rules = parse_connect_rules({text});
    REQUIRE_FALSE(rules.has_value());
    CHECK(rules.error().message == "\"" + std::string(text) + "\" is not HOST:PORT:ADDR:PORT");
  }
}

}  // namespace linkherd::crawler
