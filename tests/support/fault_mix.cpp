#include "tests/support/fault_mix.h"

#include <array>

namespace linkherd::tests {
namespace {

struct Share {
  Fault fault;
  unsigned in_thousand;
};
constexpr std::array<Share, 9> shares{{{Fault::missing, 30},
                                       {Fault::broken, 4},
                                       {Fault::reset, 4},
                                       {Fault::flaky, 10},
                                       {Fault::silent, 1},
                                       {Fault::cut, 5},
                                       {Fault::slow, 10},
                                       {Fault::busy, 2},
                                       {Fault::moved, 30}}};

// splitmix64 (public domain, Sebastiano Vigna): adjacent indices must have independent faults.
std::uint64_t scattered(std::uint64_t number) {
  number += 0x9e3779b97f4a7c15U;
  number = (number ^ (number >> 30U)) * 0xbf58476d1ce4e5b9U;
  number = (number ^ (number >> 27U)) * 0x94d049bb133111ebU;
  return number ^ (number >> 31U);
}

}  // namespace

Fault FaultMix::fault(std::size_t number) const {
  auto lot = static_cast<unsigned>(scattered(number) % 1000);
  for (const Share& share : shares) {
    if (lot < share.in_thousand) return share.fault;
    lot -= share.in_thousand;
  }
  return Fault::none;
}

std::string FaultMix::url(std::size_t number) const {
  const std::size_t host = number % hosts;
  std::string url = "http://127.";
  url += std::to_string(1 + host / 62'500) + '.' + std::to_string(host / 250 % 250) + '.' +
         std::to_string(1 + host % 250) + ':' + std::to_string(port) + '/';
  return url.append(enum_name(fault_names, fault(number))) + '/' + std::to_string(number);
}

std::string FaultMix::health(std::size_t number) const {
  switch (fault(number)) {
    case Fault::missing: return "dead";
    case Fault::broken:
    case Fault::reset:
    case Fault::silent: return "unreachable";
    case Fault::moved: return "redirected";
    case Fault::none:
    case Fault::flaky:
    case Fault::cut:
    case Fault::slow:
    case Fault::busy: break;
  }
  return "alive";
}

std::string FaultMix::markdown(std::size_t from, std::size_t to) const {
  std::string list;
  for (std::size_t i = from; i < to; ++i) list += "- [Entry " + std::to_string(i) + "](" + url(i) + ")\n";
  return list;
}

}  // namespace linkherd::tests
