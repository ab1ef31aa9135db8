// The bound on transfers in flight over all fetch threads. A thread below its fair share goes before those above it.
// Transfers that stand still are counted apart, up to a bound of their own, so that silent hosts starve nobody.
#pragma once

#include <algorithm>
#include <atomic>

namespace linkherd::crawler {

class Slots {
 public:
  Slots(int limit, int stalled_limit, int threads)
      : limit_(limit), stalled_limit_(stalled_limit), fair_share_(std::max(1, limit / threads)) {}

  // One thread's claim. Not thread-safe itself.
  class Claim {
   public:
    explicit Claim(Slots& slots) : slots_(slots) {}
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    ~Claim() {
      set_hungry(false);
      slots_.taken_ -= held_;
      slots_.stalled_ -= stalled_;
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
    // One of the held moves to the stalled. False where there is no room.
    bool stall() {
      if (slots_.stalled_.fetch_add(1) >= slots_.stalled_limit_) {
        slots_.stalled_.fetch_sub(1);
        return false;
      }
      ++stalled_;
      give_back();
      return true;
    }
    // It moves again: back to the held, even where that is one too many for the moment.
    void resume() {
      slots_.taken_.fetch_add(1);
      ++held_;
      give_back_stalled();
    }
    void give_back_stalled() {
      --stalled_;
      slots_.stalled_.fetch_sub(1);
    }
    void not_needed() { set_hungry(false); }
    int fair_share() const { return slots_.fair_share_; }
    int held() const { return held_; }
    int stalled() const { return stalled_; }

   private:
    void set_hungry(bool hungry) {
      if (hungry_ == hungry) return;
      hungry_ = hungry;
      slots_.hungry_ += hungry ? 1 : -1;
    }

    Slots& slots_;
    int held_ = 0;
    int stalled_ = 0;
    bool hungry_ = false;
  };

 private:
  const int limit_;
  const int stalled_limit_;
  const int fair_share_;
  std::atomic<int> taken_{0};
  std::atomic<int> stalled_{0};
  std::atomic<int> hungry_{0};  // threads that wait for a slot below their share
};

}  // namespace linkherd::crawler
