// How hard a host may be asked: the settings, and the pure rule (additive increase, multiplicative decrease) that
// adapts to it.
#pragma once

#include <chrono>
#include <optional>

#include "parser/timestamp.h"

namespace linkherd::crawler {

struct Politeness {
  int host_concurrency = 6;                                         // the ceiling; every host starts at 1
  Duration host_request_interval = std::chrono::milliseconds(100);  // between the starts of two requests to a host
};

// How a contact with a host went, as far as politeness is concerned.
enum class ContactOutcome {
  clean,          // answered
  overloaded,     // 429, 503, timeout, reset: it cannot take more
  failed,         // could not be reached at all
  not_contacted,  // nothing was sent to it (no address, address refused, cancelled): its interval is given back too
};

struct HostPace {
  double concurrency = 1.0;  // requests at once, rounded down; at least 1
  int clean_in_a_row = 0;

  bool operator==(const HostPace&) const = default;
};

// The pace after one more contact: +1 after 8 clean ones in a row, halved when overloaded; between 1 and the ceiling.
HostPace adapt(HostPace pace, ContactOutcome outcome, const Politeness& politeness);

}  // namespace linkherd::crawler
