#include "crawler/broker/broker_address.h"

#include <string>

#include <doctest/doctest.h>

using namespace linkherd::crawler;

TEST_CASE("a broker address is a URL") {
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

TEST_CASE("the parts of a broker address are percent-decoded") {
  const BrokerAddress default_host = BrokerAddress::parse("AMQPS://m%3Ae:p%2Fw@[::1]:1/%2f").value();
  CHECK(default_host.host == "::1");
  CHECK(default_host.port == 1);
  CHECK(default_host.virtual_host == "/");
  CHECK(default_host.user == "m:e");
  CHECK(default_host.password == "p/w");
  CHECK(default_host.tls);
  CHECK(BrokerAddress::parse("amqp://a/%2fteam%2Flinks").value().virtual_host == "/team/links");
  CHECK(BrokerAddress::parse("amqp://me:@a").value().password.empty());
}

TEST_CASE("an invalid broker address is refused with a hint and is not repeated") {
  struct Case {
    const char* text;
    const char* words;  // in the message
  };
  for (const Case& one : {
           Case{"", "begin with amqp://"},
           Case{"broker.example", "begin with amqp://"},
           Case{"http://me:secret@a.example/", "begin with amqp://"},
           Case{"amqp:me:secret@a", "begin with amqp://"},
           Case{"amqp://", "the host is missing"},
           Case{"amqp://me:secret@", "the host is missing"},
           Case{"amqp://me:secret@:5672", "the host is missing"},
           Case{"amqp:///secret", "the host is missing"},
           Case{"amqp://me:secret@a/", "omit it for the default virtual host"},
           Case{"amqps://a:5671/", "omit it for the default virtual host"},
           Case{"amqp://me:secret@a/b/c", "%2f"},
           Case{"amqp://me:secret@a//", "%2f"},
           Case{"amqp://me:secret@a:99999/x", "from 1 to 65535"},
           Case{"amqp://me:secret@a:0", "from 1 to 65535"},
           Case{"amqp://me:secret@a:-1", "from 1 to 65535"},
           Case{"amqp://me:secret@a:b/x", "from 1 to 65535"},
           Case{"amqp://me:secret@a:", "from 1 to 65535"},
           Case{"amqp://me:secret@a:5672x", "from 1 to 65535"},
           Case{"amqp://me:secret@a:5672:1", "from 1 to 65535"},
           Case{"amqp://:secret@a", "the user is missing"},
           Case{"amqp://@a", "the user is missing"},
           Case{"amqp://me@a/secret", "the password is missing"},
           Case{"amqp://me:sec:ret@a", "%3a"},
           Case{"amqp://me:sec@ret@a", "%40"},
           Case{"amqp://me:sec%ZZret@a", "%25"},
           Case{"amqp://me:secret%@a", "%25"},
           Case{"amqp://me:secret@a/%2", "%25"},
           Case{"amqp://me:secret@a/x?heartbeat=30", "are not supported"},
           Case{"amqp://me:secret@a/x#y", "are not supported"},
           Case{"amqp://me:secret@a b", "cannot contain spaces"},
           Case{"amqp://me:secret@a\n", "cannot contain spaces"},
       }) {
    CAPTURE(one.text);
    const auto address = BrokerAddress::parse(one.text);
    REQUIRE(address.has_error());
    CHECK(address.error().message.find(one.words) != std::string::npos);
    CHECK(address.error().message.find("secret") == std::string::npos);
  }
  CHECK(BrokerAddress::parse(std::string("amqp://a\0b", 10)).has_error());
}
