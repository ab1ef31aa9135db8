// Runs lookups of host names that block, on a few threads of its own. It belongs to one Resolver.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "crawler/fetch/http/failure.h"
#include "crawler/fetch/net/address_policy.h"
#include "crawler/fetch/net/connection_options.h"

namespace linkherd::crawler {

struct SystemAnswer {
  FailureKind failure = FailureKind::none;
  std::vector<IpAddress> addresses;
  bool is_local_exhaustion = false;
};

// Resolves a name with getaddrinfo, that is, with the configuration of this machine (nsswitch.conf, mDNS, LDAP).
SystemAnswer query_system(const std::string& host, IpFamily family);

class SystemLookup {
 public:
  explicit SystemLookup(int threads);
  ~SystemLookup();  // does not wait for lookups in progress; no `done` is called afterwards
  SystemLookup(const SystemLookup&) = delete;
  SystemLookup& operator=(const SystemLookup&) = delete;

  // Calls `look_up`, and then `done`, on another thread. Throws std::system_error if not a single thread can be
  // started.
  void start(std::function<SystemAnswer()> look_up, std::function<void(SystemAnswer)> done);

 private:
  struct State;
  static void work(const std::shared_ptr<State>& state);

  // Shared with the threads, because a thread inside getaddrinfo cannot be stopped and may outlive this object.
  std::shared_ptr<State> state_;
  int threads_left_;  // threads that may still be started, one by one on demand
  bool has_threads_ = false;
};

}  // namespace linkherd::crawler
