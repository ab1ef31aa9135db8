#include "crawler/fetch/net/address_limiter.h"

#include <algorithm>
#include <chrono>

namespace linkherd::crawler {

namespace {

constexpr Duration turn = std::chrono::milliseconds(20);

// Returns the network prefix with the address family; 0 for loopback.
std::uint64_t network_of(const IpAddress& address) {
  if (!address.v6 && address.bytes[0] == 127) return 0;
  if (address == IpAddress::parse("::1")) return 0;
  const std::size_t length = address.v6 ? 6 : 3;
  std::uint64_t network = address.v6 ? 6 : 4;
  for (std::size_t i = 0; i < length; ++i) network = network << 8 | address.bytes[i];
  return network;
}

}  // namespace

bool AddressLimiter::is_abandoned(const IpAddress& address) const {
  const std::lock_guard lock(mutex_);
  const auto server = servers_.find(address);
  return server != servers_.end() && server->second.breaker.is_abandoned(breaker_policy_);
}

// The end of a probe in flight is unknown, so another wait is returned.
std::optional<Timestamp> AddressLimiter::wait_for_breaker(const IpAddress& address, Timestamp now) const {
  const auto server = servers_.find(address);
  if (server == servers_.end() || !server->second.breaker.is_open()) return std::nullopt;
  const Breaker& breaker = server->second.breaker;
  if (breaker.is_probing) return now + breaker_policy_.first_wait;
  return *breaker.next_probe > now ? breaker.next_probe : std::nullopt;
}

std::optional<Timestamp> AddressLimiter::enter(const IpAddress& address, Timestamp now, Lease& lease) {
  const std::uint64_t key = network_of(address);
  if (key == 0) return std::nullopt;
  const std::lock_guard lock(mutex_);
  if (const std::optional<Timestamp> closed = wait_for_breaker(address, now)) return *closed + turn;
  Network& network = networks_[key];
  if (network.requests >= limit_) {
    network.next_turn = std::max(network.next_turn, now) + turn;
    return network.next_turn;
  }
  ++network.requests;
  Server& server = servers_[address];
  ++server.requests;
  server.breaker = before_contact(server.breaker);
  lease = Lease(*this, address, now);
  return std::nullopt;
}

void AddressLimiter::leave(const IpAddress& address, ContactResult result, Timestamp started, Timestamp now) {
  const std::lock_guard lock(mutex_);
  const auto network = networks_.find(network_of(address));
  if (network != networks_.end() && --network->second.requests == 0) networks_.erase(network);
  const auto server = servers_.find(address);
  if (server == servers_.end()) return;
  Breaker& breaker = server->second.breaker;
  breaker = after_contact(breaker, result, started, now, breaker_policy_);
  // The time of the last response matters only to requests in flight.
  if (--server->second.requests == 0 && breaker.failures == 0) servers_.erase(server);
}

}  // namespace linkherd::crawler
