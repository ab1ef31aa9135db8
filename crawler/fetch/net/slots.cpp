#include "crawler/fetch/net/slots.h"

#include <utility>

namespace linkherd::crawler {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr auto interval = std::chrono::milliseconds(250);

}  // namespace

StallWatch::StallWatch(boost::asio::io_context& io, Slots::Claim& slots, std::function<void()> on_room)
    : timer_(io), slots_(slots), on_room_(std::move(on_room)) {}

StallWatch::Slot::Slot(StallWatch& watch, bool is_first_contact)
    : watch_(watch), last_move_(SteadyClock::now()), is_first_contact_(is_first_contact), after_(watch.first_) {
  if (is_first_contact_) ++watch_.first_contacts_;
  if (after_ != nullptr) after_->before_ = this;
  watch_.first_ = this;
  watch_.check_soon();
}

StallWatch::Slot::~Slot() {
  end_first_contact();
  (before_ == nullptr ? watch_.first_ : before_->after_) = after_;
  if (after_ != nullptr) after_->before_ = before_;
  if (stalled_) {
    watch_.slots_.give_back_stalled();
  } else {
    watch_.slots_.give_back();
  }
}

void StallWatch::Slot::moved() {
  moved_ = true;
  if (!std::exchange(stalled_, false)) return;
  watch_.slots_.resume();
}

void StallWatch::Slot::answered() {
  end_first_contact();
  moved();
}

void StallWatch::Slot::end_first_contact() {
  if (std::exchange(is_first_contact_, false)) --watch_.first_contacts_;
}

void StallWatch::check_soon() {
  if (is_checking_) return;
  is_checking_ = true;
  timer_.expires_after(interval);
  timer_.async_wait([this](boost::system::error_code error) {
    is_checking_ = false;
    if (!error) look();
  });
}

void StallWatch::look() {
  if (first_ == nullptr) return;
  const auto now = SteadyClock::now();
  bool room = false;
  for (Slot* slot = first_; slot != nullptr; slot = slot->after_) {
    if (std::exchange(slot->moved_, false)) slot->last_move_ = now;
    if (slot->stalled_ || slot->last_move_ > now - timeout) continue;
    if (!slots_.stall()) break;
    slot->stalled_ = true;
    slot->end_first_contact();
    room = true;
  }
  check_soon();
  if (room) on_room_();
}

}  // namespace linkherd::crawler
