// Defines any number of links to a FaultServer, most of them healthy, and the expected health of each. Everything
// follows from the index of a link, so no state is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tests/support/fault_server.h"

namespace linkherd::tests {

struct FaultMix {
  std::uint16_t port = 0;
  std::size_t hosts = 1;  // at most 15,000,000; link n belongs to host n % hosts

  Fault fault(std::size_t number) const;
  std::string url(std::size_t number) const;
  std::string health(std::size_t number) const;
  std::string markdown(std::size_t from, std::size_t to) const;  // a Markdown list of the links [from, to)
};

}  // namespace linkherd::tests
