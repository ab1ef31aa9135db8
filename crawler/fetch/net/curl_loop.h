// One curl multi handle on one io_context: runs easy handles to their end as awaitable operations. Belongs to one
// thread.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <curl/curl.h>

#include "crawler/fetch/net/socket_set.h"
#include "parser/callback_failure.h"

struct ssl_ctx_st;

namespace linkherd::crawler {

struct EasyDeleter {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
using EasyHandle = std::unique_ptr<CURL, EasyDeleter>;

class CurlLoop {
 public:
  // `most_idle_connections`: how many the pool of connections keeps.
  CurlLoop(boost::asio::io_context& io, SocketSet& sockets, long most_idle_connections);
  ~CurlLoop();
  CurlLoop(const CurlLoop&) = delete;
  CurlLoop& operator=(const CurlLoop&) = delete;

  // For one transfer. One that is used again, even after curl_easy_reset, makes curl 7.88 write to freed memory where
  // an answer's first header line begins with a blank: it still holds the last header of the transfer before.
  EasyHandle make_handle();

  // Ends with curl's code. Cancelled transfers, and all that are started after cancel_all(), end with
  // CURLE_ABORTED_BY_CALLBACK.
  boost::asio::awaitable<CURLcode> run(CURL* easy);
  void cancel_all();

 private:
  using Handler = boost::asio::any_completion_handler<void(CURLcode)>;
  struct MultiDeleter {
    void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
  };

  static int on_socket(CURL* easy, curl_socket_t socket, int what, void* self, void* socket_data);
  static int on_close(void* self, curl_socket_t socket);
  static int on_timer(CURLM* multi, long milliseconds, void* self);
  void watch(curl_socket_t socket, int what);
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
  std::optional<std::chrono::steady_clock::time_point> timer_at_;  // when the timer ends: never later than that
  bool acting_soon_ = false;
  std::unique_ptr<CURLM, MultiDeleter> multi_;
  std::unordered_map<CURL*, Handler> running_;
  bool cancelled_ = false;
  CallbackFailure failure_;  // in what curl called
};

// Cuts TLS connections on which records come without end. curl 7.88 reads HTTP/2 frames that belong to no body (pings,
// settings) for as long as there are any, and looks at no timeout meanwhile: one such server would hold up a whole
// thread.

// Before a connection's handshake.
void watch_for_record_flood(ssl_ctx_st* context);

// Before curl is given its turn on this thread: what it reads until the next call is one turn's.
void start_record_turn();

}  // namespace linkherd::crawler
