// How many requests at once go to one place on the network, whichever hosts they are for: five thousand blogs on one
// server are still one server. A place is a /24 of IPv4 or a /48 of IPv6; loopback is exempt. Shared by the fetch
// threads.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "crawler/fetch/address_check.h"
#include "parser/timestamp.h"

namespace linkherd::crawler {

class AddressLimiter {
 public:
  explicit AddressLimiter(int limit) : limit_(limit) {}

  // Being counted at a place; ends the count with its life. The limiter outlives it.
  class Visit {
   public:
    Visit() = default;
    Visit(AddressLimiter& limiter, std::uint64_t place) : limiter_(&limiter), place_(place) {}
    Visit(Visit&& other) noexcept : limiter_(std::exchange(other.limiter_, nullptr)), place_(other.place_) {}
    Visit& operator=(Visit&& other) noexcept {
      std::swap(limiter_, other.limiter_);
      std::swap(place_, other.place_);
      return *this;
    }
    ~Visit() {
      if (limiter_ != nullptr) limiter_->leave(place_);
    }

   private:
    AddressLimiter* limiter_ = nullptr;
    std::uint64_t place_ = 0;
  };

  // Nothing where there is room, and `visit` has begun; else when to come again: each who is turned away gets a later
  // time.
  std::optional<Timestamp> enter(const IpAddress& address, Timestamp now, Visit& visit);

 private:
  struct Place {
    int visitors = 0;
    Timestamp next_turn;
  };
  void leave(std::uint64_t place);

  const int limit_;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, Place> places_;
};

}  // namespace linkherd::crawler
