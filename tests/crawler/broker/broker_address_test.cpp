#include <string>

#include <doctest/doctest.h>

#include "crawler/broker/broker_connection.h"

using namespace linkherd::crawler;

TEST_CASE("the address of a broker is a URL") {
  const BrokerAddress plain = BrokerAddress::parse("amqp://me:p%40ss@broker.example:5673/links").value();
  CHECK(plain.host == "broker.example");
  CHECK(plain.port == 5673);
  CHECK(plain.virtual_host == "links");
  CHECK(plain.user == "me");
  CHECK(plain.password == "p@ss");
  CHECK_FALSE(plain.tls);

  const BrokerAddress bare = BrokerAddress::parse("amqps://broker.example").value();
  CHECK(bare.port == 5671);
  CHECK(bare.virtual_host == "/");
  CHECK(bare.tls);
}

TEST_CASE("what is no address of a broker is refused and not repeated") {
  for (const std::string text : {"", "broker.example", "http://me:secret@a.example/", "amqp://me:secret@a:99999/",
                                 "amqp://me:secret@a:b/", "amqp://me:secret@a/b/c", "amqp://me:sec%ZZret@a"}) {
    CAPTURE(text);
    const auto address = BrokerAddress::parse(text);
    CHECK(address.has_error());
    if (address.has_error()) CHECK(address.error().message.find("secret") == std::string::npos);
  }
  CHECK(BrokerAddress::parse(std::string("amqp://a\0b", 10)).has_error());
}
