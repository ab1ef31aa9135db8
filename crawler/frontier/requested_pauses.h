// The pauses that a host has requested, with or without a time: refusals (429), Retry-After and rate limits.
#pragma once

#include <memory>
#include <optional>

#include "crawler/frontier/frontier.h"
#include "parser/timestamp.h"
#include "storage/host_state.h"

namespace linkherd::crawler {

class RequestedPauses {
 public:
  // The pause of an earlier run.
  void restore(Timestamp until);
  // Records a pause; a later deadline wins.
  void pause(Timestamp until, Timestamp now, PauseCause cause);
  // Returns the total length of the silence at `until`, counted from the first pause after the last clean response.
  Duration silence(Timestamp until, Timestamp now);
  int count_refusal() { return ++refusals_; }  // returns the consecutive refusals
  void note_request();                         // a request has waited for the pauses so far
  void note_clean_response();

  Timestamp until() const { return until_; }
  // Returns why requests wait, or nullopt if there is no pause.
  std::optional<HostWait> wait(Timestamp now) const;
  // Returns the pauses that requests have waited for, or nullopt if there are none.
  std::optional<storage::HostPauses> waited_for() const;

  // No request is tried before `until`.
  void abandon_until(Timestamp until) { abandoned_until_ = until; }
  std::optional<Timestamp> abandoned_until(Timestamp now) const;

 private:
  // The pauses of this run, allocated separately because few hosts have any.
  struct Pauses {
    storage::HostPauses known;
    Duration length{};    // length of the current pause
    Duration unserved{};  // the part of the pauses that no request has waited for yet
  };
  std::unique_ptr<Pauses> pauses_;
  Timestamp until_;
  std::optional<Timestamp> silent_since_;
  std::optional<Timestamp> abandoned_until_;
  int refusals_ = 0;
};

}  // namespace linkherd::crawler
