#include "crawler/frontier/requested_pauses.h"

#include <algorithm>
#include <utility>

namespace linkherd::crawler {

void RequestedPauses::restore(Timestamp until) { until_ = std::max(until_, until); }

void RequestedPauses::pause(Timestamp until, Timestamp now, PauseCause cause) {
  if (until <= until_ || until <= now) return;
  if (!pauses_) pauses_ = std::make_unique<Pauses>();
  pauses_->known.status = cause.status;
  pauses_->known.is_host_time = cause.is_host_time;
  pauses_->length = until - now;
  pauses_->unserved += until - std::max(until_, now);
  until_ = until;
}

Duration RequestedPauses::silence(Timestamp until, Timestamp now) {
  if (!silent_since_) silent_since_ = now;
  return until - *silent_since_;
}

void RequestedPauses::note_request() {
  if (pauses_) pauses_->known.waited += std::exchange(pauses_->unserved, Duration{});
}

void RequestedPauses::note_clean_response() {
  silent_since_.reset();
  refusals_ = 0;
}

std::optional<HostWait> RequestedPauses::wait(Timestamp now) const {
  if (until_ <= now) return std::nullopt;
  if (!pauses_) return HostWait{.reason = WaitReason::host_pause, .time = until_ - now};  // set by an earlier run
  return HostWait{.reason = pauses_->known.is_host_time ? WaitReason::host_pause : WaitReason::own_pause,
                  .status = pauses_->known.status,
                  .time = pauses_->length};
}

std::optional<storage::HostPauses> RequestedPauses::waited_for() const {
  return pauses_ && pauses_->known.waited > Duration{} ? std::optional(pauses_->known) : std::nullopt;
}

std::optional<Timestamp> RequestedPauses::abandoned_until(Timestamp now) const {
  return abandoned_until_ && *abandoned_until_ > now ? abandoned_until_ : std::nullopt;
}

}  // namespace linkherd::crawler
