// Moves the slots of transfers that have not got a byte for a second to the budget of the stalled, and back when they
// move again: a host that is silent costs the others nothing. One fetch thread's.
#pragma once

#include <chrono>
#include <functional>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "crawler/fetch/slots.h"

namespace linkherd::crawler {

class StallWatch {
 public:
  static constexpr auto patience = std::chrono::seconds(1);

  // `on_room`: called when a slot has become free in this way.
  StallWatch(boost::asio::io_context& io, Slots::Claim& slots, std::function<void()> on_room);

  // One hop's slot, which has been taken before; it is given back at the end.
  class Slot {
   public:
    // `first_contact`: its host has never been asked before.
    Slot(StallWatch& watch, bool first_contact);
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
    bool first_contact_;
    Slot *before_ = nullptr, *after_ = nullptr;
  };

  // Slots held for hosts that have not said anything yet: it takes a second until a silent one gives its slot back.
  int first_contacts() const { return first_contacts_; }

 private:
  void look_soon();
  void look();

  boost::asio::steady_timer timer_;
  Slots::Claim& slots_;
  std::function<void()> on_room_;
  Slot* first_ = nullptr;  // a list through the slots themselves
  int first_contacts_ = 0;
  bool looking_ = false;
};

}  // namespace linkherd::crawler
