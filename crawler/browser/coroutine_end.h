// Ends a coroutine that nothing waits for.
#pragma once

#include <exception>

namespace linkherd::crawler {

// The completion handler of co_spawn(). It throws the exception of the coroutine out of io_context::run(), where
// asio::detached would drop it.
inline void rethrow_failure(const std::exception_ptr& failure) {
  if (failure) std::rethrow_exception(failure);
}

}  // namespace linkherd::crawler
