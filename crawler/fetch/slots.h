// The bound on transfers in flight over all fetch threads. A thread below its fair share goes before those above it.
#pragma once

#include <algorithm>
#include <atomic>

namespace linkherd::crawler {

class Slots {
 public:
  Slots(int limit, int threads) : limit_(limit), fair_share_(std::max(1, limit / threads)) {}

  // One thread's claim. Not thread-safe itself.
  class Claim {
   public:
    explicit Claim(Slots& slots) : slots_(slots) {}
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    ~Claim() {
      set_hungry(false);
      slots_.taken_ -= held_;
    }

    // False where none is free for this thread now: ask again a little later, or say not_needed().
    bool take() {
      const bool above_share = held_ >= slots_.fair_share_;
      if (above_share && slots_.hungry_.load() > 0) return false;
      if (slots_.taken_.fetch_add(1) >= slots_.limit_) {
        slots_.taken_.fetch_sub(1);
        set_hungry(!above_share);
        return false;
      }
      set_hungry(false);
      ++held_;
      return true;
    }
    void give_back() {
      --held_;
      slots_.taken_.fetch_sub(1);
    }
    void not_needed() { set_hungry(false); }
    int held() const { return held_; }

   private:
    void set_hungry(bool hungry) {
      if (hungry_ == hungry) return;
      hungry_ = hungry;
      slots_.hungry_ += hungry ? 1 : -1;
    }

    Slots& slots_;
    int held_ = 0;
    bool hungry_ = false;
  };

 private:
  const int limit_;
  const int fair_share_;
  std::atomic<int> taken_{0};
  std::atomic<int> hungry_{0};  // threads that wait for a slot below their share
};

}  // namespace linkherd::crawler
