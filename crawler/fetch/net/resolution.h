// The result of resolving a host name.
#pragma once

#include <cstdint>
#include <vector>

#include "crawler/fetch/http/failure.h"
#include "crawler/fetch/net/address_policy.h"
#include "parser/timestamp.h"

namespace linkherd::crawler {

// The existence of the registrable domain of a missing host, according to the name servers.
enum class DomainState : std::uint8_t { unknown, exists, missing };

struct Resolution {
  FailureKind failure = FailureKind::none;
  // At most 16. IPv6 comes first, but only if this machine has an IPv6 route or there is no other address.
  std::vector<IpAddress> addresses = {};
  bool is_local_exhaustion = false;  // no socket could be opened for the query
  DomainState domain = DomainState::unknown;
  Timestamp expires{};  // until then it may be cached
};

}  // namespace linkherd::crawler
