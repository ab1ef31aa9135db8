// Suspends a coroutine of the scripted servers. Include it only in implementation files: it pulls in Asio.
#pragma once

#include <chrono>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace linkherd::tests {

inline boost::asio::awaitable<void> pause(std::chrono::milliseconds time) {
  if (time.count() <= 0) co_return;
  boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
  timer.expires_after(time);
  boost::system::error_code ignored;
  co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
}

}  // namespace linkherd::tests
