// Runs lookups of host names that block, on a few threads of its own. It belongs to one Resolver.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "crawler/fetch/net/connection_options.h"
#include "crawler/fetch/net/resolution.h"

namespace linkherd::crawler {

// Resolves a name with getaddrinfo, that is, with the configuration of this machine (nsswitch.conf, mDNS, LDAP).
Resolution query_system(const std::string& host, IpFamily family);

class SystemLookup {
 public:
  explicit SystemLookup(int threads);
  ~SystemLookup();  // does not wait for lookups in progress; no `done` is called afterwards
  SystemLookup(const SystemLookup&) = delete;
  SystemLookup& operator=(const SystemLookup&) = delete;

  // Calls `look_up`, and then `done`, on another thread. Throws std::system_error if not a single thread can be
  // started.
  void start(std::function<Resolution()> look_up, std::function<void(Resolution)> done);
  bool has_started() const { return has_threads_; }

 private:
  struct State;
  static void work(const std::shared_ptr<State>& state);

  // Shared with the threads, because a thread inside getaddrinfo cannot be stopped and may outlive this object.
  std::shared_ptr<State> state_;
  int threads_left_;  // threads that may still be started, one by one on demand
  bool has_threads_ = false;
};

}  // namespace linkherd::crawler
