#include "crawler/fetch/net/name_servers.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>

#include <ares.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "storage/file_descriptor.h"

namespace linkherd::crawler {

namespace {

constexpr Duration min_lifetime = std::chrono::seconds(30);
constexpr Duration max_lifetime = std::chrono::hours(1);
constexpr std::size_t max_addresses_per_family = 8;

void check(int status, const char* action) {
  if (status != ARES_SUCCESS) throw std::runtime_error(fmt::format("{}: {}", action, ares_strerror(status)));
}

}  // namespace

void AresChannelDeleter::operator()(ares_channeldata* channel) const { ares_destroy(channel); }

AresChannel open_channel(const ChannelSettings& settings) {
  ares_options options{};
  options.flags = ARES_FLAG_NOSEARCH | settings.flags;  // names in links are complete
  options.timeout = settings.wait_milliseconds;
  options.tries = name_server_rounds;
  options.sock_state_cb = settings.on_socket;
  options.sock_state_cb_data = settings.self;
  std::string lookups = settings.servers.empty() ? "fb" : "b";  // with given servers, the hosts file is not used
  options.lookups = lookups.data();
  ares_channel opened = nullptr;
  check(ares_init_options(
            &opened, &options,
            ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB | ARES_OPT_LOOKUPS),
        "DNS");
  AresChannel channel(opened);
  if (!settings.servers.empty()) {
    const std::string list = fmt::format("{}", fmt::join(settings.servers, ","));
    check(ares_set_servers_ports_csv(opened, list.c_str()), list.c_str());
  }
  return channel;
}

std::vector<std::string> servers_of(ares_channeldata* channel) {
  ares_addr_port_node* first = nullptr;
  check(ares_get_servers_ports(channel, &first), "name servers");
  std::vector<std::string> servers;
  for (const ares_addr_port_node* server = first; server != nullptr; server = server->next) {
    IpAddress address;
    address.v6 = server->family == AF_INET6;
    std::memcpy(address.bytes.data(), &server->addr,
                address.v6 ? sizeof server->addr.addr6 : sizeof server->addr.addr4);
    constexpr int dns_port = 53;
    servers.push_back(fmt::format("{}:{}", address.in_url(), server->udp_port == 0 ? dns_port : server->udp_port));
  }
  ares_free_data(first);
  return servers;
}

NamedAddresses read_addresses(const ares_addrinfo& result, bool has_ipv6_route) {
  NamedAddresses found;
  std::vector<IpAddress> v6;
  found.keep = max_lifetime;
  for (const ares_addrinfo_node* node = result.nodes; node != nullptr; node = node->ai_next) {
    const auto address = IpAddress::of(*node->ai_addr);
    if (!address) continue;
    std::vector<IpAddress>& family = address->v6 ? v6 : found.addresses;
    if (family.size() < max_addresses_per_family) family.push_back(*address);
    found.keep = std::min<Duration>(found.keep, std::chrono::seconds(node->ai_ttl));
  }
  found.keep = std::max(found.keep, min_lifetime);
  if (has_ipv6_route || found.addresses.empty()) {
    found.addresses.insert(found.addresses.begin(), v6.begin(), v6.end());
  }
  return found;
}

bool find_ipv6_route() {
  const storage::FileDescriptor probe(socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!probe.is_open()) return false;
  sockaddr_in6 somewhere{};
  somewhere.sin6_family = AF_INET6;
  somewhere.sin6_port = htons(53);
  somewhere.sin6_addr = in6addr_any;
  somewhere.sin6_addr.s6_addr[0] = 0x20;  // 2000::, the first of the public addresses
  return connect(probe.number(), reinterpret_cast<const sockaddr*>(&somewhere), sizeof somewhere) == 0;
}

bool has_run_out_of_sockets() {
  return !storage::FileDescriptor(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)).is_open();
}

}  // namespace linkherd::crawler
