// The limit on transfers in flight over all fetch threads. A thread below its fair share goes before those above it.
// Stalled transfers are counted separately, up to a limit of their own, so that silent hosts starve nobody.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

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
      set_starved(false);
      slots_.taken_ -= held_;
      slots_.stalled_ -= stalled_;
    }

    // False where none is free for this thread now: ask again a little later, or say not_needed().
    bool take() {
      const bool above_share = held_ >= slots_.fair_share_;
      if (above_share && slots_.starved_.load() > 0) return false;
      if (slots_.taken_.fetch_add(1) >= slots_.limit_) {
        slots_.taken_.fetch_sub(1);
        set_starved(!above_share);
        return false;
      }
      set_starved(false);
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
    void not_needed() { set_starved(false); }
    int fair_share() const { return slots_.fair_share_; }
    int held() const { return held_; }
    int stalled() const { return stalled_; }

   private:
    void set_starved(bool starved) {
      if (starved_ == starved) return;
      starved_ = starved;
      slots_.starved_ += starved ? 1 : -1;
    }

    Slots& slots_;
    int held_ = 0;
    int stalled_ = 0;
    bool starved_ = false;
  };

 private:
  const int limit_;
  const int stalled_limit_;
  const int fair_share_;
  std::atomic<int> taken_{0};
  std::atomic<int> stalled_{0};
  std::atomic<int> starved_{0};  // threads that wait for a slot below their share
};

// Moves the slots of transfers that have not got a byte for a second to the budget of the stalled, and back when they
// move again: a host that is silent costs the others nothing. One fetch thread's.
class StallWatch {
 public:
  static constexpr auto timeout = std::chrono::seconds(1);

  // `on_room`: called when a slot has become free in this way.
  StallWatch(boost::asio::io_context& io, Slots::Claim& slots, std::function<void()> on_room);

  // One hop's slot, which has been taken before; it is given back at the end.
  class Slot {
   public:
    // `is_first_contact`: its host has never been asked before.
    Slot(StallWatch& watch, bool is_first_contact);
    ~Slot();
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    void moved();     // something has come
    void answered();  // some of an answer has come

   private:
    friend class StallWatch;
    void end_first_contact();

    StallWatch& watch_;
    std::chrono::steady_clock::time_point
        last_move_;       // as seen by the last look: a clock for every byte would cost more
    bool moved_ = false;  // since then
    bool stalled_ = false;
    bool is_first_contact_;
    Slot *before_ = nullptr, *after_ = nullptr;
  };

  // Slots held for hosts that have not said anything yet: it takes a second until a silent one gives its slot back.
  int first_contacts() const { return first_contacts_; }

 private:
  void check_soon();
  void look();

  boost::asio::steady_timer timer_;
  Slots::Claim& slots_;
  std::function<void()> on_room_;
  Slot* first_ = nullptr;  // a list through the slots themselves
  int first_contacts_ = 0;
  bool is_checking_ = false;
};

}  // namespace linkherd::crawler
