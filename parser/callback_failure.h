// For functions that a C library calls: no exception may cross its frames. The exception is kept, the library is
// told to stop, and the exception is thrown again once the library has returned.
#pragma once

#include <exception>
#include <utility>

namespace linkherd {

class CallbackFailure {
 public:
  // What `callback` gives; `refusal`, which makes the library stop, where it throws.
  template <class Value, class F>
  Value guard(Value refusal, F&& callback) noexcept {
    try {
      return std::forward<F>(callback)();
    } catch (...) {
      keep(std::current_exception());
      return refusal;
    }
  }

  void keep(std::exception_ptr error) noexcept {  // the first counts
    if (!error_) error_ = std::move(error);
  }
  bool is_set() const noexcept { return error_ != nullptr; }
  void rethrow() {
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  std::exception_ptr error_;
};

}  // namespace linkherd
