// Carries an exception from a callback across the stack frames of a C library. It stores the exception, makes the
// library stop, and rethrows the exception after the library has returned. Not thread-safe.
#pragma once

#include <exception>
#include <utility>

namespace linkherd {

class CallbackFailure {
 public:
  // Runs `callback` and returns its result. If it throws, stores the exception and returns `stop_value`, which must be
  // the value that makes the library stop.
  template <class Value, class F>
  Value guard(Value stop_value, F&& callback) noexcept {
    try {
      return std::forward<F>(callback)();
    } catch (...) {
      keep(std::current_exception());
      return stop_value;
    }
  }

  // Stores `error` unless an earlier exception is already stored.
  void keep(std::exception_ptr error) noexcept {
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
