#include "crawler/fetch/net/transfer.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "crawler/fetch/http/first_bytes.h"
#include "crawler/fetch/http/proxy_response.h"
#include "crawler/fetch/http/response_headers.h"
#include "crawler/fetch/http/saved_response.h"
#include "crawler/fetch/net/curl_names.h"
#include "crawler/fetch/net/curl_options.h"
#include "crawler/fetch/net/handshake_notes.h"
#include "crawler/fetch/net/stapled_status.h"
#include "crawler/fetch/net/tls_records.h"

namespace linkherd::crawler {

namespace asio = boost::asio;

namespace {

// The page of a redirect is not used. It is read to its end if it is short, because that keeps the connection.
constexpr std::size_t max_redirect_body_bytes = std::size_t{64} << 10;
constexpr long slowest_body = 100;  // in bytes per second

// Maximum bytes in addition to the body: headers, chunk framing and TLS. Chunk extensions, trailers and TLS records
// without data never reach the body, so without this limit a server could send them for ever.
constexpr std::uint64_t max_bytes_beside_body = std::uint64_t{1} << 20;

// Linux's tcp_info continues after the part that the C library declares.
struct TcpCounts {
  tcp_info info;
  std::uint64_t pacing_rate;
  std::uint64_t max_pacing_rate;
  std::uint64_t bytes_acked;
  std::uint64_t bytes_received;
};
static_assert(offsetof(TcpCounts, pacing_rate) == 104);

// Returns how many bytes have been read from a socket since it was opened.
std::uint64_t bytes_read_from(curl_socket_t socket) {
  TcpCounts counts{};
  socklen_t size = sizeof counts;
  if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &counts, &size) != 0) return 0;
  int unread = 0;
  if (::ioctl(socket, FIONREAD, &unread) != 0) unread = 0;
  return counts.bytes_received - std::min<std::uint64_t>(counts.bytes_received, static_cast<unsigned>(unread));
}

// If many large bodies arrive at once, they are cut and count as incomplete. The metadata of a page is near its start.
std::size_t max_body_for_budget(std::size_t used, std::size_t budget) {
  if (used < budget / 2) return SIZE_MAX;
  return used < budget ? std::size_t{1} << 20 : std::size_t{64} << 10;
}

long number(CURL* easy, CURLINFO info) {
  long value = 0;
  curl_easy_getinfo(easy, info, &value);
  return value;
}

// Returns an X509_V_ERR_* code. If OpenSSL never verified the chain, curl leaves X509_V_ERR_UNSPECIFIED. Then the
// handshake failed before, or the chain was valid and curl itself refused the name.
long verify_result(CURL* easy) {
  const long result = number(easy, CURLINFO_SSL_VERIFYRESULT);
  return result == X509_V_ERR_UNSPECIFIED ? X509_V_OK : result;
}

bool is_about_the_socket(std::string_view detail) {
  return detail.find("peername() failed") != std::string_view::npos ||
         detail.find("sockname() failed") != std::string_view::npos;
}

// Why linkherd itself ended a transfer.
enum class StopCause : std::uint8_t {
  none,
  private_address,
  repetition,       // curl wanted to send the request again over another connection
  odd_status_line,  // curl 8 reads status lines that curl 7 and browsers do not, such as "HTTP/1.1 2000"
  body_limit,
  excess_bytes,  // too many bytes besides the body
};

// The state of one exchange. curl keeps its address, so it is neither moved nor copied, and it outlives the transfer.
class Transfer {
 public:
  Transfer(CURL* easy, const FetchOptions& options, const AttemptRequest& request, const Route& route,
           ByteBudget& bodies);
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  // Call it once, after the transfer has ended with `code`. Rethrows exceptions from curl's callbacks.
  AttemptResult result(CURLcode code);

  void note_socket(curl_socket_t socket, int events);

