// Host names to addresses as this machine is set up (nsswitch.conf, mDNS, LDAP), by getaddrinfo on a few threads of its
// own. One resolver's.
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

class SystemLookup {
 public:
  explicit SystemLookup(int threads);
  ~SystemLookup();  // does not wait for what is under way, and no `done` is called afterwards
  SystemLookup(const SystemLookup&) = delete;
  SystemLookup& operator=(const SystemLookup&) = delete;

  // `done` is called from another thread. Throws std::system_error where not a single thread can be started.
  void ask(std::string host, IpFamily family, std::function<void(SystemAnswer)> done);

 private:
  struct State;
  static void work(const std::shared_ptr<State>& state);

  // Shared with the threads, since one that is inside getaddrinfo cannot be stopped and may outlive us.
  std::shared_ptr<State> state_;
  int threads_left_;  // started one by one, when they are needed
  bool has_threads_ = false;
};

}  // namespace linkherd::crawler
