// Limits the transfers in flight over all fetch threads. A thread below its fair share has priority over threads above
// theirs. Stalled transfers count separately, with a limit of their own, so that silent hosts do not block others.
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

  // The slots of one thread. Not thread-safe itself.
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

    // Takes a slot. Returns false if none is available to this thread now. Then either try again later or call
    // not_needed().
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
    // Turns a held slot into a stalled one. Returns false if there is no room for it.
    bool stall() {
      if (slots_.stalled_.fetch_add(1) >= slots_.stalled_limit_) {
        slots_.stalled_.fetch_sub(1);
        return false;
      }
      ++stalled_;
      give_back();
      return true;
    }
    // Turns a stalled slot back into a held one, even if that exceeds the limit temporarily.
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
  std::atomic<int> starved_{0};  // threads below their share that wait for a slot
};

// Detects stalled transfers. A transfer without a byte for one second moves from the normal limit to the limit of
// stalled transfers, and back when it receives data. So a silent host does not hold up others. Used by one fetch
// thread.
class StallWatch {
 public:
  static constexpr auto timeout = std::chrono::seconds(1);

  // `on_room` is called when this frees a slot.
  StallWatch(boost::asio::io_context& io, Slots::Claim& slots, std::function<void()> on_room);

  // The slot of one hop, which has been taken before. The destructor returns it.
  class Slot {
   public:
    // `is_first_contact`: the host has had no contact in this run.
    Slot(StallWatch& watch, bool is_first_contact);
    ~Slot();
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    void moved();     // call after any received byte
    void answered();  // call after received bytes of a response

   private:
    friend class StallWatch;
    void end_first_contact();

    StallWatch& watch_;
    // Time of the last movement, as of the last check: reading the clock for every byte would cost more.
    std::chrono::steady_clock::time_point last_move_;
    bool moved_ = false;  // data has arrived since then
    bool stalled_ = false;
    bool is_first_contact_;
    Slot *before_ = nullptr, *after_ = nullptr;
  };

  // Returns the slots held for hosts that have not answered anything yet. A silent host returns its slot after a
  // second.
  int first_contacts() const { return first_contacts_; }

 private:
  void check_soon();
  void look();

  boost::asio::steady_timer timer_;
  Slots::Claim& slots_;
  std::function<void()> on_room_;
  Slot* first_ = nullptr;  // head of an intrusive list
  int first_contacts_ = 0;
  bool is_checking_ = false;
};

}  // namespace linkherd::crawler