 private:
  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* self);
  static curl_socket_t on_open_socket(void* self, curlsocktype purpose, curl_sockaddr* address);
  static CURLcode on_tls_context(CURL* easy, void* context, void* self);
  static int on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t);
  static int on_connected(void* self, char* remote_ip, char* local_ip, int remote_port, int local_port);
  curl_socket_t open_socket(const curl_sockaddr& address);
  bool may_use(const char* remote_ip);

  static bool is_shortage(long error);
  bool allows(const std::optional<IpAddress>& ip) const;
  void set_callbacks();
  void note_tls_version();
  HttpVersion version_of(const AttemptResult& response) const;
  bool is_version_in_doubt(const AttemptResult& response) const;
  bool take_header(std::string_view line);
  bool take_headers_end();
  bool take_body(std::string_view piece);
  bool take_unframed(std::string_view piece);
  void take_late_response(AttemptResult& response, CURLcode code);
  bool is_too_much_beside_body();
  bool body_is_short() const;
  void explain_failure(AttemptResult& response, CURLcode code) const;
  bool headers_are_broken(CURLcode code) const;
  bool is_status_line_odd(const AttemptResult& response, CURLcode code) const;
  void take_broken_response(AttemptResult& response);
  bool explain_proxy_failure(AttemptResult& response, CURLcode code) const;
  std::optional<ProxyFailure> proxy_failure(const AttemptResult& response, CURLcode code) const;
  void note_relay(AttemptResult& response) const;
  CURLcode prepare_handshake(ssl_ctx_st* context);
  bool explain_client_certificate(AttemptResult& response) const;
  bool keeps_any_body() const { return options_.should_keep_any_body || request_.keeps_any_body(); }
  bool offers_http2() const { return request_.version == HttpVersion::http2; }

  CURL* easy_;
  const FetchOptions& options_;
  const AttemptRequest& request_;
  const Route& route_;
  const CurlList resolve_list_, connect_list_;
  std::array<char, CURL_ERROR_SIZE> error_{};
  ResponseHeaders proxy_headers_;  // of the response to CONNECT
  ResponseHeaders headers_;
  std::string body_;  // without a status line: everything that arrived
  const ByteBudget& bodies_;
  ByteBudget::Lease lease_;
  std::size_t body_limit_;
  bool body_wanted_ = true;
  StopCause stop_cause_ = StopCause::none;
  bool opened_socket_ = false;
  bool ready_ = false;  // connected, through the proxy too; the request is sent next
  bool local_exhaustion_ = false;
  curl_socket_t socket_ = CURL_SOCKET_BAD;
  std::optional<IpAddress> last_address_;  // of the socket that was opened last
  bool has_connected_ = false;             // a socket was connected, at least to the proxy
  std::uint64_t read_before_ = 0;          // bytes read from that socket by earlier transfers
  unsigned progress_ = 0;
  std::string tls_version_;
  HandshakeNotes handshake_;  // of the connection that this transfer opened
  CallbackFailure failure_;
};

Transfer::Transfer(CURL* easy, const FetchOptions& options, const AttemptRequest& request, const Route& route,
                   ByteBudget& bodies)
    : easy_(easy),
      options_(options),
      request_(request),
      route_(route),
      resolve_list_(make_curl_list(route.resolve)),
      connect_list_(route.connect_to.empty() ? nullptr : make_curl_list({route.connect_to})),
      bodies_(bodies),
      lease_(bodies),
      body_limit_(request.max_body) {
  set_options(easy_, options_, request_, route_, resolve_list_, connect_list_);
  set_callbacks();
}

// The handle is destroyed after this.
Transfer::~Transfer() {
  curl_easy_setopt(easy_, CURLOPT_ERRORBUFFER, nullptr);
  curl_easy_setopt(easy_, CURLOPT_PRIVATE, nullptr);
}

// Called for each new connection, before its handshake.
CURLcode Transfer::on_tls_context(CURL* /*easy*/, void* context, void* self) {
  Transfer& transfer = *static_cast<Transfer*>(self);
  return transfer.failure_.guard(
      CURLE_OUT_OF_MEMORY, [&transfer, context] { return transfer.prepare_handshake(static_cast<SSL_CTX*>(context)); });
}

CURLcode Transfer::prepare_handshake(SSL_CTX* context) {
  handshake_.attach(context);
  if (verifies_certificate(options_, request_)) {
    handshake_.verify(route_.missing_issuers);
    check_stapled_status(context);
  }
  limit_tls_records(context);
  // Many servers close the connection without ending TLS. curl 8 would take that for a reset.
  SSL_CTX_set_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF);
  return route_.tls_name.empty() ? CURLE_OK : use_tls_name(context, route_.tls_name);
}

