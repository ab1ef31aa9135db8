// Limits the concurrent requests to a network (an IPv4 /24 or an IPv6 /48), whichever hosts they are for. Five thousand
// blogs on one server still share one server. Loopback is exempt. Shared by the fetch threads and thread-safe.
//
// It also has a circuit breaker for each address. An address that cannot be connected to, or never answers for any
// host, is given up like a host. A few silent requests do not suffice, because they may concern a single host.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "crawler/fetch/net/address_policy.h"
#include "crawler/frontier/circuit_breaker.h"
#include "parser/timestamp.h"

namespace linkherd::crawler {

class AddressLimiter {
 public:
  explicit AddressLimiter(int limit, const BreakerPolicy& breaker = {.failures_to_open = 5, .max_unanswered = 0})
      : limit_(limit), breaker_policy_(breaker) {}

  // Counts one request until it is destroyed. The limiter must outlive it.
  class Lease {
   public:
    Lease() = default;
    Lease(AddressLimiter& limiter, const IpAddress& address, Timestamp now)
        : limiter_(&limiter), address_(address), started_(now) {}
    Lease(Lease&& other) noexcept
        : limiter_(std::exchange(other.limiter_, nullptr)),
          address_(other.address_),
          started_(other.started_),
          found_(other.found_),
          at_(other.at_) {}
    Lease& operator=(Lease&& other) noexcept {
      std::swap(limiter_, other.limiter_);
      std::swap(address_, other.address_);
      std::swap(started_, other.started_);
      std::swap(found_, other.found_);
      std::swap(at_, other.at_);
      return *this;
    }
    ~Lease() {
      if (limiter_ != nullptr) limiter_->leave(address_, found_, started_, at_);
    }
    // Records the outcome of the request.
    void found(ContactResult result, Timestamp now) {
      found_ = result;
      at_ = now;
    }

   private:
    AddressLimiter* limiter_ = nullptr;
    IpAddress address_;
    Timestamp started_;
    ContactResult found_ = ContactResult::no_evidence;
    Timestamp at_;
  };

  // Returns true if nothing more is tried at this address in this run.
  bool is_abandoned(const IpAddress& address) const;

  // Starts `lease` and returns nullopt if there is room. Otherwise returns the time for the next try; each refused
  // request gets a later time.
  std::optional<Timestamp> enter(const IpAddress& address, Timestamp now, Lease& lease);

 private:
  struct Network {
    int requests = 0;
    Timestamp next_turn;
  };
  // An address with requests in flight or failures.
  struct Server {
    int requests = 0;
    Breaker breaker;
  };
  std::optional<Timestamp> wait_for_breaker(const IpAddress& address, Timestamp now) const;
  void leave(const IpAddress& address, ContactResult result, Timestamp started, Timestamp now);

  const int limit_;
  const BreakerPolicy breaker_policy_;
  mutable std::mutex mutex_;
  std::map<IpAddress, Server> servers_;
  std::unordered_map<std::uint64_t, Network> networks_;
};

}  // namespace linkherd::crawler
