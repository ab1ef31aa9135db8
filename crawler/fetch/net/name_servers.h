// c-ares as the resolver uses it: channels to name servers, the addresses in their answers, and the local resources
// that both depend on. Stateless.
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

// c-ares goes through its servers this often, twice as patient the second time.
inline constexpr int name_server_rounds = 2;

struct ChannelSettings {
  std::vector<std::string> servers;  // "IP" or "IP:PORT"; none: the system's
  int wait_milliseconds = 1000;      // for one server in the first round
  int flags = 0;                     // ARES_FLAG_*, beside our own
  void (*on_socket)(void* self, int socket, int readable, int writable) = nullptr;
  void* self = nullptr;
};
AresChannel open_channel(const ChannelSettings& settings);

// As "IP:PORT", in the order in which they are asked.
std::vector<std::string> servers_of(ares_channeldata* channel);

struct NamedAddresses {
  std::vector<IpAddress> addresses;  // at most 8 of a family
  Duration keep{};                   // by the TTLs, within reason
};
// IPv6 comes first, but only where there is a route for it or nothing else.
NamedAddresses read_addresses(const ares_addrinfo& result, bool has_ipv6_route);

// Asks the routing table; nothing is sent.
bool find_ipv6_route();
// c-ares says that it was refused where it got no socket. One more is taken, to see, and given back.
bool has_run_out_of_sockets();

}  // namespace linkherd::crawler