void Transfer::set_callbacks() {
  set_option(easy_, CURLOPT_ERRORBUFFER, error_.data());
  set_option<void*>(easy_, CURLOPT_PRIVATE, this);
  set_option(easy_, CURLOPT_HEADERFUNCTION, &Transfer::on_header);
  set_option<void*>(easy_, CURLOPT_HEADERDATA, this);
  set_option(easy_, CURLOPT_WRITEFUNCTION, &Transfer::on_body);
  set_option<void*>(easy_, CURLOPT_WRITEDATA, this);
  set_option(easy_, CURLOPT_OPENSOCKETFUNCTION, &Transfer::on_open_socket);
  set_option<void*>(easy_, CURLOPT_OPENSOCKETDATA, this);
  set_option<curl_ssl_ctx_callback>(easy_, CURLOPT_SSL_CTX_FUNCTION, &Transfer::on_tls_context);
  set_option<void*>(easy_, CURLOPT_SSL_CTX_DATA, this);
  set_option(easy_, CURLOPT_PREREQFUNCTION, &Transfer::on_connected);
  set_option<void*>(easy_, CURLOPT_PREREQDATA, this);
  set_option(easy_, CURLOPT_XFERINFOFUNCTION, &Transfer::on_progress);
  set_option<void*>(easy_, CURLOPT_XFERINFODATA, this);
  set_option(easy_, CURLOPT_NOPROGRESS, 0L);
}

bool has_peer(curl_socket_t socket) {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  return ::getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &size) == 0;
}

// A reused socket has received data for earlier transfers.
void Transfer::note_socket(curl_socket_t socket, int events) {
  // curl 8 says that a connection exists only after the TLS handshake and the response of the proxy.
  if (events != CURL_POLL_OUT && !has_connected_) has_connected_ = has_peer(socket);
  if (socket_ == socket) return;
  socket_ = socket;
  read_before_ = opened_socket_ ? 0 : bytes_read_from(socket);
}

// curl calls this after each read, which is at most 100 times 16 KiB.
int Transfer::on_progress(void* self, curl_off_t /*total*/, curl_off_t /*now*/, curl_off_t /*up_total*/,
                          curl_off_t /*up*/) {
  constexpr unsigned calls_per_check = 8;  // most transfers have fewer calls
  Transfer& transfer = *static_cast<Transfer*>(self);
  if (++transfer.progress_ % calls_per_check != 0) return 0;
  return transfer.is_too_much_beside_body() ? 1 : 0;
}

bool Transfer::is_too_much_beside_body() {
  if (socket_ == CURL_SOCKET_BAD) return false;
  if (bytes_read_from(socket_) <= read_before_ + body_limit_ + max_bytes_beside_body) return false;
  stop_cause_ = StopCause::excess_bytes;
  return true;
}

std::size_t Transfer::on_header(char* data, std::size_t /*size*/, std::size_t count, void* self) {
  Transfer& transfer = *static_cast<Transfer*>(self);
  const bool go_on = transfer.failure_.guard(false, [&transfer, data, count] {
    return transfer.take_header({data, count});
  });
  return go_on ? count : 0;
}

std::size_t Transfer::on_body(char* data, std::size_t /*size*/, std::size_t count, void* self) {
  Transfer& transfer = *static_cast<Transfer*>(self);
  const bool go_on = transfer.failure_.guard(false, [&transfer, data, count] {
    return transfer.take_body({data, count});
  });
  return go_on ? count : 0;
}

// Returns false if the rest is not wanted.
bool Transfer::take_header(std::string_view line) {
  if (!ready_) return proxy_headers_.add_line(line);
  if (request_.slot != nullptr) request_.slot->answered();
  const bool was_complete = headers_.complete();
  if (!headers_.add_line(line)) return false;
  if (headers_.status() == 0 && line.starts_with("HTTP/")) {
    stop_cause_ = StopCause::odd_status_line;
    return false;
  }
  const bool just_ended = !was_complete && headers_.complete();
  return !just_ended || take_headers_end();
}

// Returns false if the rest is not wanted.
bool Transfer::take_headers_end() {
  if (is_redirect_status(headers_.status())) body_limit_ = std::min(body_limit_, max_redirect_body_bytes);
  body_wanted_ = !request_.is_head && (keeps_any_body() || is_kept_type(headers_.find("content-type")));
  // Set only now, because a server may take long before it answers. The timeout bounds the whole transfer anyway.
  set_option(easy_, CURLOPT_LOW_SPEED_LIMIT, slowest_body);
  set_option(easy_, CURLOPT_LOW_SPEED_TIME, std::max(1L, curl_time(options_.low_speed_time) / 1000));
  return request_.is_head || (body_wanted_ && body_limit_ > 0);
}

