// One HTTP exchange over curl: sets an easy handle up, takes what comes in, within bounds, and says what came of it.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <curl/curl.h>

#include "crawler/fetch/http/byte_budget.h"
#include "crawler/fetch/http/fetch_request.h"
#include "crawler/fetch/http/fetch_result.h"
#include "crawler/fetch/http/response_headers.h"
#include "crawler/fetch/net/address_check.h"
#include "crawler/fetch/net/connection_options.h"
#include "crawler/fetch/net/slots.h"
#include "parser/callback_failure.h"
#include "parser/timestamp.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

struct CurlListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using CurlList = std::unique_ptr<curl_slist, CurlListDeleter>;
CurlList make_curl_list(const std::vector<std::string>& lines);

// What all transfers of a pool have in common.
struct TransferSettings {
  std::string user_agent;
  std::string ca_file;
  AddressPolicy addresses;  // which may be contacted
  std::string client_cert;  // shown where a request says so
  std::string client_key;
  TlsVersion min_tls = TlsVersion::any;
  IpFamily family = IpFamily::any;
  bool http2 = false;
  Duration connect_timeout{};
  Duration low_speed_time{};
  std::size_t body_budget = 0;  // of all bodies that are held at a time
};

// One request over HTTP. What is asked:
struct HopRequest {
  parser::Url url;
  const Validators* validators = nullptr;  // outlive the transfer; may be null
  std::string_view body = {};              // sent with POST; outlives the transfer
  bool fresh_connection = false;           // neither an old connection nor a remembered DNS failure
  bool keep_connection = false;
  bool any_body = false;  // also of kinds that are not kept
  std::size_t max_body = 0;
  bool head = false;
  bool own_origin = true;             // what the user gave for the link's own host may go along
  std::string cookie;                 // what the chain has been given for this URL
  std::optional<Duration> time_left;  // of the link
  StallWatch::Slot* slot = nullptr;   // told of every byte; outlives the transfer; may be null
  bool as_browser = false;            // with a browser's headers, and HTTP/2 where the server has it

  // How curl is told, which HopRunner fills in:
  std::string curl_url = {};              // without fragment; its host may be an alias
  std::string tls_name = {};              // where it is: the host's own name
  std::string connect_to = {};            // CURLOPT_CONNECT_TO; empty: where the URL says
  std::vector<std::string> resolve = {};  // CURLOPT_RESOLVE
  curl_slist* headers = nullptr;          // whole lines; outlive the transfer
  Duration timeout = {};
  const Proxy* proxy = nullptr;  // outlives the transfer
  bool any_address = false;      // the user named the place
  bool verify = true;
  bool second_look = false;  // at a server whose certificate or version of TLS was refused: takes any, and keeps all
};

// Curl keeps its address: it neither moves nor is copied, and it outlives the transfer. The settings and the request
// outlive it.
class Transfer {
 public:
  // A handle serves one pool, whose settings it is given once.
  Transfer(CURL* easy, const TransferSettings& pool, const HopRequest& request, ByteBudget& bodies);
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  // After the end with `code`; once. Throws what was thrown while curl called us.
  HopAnswer answer(CURLcode code);

 private:
  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* self);
  static curl_socket_t on_open_socket(void* self, curlsocktype purpose, curl_sockaddr* address);
  static CURLcode on_tls_context(CURL* easy, void* context, void* self);
  static int on_connected(void* self, char* remote_ip, char* local_ip, int remote_port, int local_port);
  curl_socket_t open_socket(const curl_sockaddr& address);
  bool may_use(const char* remote_ip);

  static bool is_shortage(long error);
  bool allows(const std::optional<IpAddress>& ip) const;
  void prepare_handle();
  void set_authorities();
  void set_proxy();
  void set_connection_options();
  void set_tls_options();
  void set_request_options();
  void set_callbacks();
  TlsVersion least_tls() const;
  void note_tls_version();
  bool offers_http2() const { return pool_.http2 || request_.as_browser; }
  bool take_header(std::string_view line);
  bool take_headers_end();
  bool take_body(std::string_view piece);
  bool body_is_short() const;
  void explain_failure(HopAnswer& answer, CURLcode code) const;
  bool headers_are_broken(CURLcode code) const;
  void take_broken_answer(HopAnswer& answer);
  bool explain_proxy_failure(HopAnswer& answer, CURLcode code, bool connected) const;

  CURL* easy_;
  const HopRequest& request_;
  const TransferSettings& pool_;
  CurlList resolve_list_, connect_list_;
  std::array<char, CURL_ERROR_SIZE> error_{};
  ResponseHeaders headers_;
  std::string body_;
  const ByteBudget& bodies_;
  ByteBudget::Lease lease_;
  std::size_t body_limit_;
  bool body_wanted_ = true;
  bool body_capped_ = false;
  bool refused_address_ = false;
  bool opened_socket_ = false;
  bool local_exhaustion_ = false;
  std::string tls_version_;
  CallbackFailure failure_;
};

}  // namespace linkherd::crawler
