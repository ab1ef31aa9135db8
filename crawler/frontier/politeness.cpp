#include "crawler/frontier/politeness.h"

#include <algorithm>

namespace linkherd::crawler {

namespace {

constexpr int clean_contacts_per_step = 8;

}  // namespace

HostPace adapt(HostPace pace, ContactOutcome outcome, const Politeness& politeness) {
  const double ceiling = std::max(1, politeness.host_concurrency);
  switch (outcome) {
    case ContactOutcome::clean:
      if (++pace.clean_in_a_row >= clean_contacts_per_step) {
        pace.concurrency += 1;
        pace.clean_in_a_row = 0;
      }
      break;
    case ContactOutcome::overloaded:
      pace.concurrency /= 2;
      pace.clean_in_a_row = 0;
      break;
    case ContactOutcome::failed: pace.clean_in_a_row = 0; break;
    case ContactOutcome::not_contacted: break;
  }
  pace.concurrency = std::clamp(pace.concurrency, 1.0, ceiling);
  return pace;
}

}  // namespace linkherd::crawler
