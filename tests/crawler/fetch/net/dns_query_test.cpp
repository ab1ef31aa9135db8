// Tests the queries for names that DNS libraries refuse.
#include "crawler/fetch/net/dns_query.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/dns_server.h"

namespace linkherd::tests {
namespace {

using crawler::FailureKind;
using crawler::IpFamily;
using crawler::Resolution;

std::string server_at(const DnsServer& server) { return "127.0.0.1:" + std::to_string(server.port()); }

Resolution query_servers(std::vector<std::string> servers, IpFamily family = IpFamily::any,
                         const std::string& host = "a+b.example.net") {
  return crawler::query_name_servers({.host = host,
                                      .family = family,
                                      .servers = std::move(servers),
                                      .timeout = std::chrono::milliseconds(600),
                                      .has_ipv6_route = true});
}

std::vector<std::string> addresses_in(const Resolution& answer) {
  std::vector<std::string> texts;
  for (const crawler::IpAddress& address : answer.addresses) texts.push_back(address.to_string());
  return texts;
}

}  // namespace

TEST_CASE("names of letters, digits, dashes and underscores are left to the libraries") {
  for (const std::string host : {"example.net", "a-b.example.net.", "_dmarc.example.net", "1.2", "a--b", "a-"})
    CHECK(crawler::is_plain_host_name(host));
  for (const std::string host : {"a+b.example.net", "a*b", "-a.example.net", "a;b", "a\"b", "a~b", "a,b", "a/b"}) {
    CAPTURE(host);
    CHECK_FALSE(crawler::is_plain_host_name(host));
  }
}

TEST_CASE("both families are queried, and IPv6 comes first") {
  const DnsServer server([](const DnsQuestion&) { return dns_addresses({"192.0.2.1", "2001:db8::1", "192.0.2.2"}); });
  const Resolution answer = query_servers({server_at(server)});
  CHECK(answer.failure == FailureKind::none);
  CHECK(addresses_in(answer) == std::vector<std::string>{"2001:db8::1", "192.0.2.1", "192.0.2.2"});
  for (const ReceivedQuery& query : server.queries()) CHECK(query.name == "a+b.example.net");
  CHECK(addresses_in(query_servers({server_at(server)}, IpFamily::v4)).size() == 2);
  CHECK(addresses_in(query_servers({server_at(server)}, IpFamily::v6)).size() == 1);
}

TEST_CASE("the failure says what the name server answered") {
  struct Row {
    DnsKind kind;
    FailureKind failure;
  };
  for (const Row& row :
       {Row{DnsKind::not_found, FailureKind::dns_not_found}, Row{DnsKind::no_data, FailureKind::dns_no_address},
        Row{DnsKind::server_failure, FailureKind::dns_failed}, Row{DnsKind::refused, FailureKind::dns_failed},
        Row{DnsKind::garbage, FailureKind::dns_failed}, Row{DnsKind::silence, FailureKind::dns_timeout},
        Row{DnsKind::wrong_id, FailureKind::dns_timeout}, Row{DnsKind::cname_loop, FailureKind::dns_no_address}}) {
    CAPTURE(static_cast<int>(row.kind));
    const DnsServer server([&](const DnsQuestion&) { return dns_failure(row.kind); });
    CHECK(query_servers({server_at(server)}).failure == row.failure);
  }
  CHECK(query_servers({}).failure == FailureKind::dns_timeout);
  CHECK(query_servers({"127.0.0.1:1"}).failure == FailureKind::dns_timeout);  // nobody listens there
}

TEST_CASE("the next name server is asked if one does not know the answer") {
  const DnsServer good([](const DnsQuestion&) { return dns_addresses({"192.0.2.1"}); });
  for (const DnsKind kind : {DnsKind::server_failure, DnsKind::silence}) {
    const DnsServer bad([kind](const DnsQuestion&) { return dns_failure(kind); });
    CHECK(addresses_in(query_servers({server_at(bad), server_at(good)})) == std::vector<std::string>{"192.0.2.1"});
  }
  CHECK(addresses_in(query_servers({"127.0.0.1:1", server_at(good)})) == std::vector<std::string>{"192.0.2.1"});
}

TEST_CASE("a truncated answer is asked for again over TCP") {
  const DnsServer server([](const DnsQuestion&) {
    DnsBehaviour behaviour = dns_addresses({"192.0.2.1", "2001:db8::1"});
    behaviour.truncated = true;
    return behaviour;
  });
  const Resolution answer = query_servers({server_at(server)});
  CHECK(answer.failure == FailureKind::none);
  CHECK(addresses_in(answer) == std::vector<std::string>{"2001:db8::1", "192.0.2.1"});
  const std::vector<ReceivedQuery> queries = server.queries();
  CHECK(std::ranges::count(queries, true, &ReceivedQuery::tcp) == 2);
  CHECK(std::ranges::count(queries, false, &ReceivedQuery::tcp) == 2);
}

TEST_CASE("a truncated answer without an answer over TCP is no denial") {
  std::atomic<int> questions = 0;
  const DnsServer server([&questions](const DnsQuestion&) {
    DnsBehaviour behaviour;
    behaviour.truncated = true;
    if (++questions > 2) behaviour.kind = DnsKind::silence;  // the first two come over UDP
    return behaviour;
  });
  CHECK(query_servers({server_at(server)}).failure == FailureKind::dns_failed);
}

TEST_CASE("a name that no zone can contain is not queried") {
  const DnsServer server([](const DnsQuestion&) { return dns_addresses({"192.0.2.1"}); });
  std::string long_name = "+";
  for (int i = 0; i < 60; ++i) long_name += "label.";
  for (const std::string& host : {"+." + std::string(64, 'x') + ".test", long_name + "test", std::string("a+..test"),
                                  std::string("+a+.."), std::string()}) {
    CAPTURE(host);
    CHECK(query_servers({server_at(server)}, IpFamily::any, host).failure == FailureKind::dns_not_found);
  }
  CHECK(server.queries().empty());
}

}  // namespace linkherd::tests
