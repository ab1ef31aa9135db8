// Tests names that do not resolve, resolve to forbidden addresses, or are invalid.
#include <algorithm>

#include <netdb.h>

#include "tests/crawler/fetch/hostile/hostile_case.h"
#include "tests/support/small_internet.h"

namespace linkherd::tests {

namespace {

struct DnsCase {
  std::string host = "hostile.test";
  bool allow_private = true;
  std::vector<std::string> more_servers{};
};

void survive_dns(SmallInternet& internet, const Expected& expected, const DnsCase& c = {}) {
  internet.host("hostile.test").default_page(html_page("<p>hello</p>"));
  survive_own_server(expected, {.url = "http://" + c.host + "/", .adjust = [&](crawler::FetchOptions& options) {
                                  options.dns_servers = {internet.dns_server()};
                                  options.dns_servers.insert(options.dns_servers.end(), c.more_servers.begin(),
                                                             c.more_servers.end());
                                  options.connect_to = internet.connect_to();
                                  options.addresses.all = c.allow_private;
                                  options.timeout = std::chrono::seconds(4);
                                  options.connect_timeout = std::chrono::seconds(1);
                                }});
}

void survive_behaviour(const DnsBehaviour& behaviour, const Expected& expected, const DnsCase& c = {}) {
  SmallInternet internet;
  internet.dns("hostile.test", behaviour);
  survive_dns(internet, expected, c);
}

// A system that was installed by debootstrap has no /etc/hosts.
bool system_knows_localhost() {
  addrinfo* found = nullptr;
  const bool is_known = getaddrinfo("localhost", nullptr, nullptr, &found) == 0;
  if (is_known) freeaddrinfo(found);
  return is_known;
}

const Expected not_found{Health::dead, "dns_not_found"};
const Expected failed{Health::unreachable, "dns_failed"};

}  // namespace

TEST_CASE("NXDOMAIN is dead") { survive_behaviour(dns_failure(DnsKind::not_found), not_found); }
TEST_CASE("a server failure of the name server is unreachable") {
  survive_behaviour(dns_failure(DnsKind::server_failure), failed);
}
TEST_CASE("a refusal of the name server is unreachable") { survive_behaviour(dns_failure(DnsKind::refused), failed); }
TEST_CASE("a name server that never answers is a DNS timeout") {
  survive_behaviour(dns_failure(DnsKind::silence), {Health::unreachable, "dns_timeout"});
}
TEST_CASE("a name without address is unreachable") {
  survive_behaviour(dns_failure(DnsKind::no_data), {Health::unreachable, "dns_no_address"});
}
TEST_CASE("a DNS answer with the wrong id is ignored") {
  survive_behaviour(dns_failure(DnsKind::wrong_id), {Health::unreachable, "dns_timeout"});
}
TEST_CASE("a malformed DNS answer is unreachable") { survive_behaviour(dns_failure(DnsKind::garbage), failed); }
TEST_CASE("a CNAME loop is unreachable") {
  survive_behaviour(dns_failure(DnsKind::cname_loop), {Health::unreachable, "dns_no_address"});
}
TEST_CASE("a slow name server does not fail a link") {
  DnsBehaviour slow = dns_addresses({"127.0.0.1"});
  slow.delay = std::chrono::milliseconds(200);
  survive_behaviour(slow, {});
}
TEST_CASE("a truncated UDP answer is repeated over TCP") {
  DnsBehaviour truncated = dns_addresses({"127.0.0.1"});
  truncated.truncated = true;
  survive_behaviour(truncated, {});
}
TEST_CASE("a thousand addresses of one name do no harm") {
  DnsBehaviour many = dns_addresses(std::vector<std::string>(1000, "127.0.0.1"));
  many.truncated = true;
  survive_behaviour(many, {});
}
TEST_CASE("an unreachable address is skipped in favour of the next one") {
  survive_behaviour(dns_addresses({"127.0.0.9", "127.0.0.1"}), {});
}
TEST_CASE("an unreachable IPv6 address is skipped in favour of IPv4") {
  survive_behaviour(dns_addresses({"127.0.0.1", "2001:db8::1"}), {});
}
TEST_CASE("a TTL of zero does no harm") {
  DnsBehaviour fleeting = dns_addresses({"127.0.0.1"});
  fleeting.ttl = 0;
  survive_behaviour(fleeting, {});
}
TEST_CASE("a TTL of centuries does no harm") {
  DnsBehaviour lasting = dns_addresses({"127.0.0.1"});
  lasting.ttl = 0xFFFFFFFF;
  survive_behaviour(lasting, {});
}
TEST_CASE("a public name with a private address is refused") {
  survive_behaviour(dns_addresses({"127.0.0.1"}), {Health::skipped, "private_address"}, {.allow_private = false});
}
TEST_CASE("a public name with an IPv4-mapped private address is refused") {
  survive_behaviour(dns_addresses({"::ffff:10.0.0.1"}), {Health::skipped, "private_address"}, {.allow_private = false});
}
TEST_CASE("a name above 253 characters is dead") {
  std::string name;
  for (int i = 0; i < 60; ++i) name += "label.";
  survive_behaviour({}, not_found, {.host = name + "test"});
}
TEST_CASE("a label above 63 characters is dead") {
  survive_behaviour({}, not_found, {.host = std::string(64, 'x') + ".test"});
}
TEST_CASE("a name with an empty label is dead") { survive_behaviour({}, not_found, {.host = "hostile..test"}); }
TEST_CASE("a name that ends in a dot is sent as it is") {
  SmallInternet internet;
  survive_dns(internet, {Health::unreachable, "http_421"}, {.host = "hostile.test."});
}
TEST_CASE("Cyrillic letters that look like Latin make another host") {
  survive_behaviour({}, not_found, {.host = "\xd0\xb0\xd1\x80\xd1\x80\xd3\x8f\xd0\xb5.test"});
}
TEST_CASE("invalid punycode is dead") { survive_behaviour({}, not_found, {.host = "xn--a-ecp.test"}); }
TEST_CASE("a host name of one label is dead if it does not resolve") {
  survive_behaviour({}, not_found, {.host = "intranet"});
}
TEST_CASE("a host that DNS libraries refuse is judged by the answers of its name server") {
  survive_behaviour({}, not_found, {.host = "a+b.example.net"});
  struct Row {
    DnsKind kind;
    Expected expected;
  };
  for (const Row& row : {Row{DnsKind::server_failure, failed}, Row{DnsKind::garbage, failed},
                         Row{DnsKind::silence, {Health::unreachable, "dns_timeout"}},
                         Row{DnsKind::no_data, {Health::unreachable, "dns_no_address"}}}) {
    SmallInternet internet;
    internet.dns("a+b.example.net", dns_failure(row.kind));
    survive_dns(internet, row.expected, {.host = "a+b.example.net"});
  }
}
TEST_CASE("an asterisk as host is dead") { survive_behaviour({}, not_found, {.host = "*"}); }

namespace {

void survive_odd_host(const std::string& scheme, const std::string& host) {
  CAPTURE(scheme);
  CAPTURE(host);
  const std::string name = host.ends_with('.') ? host.substr(0, host.size() - 1) : host;
  SmallInternet internet;
  internet.host(host).default_page(html_page("<p>hello</p>"));
  internet.dns(name, dns_addresses({"127.0.0.9", "127.0.0.1"}));  // nothing listens at the first address
  survive_own_server({}, {.url = scheme + "://" + host + "/page", .adjust = [&](crawler::FetchOptions& options) {
                            options.dns_servers = {internet.dns_server()};
                            options.connect_to = internet.connect_to();
                            options.ca_file = internet.ca_file();
                            options.addresses.all = true;
                          }});
  REQUIRE(internet.requests().size() == 1);
  CHECK(internet.requests().front().host == host);
  for (const ReceivedQuery& query : internet.dns_queries()) CHECK(query.name == name);
}

}  // namespace

TEST_CASE("hosts that curl cannot take literally are fetched by http") {
  for (const std::string host :
       {"-dash.example.net", "--.example.net", "a+b.example.net", "+a.example.net", "a,b.example.net",
        "a!b.example.net", "*a.example.net", "a*b.example.net", "a&b=c;d.example.net", "a'b(c)$.example.net",
        "a\"b`{c}.example.net", "under_score.example.net", "_a.example.net", "~a.example.net", "dot.example.net.",
        "1.2.3.4.example.net", "a-long-label-of-63-characters-a-long-label-of-63-characters-abc.example.net"}) {
    survive_odd_host("http", host);
  }
}
TEST_CASE("hosts that curl cannot take literally are fetched by https") {
  for (const std::string host :
       {"-dash.example.net", "a+b.example.net", "a!b.example.net", "under_score.example.net"}) {
    survive_odd_host("https", host);
  }
}
TEST_CASE("a host that curl cannot take literally still fails on a certificate for another host") {
  SmallInternet internet;
  internet.host("a+b.example.net").default_page(html_page("<p>hello</p>"));
  internet.tls("a+b.example.net", CertificateKind::wrong_host);
  survive_own_server({Health::insecure, "tls_wrong_host"},
                     {.url = "https://a+b.example.net/", .adjust = [&](crawler::FetchOptions& options) {
                        options.dns_servers = {internet.dns_server()};
                        options.connect_to = internet.connect_to();
                        options.ca_file = internet.ca_file();
                        options.addresses.all = true;
                      }});
}
TEST_CASE("one NXDOMAIN is not dead if another name server resolves the host") {
  SmallInternet liar;
  SmallInternet honest;
  honest.host("hostile.test");
  liar.dns("hostile.test", dns_failure(DnsKind::not_found));
  survive_dns(liar, {}, {.more_servers = {honest.dns_server()}});
  CHECK_FALSE(honest.dns_queries().empty());
}
TEST_CASE("an NXDOMAIN of both name servers is dead") {
  SmallInternet one;
  const SmallInternet other;
  one.dns("hostile.test", dns_failure(DnsKind::not_found));
  survive_dns(one, not_found, {.more_servers = {other.dns_server()}});
  CHECK_FALSE(other.dns_queries().empty());
}
TEST_CASE("a name server that denies an existing top-level domain is an outage") {
  SmallInternet internet;
  internet.set_default_dns(dns_failure(DnsKind::not_found));
  survive_dns(internet, {Health::deferred, "outage"}, {.host = "nowhere.com"});
  survive_dns(internet, {Health::deferred, "outage"}, {.host = "no+where.com"});
  survive_dns(internet, not_found, {.host = "nowhere.test"});  // no server is needed for that name
}
TEST_CASE("the NXDOMAIN of a name server that knows the top-level domain is dead") {
  SmallInternet internet;
  survive_dns(internet, not_found, {.host = "nowhere.com"});
  survive_dns(internet, not_found, {.host = "nowhere.com."});
  std::size_t questions = 0;
  for (const ReceivedQuery& query : internet.dns_queries()) questions += query.name == "com" ? 1U : 0U;
  CHECK(questions == 2);  // one per pool
}
TEST_CASE("an NXDOMAIN is dead if one of the name servers knows the top-level domain") {
  SmallInternet liar;
  const SmallInternet honest;
  liar.set_default_dns(dns_failure(DnsKind::not_found));
  survive_dns(liar, not_found, {.host = "nowhere.com", .more_servers = {honest.dns_server()}});
}
TEST_CASE("an NXDOMAIN is not dead if the top-level domain cannot be queried") {
  SmallInternet internet;
  internet.dns("com", dns_failure(DnsKind::server_failure));
  survive_dns(internet, {Health::unreachable, "dns_failed"}, {.host = "nowhere.com"});
}
TEST_CASE("a name server that fails for the top-level domain too is an outage") {
  SmallInternet internet;
  internet.set_default_dns(dns_failure(DnsKind::server_failure));
  survive_dns(internet, {Health::deferred, "outage"}, {.host = "nowhere.com"});
  SmallInternet other;
  other.dns("broken.com", dns_failure(DnsKind::server_failure));
  survive_dns(other, {Health::unreachable, "dns_failed"}, {.host = "broken.com"});
}
TEST_CASE("a silent name server does not fail a link if another one answers") {
  SmallInternet silent;
  SmallInternet honest;
  honest.host("hostile.test");
  silent.dns("hostile.test", dns_failure(DnsKind::silence));
  survive_dns(silent, {}, {.more_servers = {honest.dns_server()}});
}

TEST_CASE("the system resolver resolves localhost and private addresses stay refused") {
  if (!system_knows_localhost()) {
    MESSAGE("skipped: the resolver of this system does not know localhost (there is no /etc/hosts)");
    return;
  }
  SmallInternet internet;
  internet.host("localhost").default_page(html_page("x"));
  const auto by_system = [&](crawler::FetchOptions& options) {
    options.resolver = crawler::ResolverKind::system;
    options.connect_to = internet.connect_to();
    options.addresses.all = true;
    options.connect_timeout = std::chrono::seconds(2);
    options.timeout = std::chrono::seconds(4);
  };
  survive_own_server({}, {.url = "http://localhost/", .adjust = by_system});
  survive_own_server({Health::skipped, "private_address"},
                     {.url = "http://localhost/", .adjust = [&](crawler::FetchOptions& options) {
                        by_system(options);
                        options.addresses.all = false;
                      }});
}
TEST_CASE("IPv4-only mode ignores IPv6 addresses") {
  SmallInternet internet;
  internet.dns("hostile.test", dns_addresses({"::1"}));
  internet.host("hostile.test");
  survive_own_server({Health::unreachable, "dns_no_address"},
                     {.url = "http://hostile.test/", .adjust = [&](crawler::FetchOptions& options) {
                        options.dns_servers = {internet.dns_server()};
                        options.addresses.all = true;
                        options.family = crawler::IpFamily::v4;
                      }});
  survive_own_server({Health::unreachable, "network_unreachable"},
                     {.url = "http://[::1]/", .adjust = [](crawler::FetchOptions& options) {
                        options.addresses.all = true;
                        options.family = crawler::IpFamily::v4;
                      }});
}

}  // namespace linkherd::tests
