// Speaks the Chrome DevTools Protocol with a browser over a socket (--remote-debugging-pipe): JSON objects, each
// followed by a zero byte. Used by one thread.
//
// The browser is not trusted. A message that is too large, nested too deeply or not a JSON object ends the connection,
// and so does a browser that stops reading. Every call ends: with a result, an error of the browser, at its timeout, or
// with the connection.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/object.hpp>

#include "parser/result.h"
#include "storage/file_descriptor.h"

namespace linkherd::crawler {

struct DevToolsEvent {
  std::string_view session;  // empty: of the browser itself
  std::string_view method;   // such as "Page.frameNavigated"
  const boost::json::object& params;
};

// Read a member of a message. Returns an empty value if it is missing or has another type, because nothing in a message
// is certain.
std::string_view text_member(const boost::json::object& object, std::string_view name);
int number_member(const boost::json::object& object, std::string_view name);
const boost::json::object& object_member(const boost::json::object& object, std::string_view name);

class DevToolsClient {
 public:
  using Handler = std::function<void(const DevToolsEvent&)>;
  static constexpr std::size_t max_message_bytes = std::size_t{64} << 20;
  static constexpr std::size_t max_message_depth = 100;
  static constexpr std::size_t max_unsent_bytes = std::size_t{16} << 20;

  // Takes over the linkherd side of the socket pair.
  DevToolsClient(boost::asio::io_context& io, storage::FileDescriptor socket);
  DevToolsClient(const DevToolsClient&) = delete;
  DevToolsClient& operator=(const DevToolsClient&) = delete;

  // Reads messages until the connection ends. The object must live until this function and all calls have returned.
  boost::asio::awaitable<void> run();
  // Sends a command and waits for its result. `session`: empty for the browser itself. Await it at once.
  boost::asio::awaitable<Result<boost::json::object>> call(std::string_view method, boost::json::object&& params,
                                                           std::string_view session,
                                                           std::chrono::steady_clock::duration timeout);
  // Sends a command whose result does not matter.
  void send(std::string_view method, boost::json::object params, std::string_view session);

  // Calls `handler` for every event, in the reading coroutine. The handler must not throw, and may send commands.
  int listen(Handler handler);
  void forget(int listener);

  // Ends the connection and all calls. The first reason is kept.
  void close(std::string_view reason);
  bool is_open() const { return failure_.empty(); }
  const std::string& failure() const { return failure_; }

 private:
  struct Call;

  boost::asio::awaitable<Result<boost::json::object>> wait_for_answer(std::int64_t id, std::string method,
                                                                      std::chrono::steady_clock::duration timeout);
  std::int64_t enqueue(std::string_view method, boost::json::object params, std::string_view session);
  void write_next();
  void take_bytes(std::string_view bytes);
  bool take_message(std::string& text);

  boost::asio::io_context& io_;
  boost::asio::local::stream_protocol::socket socket_;
  boost::asio::steady_timer written_;  // cancelled when no write is in progress
  std::string incoming_;               // the beginning of an incomplete message
  std::deque<std::string> outgoing_;
  std::size_t unsent_bytes_ = 0;
  bool is_writing_ = false;
  std::int64_t last_id_ = 0;
  std::map<std::int64_t, Call*> calls_;
  std::map<int, Handler> handlers_;
  int last_listener_ = 0;
  std::string failure_;  // why the connection has ended; empty: it has not
};

}  // namespace linkherd::crawler
