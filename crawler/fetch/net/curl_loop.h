// Runs curl's transfers on an io_context, with one multi handle. Belongs to one thread.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <curl/curl.h>

#include "crawler/fetch/http/c_pointer.h"
#include "crawler/fetch/net/socket_set.h"
#include "parser/callback_failure.h"

namespace linkherd::crawler {

using CurlList = std::unique_ptr<curl_slist, Free<curl_slist_free_all>>;
CurlList make_curl_list(const std::vector<std::string>& lines);

using CurlHandle = std::unique_ptr<CURL, Free<curl_easy_cleanup>>;

class CurlLoop {
 public:
  // `max_connections`: size of the connection pool, in use or idle.
  CurlLoop(boost::asio::io_context& io, SocketSet& sockets, long max_connections);
  ~CurlLoop();
  CurlLoop(const CurlLoop&) = delete;
  CurlLoop& operator=(const CurlLoop&) = delete;

  // Creates a handle for a single transfer. A reused handle, even after curl_easy_reset, still refers to the last
  // header of the previous transfer. If the first header line of a response begins with a blank, curl 7.88 then writes
  // to freed memory.
  CurlHandle make_handle();
  // Runs a transfer to its end. Returns curl's code, or CURLE_ABORTED_BY_CALLBACK if it was cancelled.
  boost::asio::awaitable<CURLcode> run(CURL* easy);
  // Current and all later transfers end as cancelled.
  void cancel_all();

 private:
  using Handler = boost::asio::any_completion_handler<void(CURLcode)>;

  static int on_socket(CURL* easy, curl_socket_t socket, int events, void* self, void* socket_data);
  static int on_close(void* self, curl_socket_t socket);
  static int on_timer(CURLM* multi, long milliseconds, void* self);
  void watch(curl_socket_t socket, int events);
  void set_timer(long milliseconds);
  void act_soon();
  void arm_timer(std::chrono::steady_clock::time_point at);
  void on_timer_end();
  void start(CURL* easy, Handler handler);
  void act(curl_socket_t socket, int events);
  void collect_finished();
  void complete(Handler handler, CURLcode code);

  boost::asio::io_context& io_;
  SocketSet& sockets_;
  boost::asio::steady_timer timer_;
  std::optional<std::chrono::steady_clock::time_point> due_;       // when curl wants to be called
  std::optional<std::chrono::steady_clock::time_point> timer_at_;  // expiry of the timer, never later than `due_`
  bool acting_soon_ = false;
  std::unique_ptr<CURLM, Free<curl_multi_cleanup>> multi_;
  std::unordered_map<CURL*, Handler> running_;
  bool is_cancelled_ = false;
  CallbackFailure failure_;  // an exception in a callback of curl
};

}  // namespace linkherd::crawler
