// Simulates a full disk: while the object exists, no file of this process can grow beyond a size.
#pragma once

#include <csignal>
#include <stdexcept>

#include <sys/resource.h>

namespace linkherd::tests {

class SmallFiles {
 public:
  explicit SmallFiles(rlim_t bytes) {
    if (::getrlimit(RLIMIT_FSIZE, &before_) != 0) throw std::runtime_error("getrlimit");
    rlimit small = before_;
    small.rlim_cur = bytes;
    std::signal(SIGXFSZ, SIG_IGN);
    if (::setrlimit(RLIMIT_FSIZE, &small) != 0) throw std::runtime_error("setrlimit");
  }
  ~SmallFiles() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;

 private:
  rlimit before_{};
};

}  // namespace linkherd::tests
