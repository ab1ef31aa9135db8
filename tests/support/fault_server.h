// A cheap HTTP server that fails on request, for runs with millions of links. It uses one thread and one epoll set, and
// listens on every address of 127.0.0.0/8. The first segment of a path selects the fault: /ok/1, /reset/2, … (see
// fault_names).
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "parser/enum_names.h"

namespace linkherd::tests {

enum class Fault : std::uint8_t {
  none,
  missing,  // 404
  broken,   // 503
  reset,    // RST instead of an answer
  flaky,    // RST for the first request for a path, then 200
  silent,   // no answer
  cut,      // RST in the middle of the body
  slow,     // the body comes in two parts, 300 ms apart
  busy,     // 429 with Retry-After: 1 for the first request for a path, then 200
  moved,    // 301 to the path with the same number and fault `none`
};
inline constexpr std::array<EnumName<Fault>, 10> fault_names{{{Fault::none, "ok"},
                                                              {Fault::missing, "missing"},
                                                              {Fault::broken, "broken"},
                                                              {Fault::reset, "reset"},
                                                              {Fault::flaky, "flaky"},
                                                              {Fault::silent, "silent"},
                                                              {Fault::cut, "cut"},
                                                              {Fault::slow, "slow"},
                                                              {Fault::busy, "busy"},
                                                              {Fault::moved, "moved"}}};

class FaultServer {
 public:
  FaultServer();
  ~FaultServer();
  FaultServer(const FaultServer&) = delete;
  FaultServer& operator=(const FaultServer&) = delete;

  std::uint16_t port() const;
  std::uint64_t requests() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace linkherd::tests
