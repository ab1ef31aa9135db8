// What broke a thread of a run (the machine, not the web), for the thread that waits for the run's results to throw
// again. Thread-safe.
#pragma once

#include <exception>
#include <mutex>
#include <utility>

namespace linkherd::crawler {

class ThreadFailure {
 public:
  void keep(std::exception_ptr error) {  // the first counts
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
  }
  void rethrow() const {
    const std::lock_guard lock(mutex_);
    if (error_) std::rethrow_exception(error_);
  }

 private:
  mutable std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace linkherd::crawler
