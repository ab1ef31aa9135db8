// A bound on the bytes of bodies between the fetch threads and the store. Admission stops while it is used up; what is
// already in flight may overshoot by its own size.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace linkherd::crawler {

class ByteBudget {
 public:
  explicit ByteBudget(std::size_t limit) : limit_(limit) {}
  // Never while nothing is held: even a limit of 0 lets one body after the other through.
  bool exhausted() const {
    const std::size_t now = used();
    return now != 0 && now >= limit_;
  }
  std::size_t used() const { return used_.load(std::memory_order_relaxed); }

  // Bytes counted against the budget until the lease ends. Travels with the body. The budget outlives every lease.
  class Lease {
   public:
    Lease() = default;
    explicit Lease(ByteBudget& budget) : budget_(&budget) {}
    Lease(Lease&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    Lease& operator=(Lease&& other) noexcept {
      if (this == &other) return *this;
      resize(0);  // at once, not when `other` dies: a moved-from result may live long
      budget_ = std::exchange(other.budget_, nullptr);
      bytes_ = std::exchange(other.bytes_, 0);
      return *this;
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { resize(0); }

    void resize(std::size_t bytes) {
      if (budget_ == nullptr) return;
      budget_->used_.fetch_add(bytes - bytes_, std::memory_order_relaxed);  // wraps: unsigned arithmetic is modular
      bytes_ = bytes;
    }
    std::size_t bytes() const { return bytes_; }

   private:
    ByteBudget* budget_ = nullptr;
    std::size_t bytes_ = 0;
  };

 private:
  const std::size_t limit_;
  std::atomic<std::size_t> used_{0};
};

}  // namespace linkherd::crawler