bool Transfer::take_body(std::string_view piece) {
  if (request_.slot != nullptr) request_.slot->moved();
  if (!headers_.complete() && headers_.status() == 0) return take_unframed(piece);
  const std::size_t limit = std::min(body_limit_, max_body_for_budget(bodies_.used(), options_.body_budget));
  const std::size_t room = limit - std::min(limit, body_.size());
  body_.append(piece.substr(0, room));
  lease_.resize(body_.size());
  if (piece.size() <= room) return true;
  stop_cause_ = StopCause::body_limit;
  return false;
}

// Data that does not begin with a status line is passed on by curl as the body of an HTTP/0.9 response, unchanged.
bool Transfer::take_unframed(std::string_view piece) {
  const std::size_t limit = ResponseHeaders::max_total + body_limit_;
  body_.append(piece.substr(0, limit - std::min(limit, body_.size())));
  lease_.resize(body_.size());
  if (body_.size() == limit) return false;
  const std::optional<std::size_t> start = response_start_in(body_);
  if (!start) return read_first_bytes(body_) == FirstBytes::undecided;
  return !is_whole_response(std::string_view(body_).substr(*start), request_.is_head);
}

// Reads the response in data that does not begin with its status line.
void Transfer::take_late_response(AttemptResult& response, CURLcode code) {
  const std::optional<std::size_t> start = response_start_in(body_);
  if (!start) {
    const bool is_open = code == CURLE_OPERATION_TIMEDOUT && read_first_bytes(body_) == FirstBytes::undecided;
    if (body_.empty() || is_open) return;
    response.failure = FailureKind::bad_response;
    response.detail = describe_foreign_bytes(body_);
    return;
  }
  const bool is_whole = code == CURLE_OK || is_whole_response(std::string_view(body_).substr(*start), request_.is_head);
  std::optional<AttemptResult> late = parse_response(body_.substr(*start), is_whole);
  if (!late || late->status < 200) return;
  response.failure = FailureKind::none;
  response.detail.clear();
  response.status = late->status;
  response.headers = std::move(late->headers);
  response.body_state = late->body_state;
  response.body = std::move(late->body);
  if (request_.is_head) response.body.clear();
  limit_saved_body(response, std::min(request_.max_body, body_limit_), keeps_any_body());
  lease_.resize(response.body.size());
  response.lease = std::move(lease_);
}

// With a proxy, every address is the proxy's.
bool Transfer::allows(const std::optional<IpAddress>& ip) const {
  if (route_.may_be_private || route_.proxy->used()) return true;
  return ip && options_.addresses.allows(*ip);
}

curl_socket_t Transfer::on_open_socket(void* self, curlsocktype /*purpose*/, curl_sockaddr* address) {
  Transfer& transfer = *static_cast<Transfer*>(self);
  return transfer.failure_.guard(curl_socket_t{CURL_SOCKET_BAD},
                                 [&transfer, address] { return transfer.open_socket(*address); });
}

curl_socket_t Transfer::open_socket(const curl_sockaddr& address) {
  if (!allows(IpAddress::of(address.addr))) {
    stop_cause_ = StopCause::private_address;
    return CURL_SOCKET_BAD;
  }
  // curl repeats a request up to five times if the server refused it with a GOAWAY. The retries are linkherd's.
  if (ready_ && opened_socket_) {
    stop_cause_ = StopCause::repetition;
    return CURL_SOCKET_BAD;
  }
  const int opened = socket(address.family, address.socktype | SOCK_CLOEXEC, address.protocol);
  if (opened == -1) {
    local_exhaustion_ = local_exhaustion_ || is_shortage(errno);
    return CURL_SOCKET_BAD;
  }
  opened_socket_ = true;
  last_address_ = IpAddress::of(address.addr);
  return opened;
}

