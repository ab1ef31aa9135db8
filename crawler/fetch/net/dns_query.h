// Resolves the names that libraries refuse, such as "a+b.example.net", by queries of its own. The DNS allows any
// character. c-ares refuses different ones in each version, even in ares_send since 1.34, and getaddrinfo all but
// letters, digits, "-" and "_". The hosts file is not read: hosts(5) allows no such names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "crawler/fetch/net/connection_options.h"
#include "crawler/fetch/net/resolution.h"
#include "parser/timestamp.h"

namespace linkherd::crawler {

// Returns true if every version of c-ares and getaddrinfo accepts the characters of the name.
bool is_plain_host_name(std::string_view host);

struct DnsQuery {
  std::string host;
  IpFamily family = IpFamily::any;
  std::vector<std::string> servers;  // "IP:PORT", in the order of their use
  Duration timeout{};                // for all servers together
  bool has_ipv6_route = false;       // otherwise an IPv6 address is returned only if there is no other
};

// Asks the servers one after the other, until one knows the answer: over UDP, and over TCP if an answer is truncated.
// Blocks until then, at most for the timeout. A name that no zone can contain, for example with a label above 63 bytes,
// is `dns_not_found`.
Resolution query_name_servers(const DnsQuery& query);

}  // namespace linkherd::crawler
