#include "crawler/fetch/net/name_servers.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <ares.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "parser/join.h"
#include "storage/file_descriptor.h"

namespace linkherd::crawler {

namespace {

constexpr Duration min_lifetime = std::chrono::seconds(30);
constexpr Duration max_lifetime = std::chrono::hours(1);
constexpr std::size_t max_addresses_per_family = 8;
// Rounds of c-ares through its servers. The second round has twice the timeout.
constexpr int name_server_rounds = 2;

void check(int status, const char* action) {
  if (status != ARES_SUCCESS) throw std::runtime_error(fmt::format("{}: {}", action, ares_strerror(status)));
}

struct ChannelSettings {
  std::vector<std::string> servers;  // "IP" or "IP:PORT"; empty: the system's
  int wait_milliseconds = 1000;      // timeout per server in the first round
  int flags = 0;                     // ARES_FLAG_*, in addition to the fixed ones
  NameServers::OnSocket on_socket = nullptr;
  void* self = nullptr;
};

std::unique_ptr<ares_channeldata, Free<close_channel>> open_channel(const ChannelSettings& settings) {
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
  std::unique_ptr<ares_channeldata, Free<close_channel>> channel(opened);
  if (!settings.servers.empty()) {
    const std::string list = join(settings.servers, ",");
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

// Queries the routing table. No packet is sent.
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

}  // namespace

void close_channel(ares_channeldata* channel) { ares_destroy(channel); }

NameServers::NameServers(std::vector<std::string> given)
    : given_(std::move(given)),
      servers_(servers_of(open_channel({.servers = given_}).get())),
      has_ipv6_route_(find_ipv6_route()) {}

void NameServers::open(Duration timeout, OnSocket on_socket, void* self) {
  const auto parts = std::max<std::size_t>(1, servers_.size()) * ((1U << name_server_rounds) - 1);
  const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(timeout / static_cast<int>(parts)).count();
  ChannelSettings channel{.servers = given_,
                          .wait_milliseconds = static_cast<int>(std::clamp<long long>(wait, 50, 5000)),
                          .on_socket = on_socket,
                          .self = self};
  first_ = open_channel(channel);
  channel.flags = ARES_FLAG_NOCHECKRESP;
  diagnosis_ = open_channel(channel);
  if (servers_.size() < 2) return;
  channel.flags = 0;
  channel.servers = servers(QueryStage::confirmation);
  confirmation_ = open_channel(channel);
}

ares_channeldata* NameServers::channel(QueryStage stage) const {
  if (stage == QueryStage::diagnosis) return diagnosis_.get();
  return stage == QueryStage::confirmation && confirmation_ ? confirmation_.get() : first_.get();
}

std::vector<std::string> NameServers::servers(QueryStage stage) const {
  std::vector<std::string> servers = servers_;
  // std::ranges::rotate has a return type that clang 14 cannot compile.
  if (stage == QueryStage::confirmation && servers.size() > 1)
    std::rotate(servers.begin(), servers.begin() + 1, servers.end());
  return servers;
}

void NameServers::process(int readable, int writable) {
  for (const Channel* channel : {&first_, &diagnosis_, &confirmation_}) {
    if (*channel) ares_process_fd(channel->get(), readable, writable);
  }
}

void NameServers::cancel() {
  for (const Channel* channel : {&first_, &diagnosis_, &confirmation_}) {
    if (*channel) ares_cancel(channel->get());
  }
}

Resolution read_addresses(const ares_addrinfo& result, bool has_ipv6_route, Timestamp now) {
  Resolution found;
  std::vector<IpAddress> v6;
  Duration lifetime = max_lifetime;
  for (const ares_addrinfo_node* node = result.nodes; node != nullptr; node = node->ai_next) {
    const auto address = IpAddress::of(*node->ai_addr);
    if (!address) continue;
    std::vector<IpAddress>& family = address->v6 ? v6 : found.addresses;
    if (family.size() < max_addresses_per_family) family.push_back(*address);
    lifetime = std::min<Duration>(lifetime, std::chrono::seconds(node->ai_ttl));
  }
  found.expires = now + std::max(lifetime, min_lifetime);
  if (has_ipv6_route || found.addresses.empty()) {
    found.addresses.insert(found.addresses.begin(), v6.begin(), v6.end());
  }
  if (found.addresses.empty()) found.failure = FailureKind::dns_no_address;
  return found;
}

bool has_run_out_of_sockets() {
  return !storage::FileDescriptor(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)).is_open();
}

}  // namespace linkherd::crawler
