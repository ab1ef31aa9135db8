// Carries an exception across the frames of a C library that calls back: the exception is kept, the library is told to
// stop, and the exception is rethrown after the library has returned.
#pragma once

#include <exception>
#include <utility>

namespace linkherd {

class CallbackFailure {
 public:
  // Returns the result of `callback`, or `refusal` if it throws. `refusal` must make the library stop.
  template <class Value, class F>
  Value guard(Value refusal, F&& callback) noexcept {
    try {
      return std::forward<F>(callback)();
    } catch (...) {
      keep(std::current_exception());
      return refusal;
    }
  }

  void keep(std::exception_ptr error) noexcept {  // the first one is kept
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
