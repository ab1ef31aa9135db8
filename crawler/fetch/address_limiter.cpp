#include "crawler/fetch/address_limiter.h"

#include <algorithm>
#include <chrono>

namespace linkherd::crawler {

namespace {

constexpr Duration turn = std::chrono::milliseconds(20);

// The first bytes of the address with its family; 0 for loopback.
std::uint64_t place_of(const IpAddress& address) {
  if (!address.v6 && address.bytes[0] == 127) return 0;
  if (address == IpAddress::parse("::1")) return 0;
  const std::size_t length = address.v6 ? 6 : 3;
  std::uint64_t place = address.v6 ? 6 : 4;
  for (std::size_t i = 0; i < length; ++i) place = place << 8 | address.bytes[i];
  return place;
}

}  // namespace

std::optional<Timestamp> AddressLimiter::enter(const IpAddress& address, Timestamp now, Visit& visit) {
  const std::uint64_t key = place_of(address);
  if (key == 0) return std::nullopt;
  const std::lock_guard lock(mutex_);
  Place& place = places_[key];
  if (place.visitors >= limit_) {
    place.next_turn = std::max(place.next_turn, now) + turn;
    return place.next_turn;
  }
  ++place.visitors;
  visit = Visit(*this, key);
  return std::nullopt;
}

void AddressLimiter::leave(std::uint64_t key) {
  const std::lock_guard lock(mutex_);
  const auto place = places_.find(key);
  if (place != places_.end() && --place->second.visitors == 0) places_.erase(place);
}

}  // namespace linkherd::crawler