// Checks the address again, for connections that existed before this transfer.
int Transfer::on_connected(void* self, char* remote_ip, char* /*local_ip*/, int /*remote_port*/, int /*local_port*/) {
  Transfer& transfer = *static_cast<Transfer*>(self);
  const bool go_on = transfer.failure_.guard(false, [&transfer, remote_ip] { return transfer.may_use(remote_ip); });
  return go_on ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

bool Transfer::may_use(const char* remote_ip) {
  ready_ = true;
  if (request_.slot != nullptr) request_.slot->moved();
  if (!request_.verifies_server()) note_tls_version();
  const bool is_allowed = allows(IpAddress::parse(remote_ip == nullptr ? "" : remote_ip));
  stop_cause_ = is_allowed ? StopCause::none : StopCause::private_address;
  return is_allowed;
}

void Transfer::note_tls_version() {
  curl_tlssessioninfo* session = nullptr;
  curl_easy_getinfo(easy_, CURLINFO_TLS_SSL_PTR, &session);
  if (session == nullptr || session->internals == nullptr) return;
  tls_version_ = SSL_get_version(static_cast<const SSL*>(session->internals));
}

// Returns true if descriptors, memory or local ports ran out: a problem of this machine, not of the server.
bool Transfer::is_shortage(long error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM || error == EADDRNOTAVAIL;
}

AttemptResult Transfer::result(CURLcode code) {
  failure_.rethrow();
  AttemptResult response;
  const char* remote = nullptr;
  curl_easy_getinfo(easy_, CURLINFO_PRIMARY_IP, &remote);
  if (remote != nullptr) response.remote_address = remote;
  const bool has_connection = !response.remote_address.empty();
  // curl 8 names the address only after the TLS handshake and the response of the proxy.
  if (!has_connection && last_address_) response.remote_address = last_address_->to_string();
  if (opened_socket_) {
    response.connection = ConnectionUse::opened;
  } else if (has_connection && number(easy_, CURLINFO_NUM_CONNECTS) == 0) {
    response.connection = ConnectionUse::reused;
  }
  response.certificate = read_certificate(easy_, !request_.verifies_server());
  response.tls_version = std::move(tls_version_);
  response.certificate_fault = handshake_.fault();
  response.lacks_client_certificate = handshake_.has_certificate_request() && !shows_certificate(options_, request_);
  if (headers_.complete()) {
    response.status = headers_.status();
    const bool is_whole = stop_cause_ != StopCause::body_limit && code == CURLE_OK && !body_is_short();
    response.body_state = !body_wanted_ ? BodyState::dropped : is_whole ? BodyState::complete : BodyState::cut;
    response.headers = headers_.take();
    response.body = std::move(body_);
    response.lease = std::move(lease_);
  } else {
    explain_failure(response, code);
    if (headers_are_broken(code)) take_broken_response(response);
    if (response.status == 0 && headers_.status() == 0 && ready_) take_late_response(response, code);
  }
  if (code == CURLE_OPERATION_TIMEDOUT && response.status != 0) response.body_state = BodyState::timed_out;
  note_relay(response);
  response.version = version_of(response);
  return response;
}

HttpVersion Transfer::version_of(const AttemptResult& response) const {
  if (is_version_in_doubt(response)) return HttpVersion::in_doubt;
  return number(easy_, CURLINFO_HTTP_VERSION) == CURL_HTTP_VERSION_2 ? HttpVersion::http2 : HttpVersion::http1;
}

// Returns true if the server may answer in the other version of HTTP. Amazon's load balancers send 464 in this case.
bool Transfer::is_version_in_doubt(const AttemptResult& response) const {
  if (request_.url.scheme() != "https" || response.lacks_client_certificate || response.is_no_evidence()) return false;
  switch (response.failure) {
    case FailureKind::none:
      return response.status == 421 || response.status == 426 || response.status == 464 || response.status == 505;
    case FailureKind::bad_response:
    case FailureKind::odd_status_line:
    case FailureKind::connection_reset: return !response.is_connection_reused();
    case FailureKind::timeout: return true;
    case FailureKind::tls_handshake: return response.version == HttpVersion::in_doubt;
    default: return false;
  }
}

// Returns true if the server sent invalid or too many headers after the status line. A retry would get the same.
// Headers that were cut are different: they are worth a retry.
bool Transfer::headers_are_broken(CURLcode code) const {
  if (headers_.status() < 200) return false;
  return headers_.too_large() || code == CURLE_WEIRD_SERVER_REPLY || is_too_large(code) ||
         code == CURLE_BAD_FUNCTION_ARGUMENT;  // a folded line without a preceding one
}

// The host is alive, and its status is a response.
void Transfer::take_broken_response(AttemptResult& response) {
  response.failure = FailureKind::none;
  response.status = headers_.status();
  response.body_state = BodyState::cut;
  response.headers = headers_.take();
}

// Returns true if an HTTP/2 stream ended before its announced length, which curl 7.88 does not detect.
bool Transfer::body_is_short() const {
  const std::string_view announced = headers_.find("content-length");
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(announced.data(), announced.data() + announced.size(), length);
  return offers_http2() && !announced.empty() && error == std::errc() && body_.size() < length &&
         headers_.status() != 304;
}

void Transfer::explain_failure(AttemptResult& response, CURLcode code) const {
  const long os_error = number(easy_, CURLINFO_OS_ERRNO);
  curl_off_t connect_time = 0;
  curl_easy_getinfo(easy_, CURLINFO_CONNECT_TIME_T, &connect_time);
  const bool was_connected = connect_time > 0 || has_connected_ || response.is_connection_reused();
  response.failure = failure_from_curl(code, verify_result(easy_), os_error, was_connected);
  response.detail = error_.front() != '\0' ? error_.data() : curl_easy_strerror(code);
  // curl's message about the peer address of a reset connection is of no use to people.
  if (response.failure == FailureKind::connection_reset && is_about_the_socket(response.detail))
    response.detail = "the connection was reset";
  if (response.certificate_fault) {  // curl reports it only if OpenSSL has no other message
    response.failure = failure_from_certificate(response.certificate_fault->error);
  } else if (response.failure == FailureKind::tls_handshake && is_revocation(response.detail)) {
    response.failure = FailureKind::tls_revoked;
  } else if (explain_client_certificate(response)) {
    return;
  } else if (const auto message = describe_tls_failure(response.detail)) {
    if (*message == no_common_application_protocol || *message == handshake_cut)
      response.version = HttpVersion::in_doubt;
    spdlog::debug(fmt::format("{}: {}", route_.curl_url, response.detail));
    response.detail = *message;
    // Until a second request shows which version the server supports.
    if (*message == no_common_tls_version) response.failure = FailureKind::tls_old_protocol;
  }
  if (stop_cause_ == StopCause::repetition) {
    response.failure = FailureKind::bad_response;
    response.detail = "the server ended the connection without an answer";
    return;
  }
  const bool connect_failed = code == CURLE_COULDNT_CONNECT && !was_connected;
  const bool is_exhausted = (local_exhaustion_ && !opened_socket_) || (connect_failed && is_shortage(os_error)) ||
                            code == CURLE_SSL_CACERT_BADFILE;
  if (is_exhausted) response.local_cause = LocalCause::exhausted;
  if (!is_exhausted && explain_proxy_failure(response, code)) return;
  if (headers_.too_large() || is_too_large(code) || stop_cause_ == StopCause::excess_bytes) {
    response.failure = FailureKind::headers_too_large;
    response.detail = "unreasonably large headers";
    if (!headers_.too_long().empty())
      response.detail = fmt::format("the header {} is unreasonably long", headers_.too_long());
    if (stop_cause_ == StopCause::excess_bytes) response.detail = "too many bytes were received without a response";
  } else if (stop_cause_ == StopCause::private_address && (!opened_socket_ || code == CURLE_ABORTED_BY_CALLBACK)) {
    response.failure = FailureKind::private_address;
    response.detail = "an address in a private network";
  } else if (code == CURLE_ABORTED_BY_CALLBACK) {
    response.detail = "cancelled";
  } else if (code == CURLE_OK) {
    response.failure = FailureKind::bad_response;
    response.detail = "the answer has no headers";
  } else if (is_certificate_failure(response.failure)) {
    if (response.failure != FailureKind::tls_old_protocol)
      response.detail = describe_certificate_failure(response.failure, nullptr, nullptr, {});
  } else if (response.failure == FailureKind::connection_refused && !response.remote_address.empty()) {
    response.detail = fmt::format("connection refused by {}", response.remote_address);
  } else if (is_status_line_odd(response, code)) {
    response.failure = FailureKind::odd_status_line;
    response.detail = find_meaning(response.failure).message;
  }
}

// curl does not support the version of HTTP or a status below 100, or reads another version than it has asked for. On
// a reused connection, it reports any bytes like that.
bool Transfer::is_status_line_odd(const AttemptResult& response, CURLcode code) const {
  const bool is_weird =
      code == CURLE_WEIRD_SERVER_REPLY && headers_.status() == 0 && !response.is_connection_reused() && !offers_http2();
  return stop_cause_ == StopCause::odd_status_line || code == CURLE_UNSUPPORTED_PROTOCOL || is_weird;
}

// An alert comes from the server itself, after it received the requested certificate or none.
bool Transfer::explain_client_certificate(AttemptResult& response) const {
  if (!handshake_.has_certificate_request() || !is_refusing_alert(response.detail)) return false;
  spdlog::debug(fmt::format("{}: {}", route_.curl_url, response.detail));
  response.failure = FailureKind::client_certificate;
  response.detail = shows_certificate(options_, request_)
                        ? "the server does not accept the client certificate"
                        : std::string(find_meaning(FailureKind::client_certificate).message);
  return true;
}

// Returns true if the proxy failed, or answered that it cannot or must not reach the host.
bool Transfer::explain_proxy_failure(AttemptResult& response, CURLcode code) const {
  if (!route_.proxy->used() || code == CURLE_ABORTED_BY_CALLBACK) return false;
  const std::optional<ProxyFailure> failure = proxy_failure(response, code);
  if (!failure) return false;
  response.failure = failure->failure;
  response.detail = fmt::format("the proxy {} {}", route_.proxy->address(), failure->message);
  return true;
}

// Returns nullopt if the failure is beyond the proxy.
std::optional<ProxyFailure> Transfer::proxy_failure(const AttemptResult& response, CURLcode code) const {
  if (code == CURLE_PROXY) {
    long socks = 0;
    curl_easy_getinfo(easy_, CURLINFO_PROXY_ERROR, &socks);
    return read_socks_reply(static_cast<CURLproxycode>(socks));
  }
  const auto answered = static_cast<int>(number(easy_, CURLINFO_HTTP_CONNECTCODE));
  if (answered >= 200 && answered < 300) return std::nullopt;
  if (answered != 0) return read_connect_response(answered, proxy_headers_.all());
  const bool is_relayed = route_.proxy->is_http() && request_.url.scheme() == "http";
  if (ready_ && !is_relayed) return std::nullopt;
  const bool could_connect = code != CURLE_COULDNT_CONNECT && (code != CURLE_OPERATION_TIMEDOUT || has_connected_);
  const bool was_reached = ready_ || (!response.remote_address.empty() && could_connect);
  const bool is_tls = code == CURLE_SSL_CONNECT_ERROR || code == CURLE_PEER_FAILED_VERIFICATION;
  if (!was_reached) return ProxyFailure{FailureKind::proxy_unreachable, "cannot be reached"};
  if (is_tls && route_.proxy->scheme == "https")
    return ProxyFailure{FailureKind::proxy_unreachable, fmt::format("cannot be used: {}", response.detail)};
  if (code == CURLE_OPERATION_TIMEDOUT) return ProxyFailure{FailureKind::proxy_silent, "gave no answer in time"};
  const bool is_cut = code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR || code == CURLE_GOT_NOTHING;
  if (!is_cut || response.is_connection_reused()) return std::nullopt;  // the retry uses a new connection
  return ProxyFailure{FailureKind::proxy_failed, "ended the connection without an answer"};
}

// The response to a request for an http URL may come from an HTTP proxy.
void Transfer::note_relay(AttemptResult& response) const {
  const bool is_relayed =
      route_.proxy->is_http() && request_.url.scheme() == "http" && number(easy_, CURLINFO_HTTP_CONNECTCODE) == 0;
  if (!is_relayed || response.status == 0) return;
  response.relayed_by = route_.proxy->address();
  const std::optional<ProxyFailure> own = read_relayed_response(response.status, response.headers, response.body);
  if (!own) return;
  response.failure = own->failure;
  response.detail = fmt::format("the proxy {} {}", response.relayed_by, own->message);
  response.status = 0;
  response.headers.clear();
  response.body.clear();
  response.lease = {};
}

}  // namespace

asio::awaitable<AttemptResult> run_transfer(CurlLoop& loop, const FetchOptions& options, const AttemptRequest& request,
                                            const Route& route, ByteBudget& bodies) {
  const CurlHandle easy = loop.make_handle();
  Transfer transfer(easy.get(), options, request, route, bodies);
  const CURLcode code = co_await loop.run(easy.get());
  co_return transfer.result(code);
}

void note_socket(CURL* easy, curl_socket_t socket, int events) {
  void* transfer = nullptr;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
  if (transfer != nullptr) static_cast<Transfer*>(transfer)->note_socket(socket, events);
}

}  // namespace linkherd::crawler
