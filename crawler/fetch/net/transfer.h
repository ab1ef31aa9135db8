// Performs HTTP exchanges with curl: sets up an easy handle, runs it on an io_context, collects a bounded answer and
// returns it as a HopAnswer.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <curl/curl.h>

#include "crawler/fetch/http/byte_budget.h"
#include "crawler/fetch/http/fetch_request.h"
#include "crawler/fetch/http/fetch_result.h"
#include "crawler/fetch/net/address_policy.h"
#include "crawler/fetch/net/connection_options.h"
#include "crawler/fetch/net/slots.h"
#include "crawler/fetch/net/socket_set.h"
#include "parser/callback_failure.h"
#include "parser/timestamp.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

struct CurlListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using CurlList = std::unique_ptr<curl_slist, CurlListDeleter>;
CurlList make_curl_list(const std::vector<std::string>& lines);

// Settings that all transfers of a pool share.
struct TransferSettings {
  std::string user_agent;
  std::string ca_file;
  AddressPolicy addresses;  // the addresses that may be contacted
  std::string client_cert;  // sent only if a request allows it
  std::string client_key;
  TlsVersion min_tls = TlsVersion::any;
  IpFamily family = IpFamily::any;
  Duration connect_timeout{};
  Duration low_speed_time{};
  std::size_t body_budget = 0;  // of all bodies held at the same time
  bool insecure = false;        // accept any certificate
};

// One HTTP request. The first part describes the request:
struct HopRequest {
  parser::Url url;
  const Validators* validators = nullptr;  // of this URL; must outlive the transfer; may be null
  bool needs_fresh_connection = false;     // use neither an existing connection nor a cached DNS failure
  bool should_keep_connection = false;
  bool should_keep_any_body = false;  // also keep types that are normally dropped
  std::size_t max_body = 0;
  bool head = false;
  bool is_to_own_origin = true;         // the user's settings for the link's own host may be sent
  std::string cookie = {};              // cookies that the redirect chain has received for this URL
  std::optional<Duration> time_left;    // of the link
  StallWatch::Slot* slot = nullptr;     // notified of every byte; must outlive the transfer; may be null
  bool should_imitate_browser = false;  // with the headers of a browser
  bool http2 = false;                   // offered to https servers

  // The second part configures curl. HopRunner fills it in:
  Timestamp started{};                    // start after robots.txt, whose answer is evidence about the host by itself
  std::string curl_url = {};              // without fragment; the host may be an alias
  std::string tls_name = {};              // the real host name, if the host is an alias
  std::string connect_to = {};            // CURLOPT_CONNECT_TO; empty: as in the URL
  std::vector<std::string> resolve = {};  // CURLOPT_RESOLVE
  curl_slist* headers = nullptr;          // whole lines; must outlive the transfer
  Duration timeout = {};
  const Proxy* proxy = nullptr;                   // must outlive the transfer
  bool any_address = false;                       // the user named the target, so any address is permitted
  std::vector<std::string> missing_issuers = {};  // certificates (DER) that the server is known to omit
  // Accept any certificate and TLS version, and record the chain. Used after a server's certificate or TLS version was
  // refused.
  bool accepts_any_tls = false;
};

// A curl multi handle on an io_context. Belongs to one thread.
class CurlLoop {
 public:
  // `max_connections`: size of the connection pool, in use or idle.
  CurlLoop(boost::asio::io_context& io, SocketSet& sockets, long max_connections);
  ~CurlLoop();
  CurlLoop(const CurlLoop&) = delete;
  CurlLoop& operator=(const CurlLoop&) = delete;

  // Runs one exchange to its end. The settings, the request and the budget must outlive it. Rethrows exceptions from
  // curl's callbacks.
  boost::asio::awaitable<HopAnswer> exchange(const TransferSettings& settings, const HopRequest& request,
                                             ByteBudget& bodies);
  // Current and all later exchanges end as cancelled.
  void cancel_all();

 private:
  using Handler = boost::asio::any_completion_handler<void(CURLcode)>;
  struct MultiDeleter {
    void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
  };

  struct EasyDeleter {
    void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
  };
  using EasyHandle = std::unique_ptr<CURL, EasyDeleter>;

  EasyHandle make_handle();
  boost::asio::awaitable<CURLcode> run(CURL* easy);
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
  std::unique_ptr<CURLM, MultiDeleter> multi_;
  std::unordered_map<CURL*, Handler> running_;
  bool is_cancelled_ = false;
  CallbackFailure failure_;  // an exception in a callback of curl
};

}  // namespace linkherd::crawler
