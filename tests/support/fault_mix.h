// Defines very many links at a FaultServer, most of them sound, with the expected verdict of each. Both follow from the
// number of the link, so that nothing is stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tests/support/fault_server.h"

namespace linkherd::tests {

struct FaultMix {
  std::uint16_t port = 0;
  std::size_t hosts = 1;  // at most 15,000,000; link n is at host n % hosts

  Fault fault(std::size_t number) const;
  std::string url(std::size_t number) const;
  std::string health(std::size_t number) const;
  std::string markdown(std::size_t from, std::size_t to) const;  // a list of the links [from, to)
};

}  // namespace linkherd::tests
