// Wraps the parts of c-ares that the resolver uses: channels to name servers, and the addresses in their answers. Also
// checks the local resources that both depend on. Stateless.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "crawler/fetch/net/address_policy.h"
#include "parser/timestamp.h"

struct ares_addrinfo;
struct ares_channeldata;

namespace linkherd::crawler {

struct AresChannelDeleter {
  void operator()(ares_channeldata* channel) const;
};
using AresChannel = std::unique_ptr<ares_channeldata, AresChannelDeleter>;

// Rounds of c-ares through its servers. The second round has twice the timeout.
inline constexpr int name_server_rounds = 2;

struct ChannelSettings {
  std::vector<std::string> servers;  // "IP" or "IP:PORT"; empty: the system's
  int wait_milliseconds = 1000;      // timeout per server in the first round
  int flags = 0;                     // ARES_FLAG_*, in addition to the fixed ones
  void (*on_socket)(void* self, int socket, int readable, int writable) = nullptr;
  void* self = nullptr;
};
AresChannel open_channel(const ChannelSettings& settings);

// Returns the servers as "IP:PORT", in the order of their use.
std::vector<std::string> servers_of(ares_channeldata* channel);

struct NamedAddresses {
  std::vector<IpAddress> addresses;  // at most 8 per family
  Duration keep{};                   // cache time according to the TTLs, within limits
};
// Lists IPv6 addresses first, but only if there is an IPv6 route or no other address.
NamedAddresses read_addresses(const ares_addrinfo& result, bool has_ipv6_route);

// Queries the routing table. No packet is sent.
bool find_ipv6_route();
// c-ares also reports "connection refused" if it got no socket. This function opens one socket to find out and closes
// it.
bool has_run_out_of_sockets();

}  // namespace linkherd::crawler
