// Limits the total size of the bodies between the fetch threads and the store. No new fetch starts while the budget is
// used up. Fetches that are already in flight may exceed it by their own size. Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace linkherd::crawler {

class ByteBudget {
 public:
  explicit ByteBudget(std::size_t limit) : limit_(limit) {}
  // Returns true if no new fetch may start. Never true while nothing is held: even a limit of 0 admits one body after
  // another.
  bool exhausted() const {
    const std::size_t now = used();
    return now != 0 && now >= limit_;
  }
  std::size_t used() const { return used_.load(std::memory_order_relaxed); }

  // Counts bytes against the budget until it is destroyed. It travels with the body, and the budget must outlive it.
  class Lease {
   public:
    Lease() = default;
    explicit Lease(ByteBudget& budget) : budget_(&budget) {}
    Lease(Lease&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    Lease& operator=(Lease&& other) noexcept {
      if (this == &other) return *this;
      resize(0);  // not deferred to the destructor of `other`: a moved-from result may live long
      budget_ = std::exchange(other.budget_, nullptr);
      bytes_ = std::exchange(other.bytes_, 0);
      return *this;
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { resize(0); }

    void resize(std::size_t bytes) {
      if (budget_ == nullptr) return;
      // May wrap, which is correct for unsigned arithmetic.
      budget_->used_.fetch_add(bytes - bytes_, std::memory_order_relaxed);
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
