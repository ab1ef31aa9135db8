#include "crawler/fetch/net/transfer.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "crawler/fetch/http/first_bytes.h"
#include "crawler/fetch/http/proxy_answer.h"
#include "crawler/fetch/http/response_headers.h"
#include "crawler/fetch/http/saved_response.h"
#include "crawler/fetch/net/curl_names.h"
#include "crawler/fetch/net/handshake_notes.h"
#include "crawler/fetch/net/stapled_status.h"

namespace linkherd::crawler {

namespace asio = boost::asio;

namespace {

using SteadyClock = std::chrono::steady_clock;

void check(CURLMcode code) {
  if (code != CURLM_OK) throw std::runtime_error(std::string("curl: ") + curl_multi_strerror(code));
}

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

template <class T>
void set(CURL* easy, CURLoption option, T value) {
  const CURLcode code = curl_easy_setopt(easy, option, value);
  if (code != CURLE_OK)
    throw std::runtime_error(fmt::format("curl option {}: {}", static_cast<int>(option), curl_easy_strerror(code)));
}

long milliseconds(Duration duration) {
  return std::max(1L, static_cast<long>(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count()));
}

long curl_tls_version(TlsVersion version) {
  switch (version) {
    case TlsVersion::any: return CURL_SSLVERSION_DEFAULT;
    case TlsVersion::v1_0: return CURL_SSLVERSION_TLSv1_0;
    case TlsVersion::v1_1: return CURL_SSLVERSION_TLSv1_1;
    case TlsVersion::v1_2: return CURL_SSLVERSION_TLSv1_2;
    case TlsVersion::v1_3: return CURL_SSLVERSION_TLSv1_3;
  }
  return CURL_SSLVERSION_DEFAULT;
}

long curl_family(IpFamily family) {
  switch (family) {
    case IpFamily::v4: return CURL_IPRESOLVE_V4;
    case IpFamily::v6: return CURL_IPRESOLVE_V6;
    case IpFamily::any: break;
  }
  return CURL_IPRESOLVE_WHATEVER;
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

// Limits the TLS records per call of curl, because an endless sequence of records would block a whole thread. OpenSSL
// reads past records without data (tickets, key updates) as long as they arrive. curl 7.88 does the same with HTTP/2
// frames without a body (pings, settings). Neither checks a timeout meanwhile. For bodies, curl reads at most a hundred
// buffers of 16 KiB, one record each, before it returns.
constexpr int max_records_per_turn = 2000;

struct Turn {
  const SSL* session = nullptr;
  int records = 0;
};
// Counts the records of one call of curl. A connection outlives the transfer that opened it, but never its thread.
thread_local Turn record_turn;

void on_message(int is_written, int /*version*/, int content_type, const void* /*bytes*/, std::size_t /*size*/,
                SSL* session, void* /*unused*/) {
  if (is_written != 0 || content_type != SSL3_RT_HEADER) return;
  if (record_turn.session != session) record_turn = {session, 0};
  if (++record_turn.records == max_records_per_turn) ::shutdown(SSL_get_fd(session), SHUT_RDWR);
}

bool is_about_the_socket(std::string_view detail) {
  return detail.find("peername() failed") != std::string_view::npos ||
         detail.find("sockname() failed") != std::string_view::npos;
}

// The state of one exchange. curl keeps its address, so it is neither moved nor copied, and it outlives the transfer.
class Transfer {
 public:
  // A handle serves one pool only, whose settings it gets once.
  Transfer(CURL* easy, const TransferSettings& pool, const HopRequest& request, ByteBudget& bodies);
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  // Call it once, after the transfer has ended with `code`. Rethrows exceptions from curl's callbacks.
  HopAnswer answer(CURLcode code);

  // Records the socket that curl uses for the transfer. `events`: CURL_POLL_*, what curl waits for.
  static void note_socket(CURL* easy, curl_socket_t socket, int events);

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
  void prepare_handle();
  void set_authorities();
  void set_proxy();
  void set_connection_options();
  void set_tls_options();
  void set_request_options();
  void set_callbacks();
  TlsVersion effective_min_tls() const;
  void note_tls_version();
  HttpVersion version_of(const HopAnswer& answer) const;
  bool is_version_in_doubt(const HopAnswer& answer) const;
  bool take_header(std::string_view line);
  bool take_headers_end();
  bool take_body(std::string_view piece);
  bool take_unframed(std::string_view piece);
  void take_late_answer(HopAnswer& answer, CURLcode code);
  bool is_too_much_beside_body();
  bool body_is_short() const;
  void explain_failure(HopAnswer& answer, CURLcode code) const;
  bool headers_are_broken(CURLcode code) const;
  bool is_status_line_odd(const HopAnswer& answer, CURLcode code) const;
  void take_broken_answer(HopAnswer& answer);
  bool explain_proxy_failure(HopAnswer& answer, CURLcode code) const;
  std::optional<ProxyFailure> proxy_failure(const HopAnswer& answer, CURLcode code) const;
  void note_relay(HopAnswer& answer) const;
  CURLcode prepare_handshake(ssl_ctx_st* context);
  bool verifies() const { return !pool_.insecure && !request_.accepts_any_tls; }
  bool shows_certificate() const { return request_.is_to_own_origin && !pool_.client_cert.empty(); }
  bool explain_client_certificate(HopAnswer& answer) const;

  CURL* easy_;
  const HopRequest& request_;
  const TransferSettings& pool_;
  CurlList resolve_list_, connect_list_;
  std::array<char, CURL_ERROR_SIZE> error_{};
  ResponseHeaders proxy_headers_;  // of the answer to CONNECT
  ResponseHeaders headers_;
  std::string body_;  // without a status line: everything that arrived
  const ByteBudget& bodies_;
  ByteBudget::Lease lease_;
  std::size_t body_limit_;
  bool body_wanted_ = true;
  bool body_capped_ = false;
  bool refused_address_ = false;
  bool opened_socket_ = false;
  bool refused_repetition_ = false;  // curl wanted to send the request again over another connection
  bool ready_ = false;               // connected, through the proxy too; the request is sent next
  bool local_exhaustion_ = false;
  curl_socket_t socket_ = CURL_SOCKET_BAD;
  std::optional<IpAddress> last_address_;  // of the socket that was opened last
  bool has_connected_ = false;             // a socket was connected, at least to the proxy
  std::uint64_t read_before_ = 0;          // bytes read from that socket by earlier transfers
  unsigned progress_ = 0;
  bool too_much_beside_body_ = false;
  bool has_odd_status_line_ = false;
  std::string tls_version_;
  HandshakeNotes handshake_;  // of the connection that this transfer opened
  CallbackFailure failure_;
};

Transfer::Transfer(CURL* easy, const TransferSettings& pool, const HopRequest& request, ByteBudget& bodies)
    : easy_(easy), request_(request), pool_(pool), bodies_(bodies), lease_(bodies), body_limit_(request_.max_body) {
  prepare_handle();
  set_connection_options();
  set_tls_options();
  set_request_options();
  set_callbacks();
}

// The handle is destroyed after this.
Transfer::~Transfer() {
  curl_easy_setopt(easy_, CURLOPT_ERRORBUFFER, nullptr);
  curl_easy_setopt(easy_, CURLOPT_PRIVATE, nullptr);
}

// Sets the options that all transfers of a pool share.
void Transfer::prepare_handle() {
  set(easy_, CURLOPT_NOSIGNAL, 1L);
  set(easy_, CURLOPT_QUICK_EXIT, 1L);  // if curl ever resolves a name itself, it must not wait for its thread
  set(easy_, CURLOPT_PROTOCOLS_STR, "http,https");
  set(easy_, CURLOPT_IPRESOLVE, curl_family(pool_.family));
  set(easy_, CURLOPT_PATH_AS_IS, 1L);      // the URL is final; curl must not edit it
  set(easy_, CURLOPT_FOLLOWLOCATION, 0L);  // redirects are separate hops
  set(easy_, CURLOPT_USERAGENT, pool_.user_agent.c_str());
  set(easy_, CURLOPT_HTTP09_ALLOWED, 1L);  // see take_unframed()
  set_authorities();
  set(easy_, CURLOPT_HEADERFUNCTION, &Transfer::on_header);
  set(easy_, CURLOPT_WRITEFUNCTION, &Transfer::on_body);
  set(easy_, CURLOPT_OPENSOCKETFUNCTION, &Transfer::on_open_socket);
  set(easy_, CURLOPT_PREREQFUNCTION, &Transfer::on_connected);
  set(easy_, CURLOPT_XFERINFOFUNCTION, &Transfer::on_progress);
  set(easy_, CURLOPT_NOPROGRESS, 0L);
}

void Transfer::set_connection_options() {
  // Entries stay until PinnedNames removes them. An address in the URL is not pinned, but curl caches it as well. If
  // these entries never expired, each of 200,000 hosts would cost more than the one before.
  set(easy_, CURLOPT_DNS_CACHE_TIMEOUT, request_.resolve.empty() ? 0L : -1L);
  resolve_list_ = make_curl_list(request_.resolve);
  set(easy_, CURLOPT_RESOLVE, resolve_list_.get());
  if (!request_.connect_to.empty()) connect_list_ = make_curl_list({request_.connect_to});
  set(easy_, CURLOPT_CONNECT_TO, connect_list_.get());
  set(easy_, CURLOPT_FRESH_CONNECT, request_.needs_fresh_connection ? 1L : 0L);
  set(easy_, CURLOPT_FORBID_REUSE, request_.should_keep_connection ? 0L : 1L);
  set(easy_, CURLOPT_TIMEOUT_MS, milliseconds(request_.timeout));
  set(easy_, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(std::min(request_.timeout, pool_.connect_timeout)));
  set(easy_, CURLOPT_LOW_SPEED_LIMIT, 0L);  // resets the value of the last transfer; the limit applies from the body on
  set(easy_, CURLOPT_LOW_SPEED_TIME, 0L);
}

void Transfer::set_authorities() {
  // Without CAPATH=NULL, curl reads all authorities again for every connection: 55 ms of CPU instead of 2.
  set(easy_, CURLOPT_CAINFO, pool_.ca_file.c_str());
  set<const char*>(easy_, CURLOPT_CAPATH, nullptr);
  set(easy_, CURLOPT_CA_CACHE_TIMEOUT, 86400L);
  set(easy_, CURLOPT_PROXY_CAINFO, pool_.ca_file.c_str());
  set<const char*>(easy_, CURLOPT_PROXY_CAPATH, nullptr);
  set(easy_, CURLOPT_CERTINFO, 1L);
}

// Requests that offer HTTP/2 need their own connections, because an HTTP/1.1 connection to the host may exist already.
// Connections of curl differ if their requested minimum TLS version differs. TLS 1.2 is OpenSSL's minimum anyway.
TlsVersion Transfer::effective_min_tls() const {
  if (request_.accepts_any_tls) return TlsVersion::v1_0;
  return request_.http2 && pool_.min_tls == TlsVersion::any ? TlsVersion::v1_2 : pool_.min_tls;
}

void Transfer::set_tls_options() {
  // With an alias, use_tls_name() checks the name instead. The connection ends with the request, which owns the name.
  const bool has_alias = !request_.tls_name.empty();
  set(easy_, CURLOPT_SSL_VERIFYPEER, verifies() ? 1L : 0L);
  set(easy_, CURLOPT_SSL_VERIFYHOST, verifies() && !has_alias ? 2L : 0L);
  set<curl_ssl_ctx_callback>(easy_, CURLOPT_SSL_CTX_FUNCTION, &Transfer::on_tls_context);
  set<void*>(easy_, CURLOPT_SSL_CTX_DATA, this);
  set(easy_, CURLOPT_SSLVERSION, curl_tls_version(effective_min_tls()));
  // The signature algorithms of TLS 1.0 and 1.1 are below OpenSSL's default security level.
  set(easy_, CURLOPT_SSL_CIPHER_LIST, request_.accepts_any_tls ? "DEFAULT:@SECLEVEL=0" : nullptr);
  // Unset if there is none: the previous transfer on this handle may have had a certificate, which is not for every
  // host.
  set(easy_, CURLOPT_SSLCERT, shows_certificate() ? pool_.client_cert.c_str() : nullptr);
  set(easy_, CURLOPT_SSLKEY, shows_certificate() ? pool_.client_key.c_str() : nullptr);
}

// Called for each new connection, before its handshake.
CURLcode Transfer::on_tls_context(CURL* /*easy*/, void* context, void* self) {
  Transfer& transfer = *static_cast<Transfer*>(self);
  return transfer.failure_.guard(
      CURLE_OUT_OF_MEMORY, [&transfer, context] { return transfer.prepare_handshake(static_cast<SSL_CTX*>(context)); });
}

CURLcode Transfer::prepare_handshake(SSL_CTX* context) {
  handshake_.attach(context);
  if (verifies()) {
    handshake_.verify(request_.missing_issuers);
    check_stapled_status(context);
  }
  SSL_CTX_set_msg_callback(context, &on_message);
  // Many servers close the connection without ending TLS. curl 8 would take that for a reset.
  SSL_CTX_set_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF);
  return request_.tls_name.empty() ? CURLE_OK : use_tls_name(context, request_.tls_name);
}

// Always set, because curl would otherwise use the proxy from the environment and bypass linkherd's DNS and address
// check.
void Transfer::set_proxy() {
  const Proxy& proxy = *request_.proxy;
  const bool has_login = !proxy.user.empty();
  set(easy_, CURLOPT_PROXY, proxy.used() ? proxy.address().c_str() : "");
  set(easy_, CURLOPT_NOPROXY, proxy.used() ? "" : "*");
  set(easy_, CURLOPT_PROXYUSERNAME, has_login ? proxy.user.c_str() : nullptr);
  set(easy_, CURLOPT_PROXYPASSWORD, has_login ? proxy.password.c_str() : nullptr);
}

void Transfer::set_request_options() {
  // HTTP/2 only on request: curl 7.88 can report cut HTTP/2 bodies as complete.
  set(easy_, CURLOPT_HTTP_VERSION, long{request_.http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1});
  set(easy_, CURLOPT_HTTPGET, 1L);  // the previous transfer may have been a HEAD
  if (request_.head) set(easy_, CURLOPT_NOBODY, 1L);
  if (request_.validators != nullptr && !request_.validators->body.empty()) {
    set(easy_, CURLOPT_POSTFIELDSIZE, static_cast<long>(request_.validators->body.size()));
    set(easy_, CURLOPT_POSTFIELDS, request_.validators->body.data());  // makes it a POST
  }
  set(easy_, CURLOPT_URL, request_.curl_url.c_str());
  set(easy_, CURLOPT_HTTPHEADER, request_.headers);
  set_proxy();
}

void Transfer::set_callbacks() {
  set(easy_, CURLOPT_ERRORBUFFER, error_.data());
  set<void*>(easy_, CURLOPT_HEADERDATA, this);
  set<void*>(easy_, CURLOPT_WRITEDATA, this);
  set<void*>(easy_, CURLOPT_OPENSOCKETDATA, this);
  set<void*>(easy_, CURLOPT_PREREQDATA, this);
  set<void*>(easy_, CURLOPT_XFERINFODATA, this);
  set<void*>(easy_, CURLOPT_PRIVATE, this);
}

bool has_peer(curl_socket_t socket) {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  return ::getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &size) == 0;
}

// A reused socket has received data for earlier transfers.
void Transfer::note_socket(CURL* easy, curl_socket_t socket, int events) {
  void* self = nullptr;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &self);
  if (self == nullptr) return;
  Transfer& transfer = *static_cast<Transfer*>(self);
  // curl 8 says that a connection exists only after the TLS handshake and the answer of the proxy.
  if (events != CURL_POLL_OUT && !transfer.has_connected_) transfer.has_connected_ = has_peer(socket);
  if (transfer.socket_ == socket) return;
  transfer.socket_ = socket;
  transfer.read_before_ = transfer.opened_socket_ ? 0 : bytes_read_from(socket);
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
  const std::uint64_t read = bytes_read_from(socket_);
  too_much_beside_body_ = read > read_before_ + body_limit_ + max_bytes_beside_body;
  return too_much_beside_body_;
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
  // curl 8 reads status lines that curl 7 and browsers do not, such as "HTTP/1.1 2000".
  has_odd_status_line_ = headers_.status() == 0 && line.starts_with("HTTP/");
  if (has_odd_status_line_) return false;
  const bool just_ended = !was_complete && headers_.complete();
  return !just_ended || take_headers_end();
}

// Returns false if the rest is not wanted.
bool Transfer::take_headers_end() {
  if (is_redirect_status(headers_.status())) body_limit_ = std::min(body_limit_, max_redirect_body_bytes);
  body_wanted_ = !request_.head && (request_.should_keep_any_body || is_kept_type(headers_.find("content-type")));
  // Set only now, because a server may take long before it answers. The timeout bounds the whole transfer anyway.
  set(easy_, CURLOPT_LOW_SPEED_LIMIT, slowest_body);
  set(easy_, CURLOPT_LOW_SPEED_TIME, std::max(1L, milliseconds(pool_.low_speed_time) / 1000));
  return request_.head || (body_wanted_ && body_limit_ > 0);
}

bool Transfer::take_body(std::string_view piece) {
  if (request_.slot != nullptr) request_.slot->moved();
  if (!headers_.complete() && headers_.status() == 0) return take_unframed(piece);
  const std::size_t limit = std::min(body_limit_, max_body_for_budget(bodies_.used(), pool_.body_budget));
  const std::size_t room = limit - std::min(limit, body_.size());
  body_.append(piece.substr(0, room));
  lease_.resize(body_.size());
  body_capped_ = piece.size() > room;
  return !body_capped_;
}

// Data that does not begin with a status line is passed on by curl as the body of an HTTP/0.9 answer, unchanged.
bool Transfer::take_unframed(std::string_view piece) {
  const std::size_t limit = ResponseHeaders::max_total + body_limit_;
  body_.append(piece.substr(0, limit - std::min(limit, body_.size())));
  lease_.resize(body_.size());
  if (body_.size() == limit) return false;
  const std::optional<std::size_t> start = response_start_in(body_);
  if (!start) return read_first_bytes(body_) == FirstBytes::undecided;
  return !is_whole_response(std::string_view(body_).substr(*start), request_.head);
}

// Reads the response in data that does not begin with its status line.
void Transfer::take_late_answer(HopAnswer& answer, CURLcode code) {
  const std::optional<std::size_t> start = response_start_in(body_);
  if (!start) {
    const bool is_open = code == CURLE_OPERATION_TIMEDOUT && read_first_bytes(body_) == FirstBytes::undecided;
    if (body_.empty() || is_open) return;
    answer.failure = FailureKind::bad_response;
    answer.detail = describe_foreign_bytes(body_);
    return;
  }
  const bool is_whole = code == CURLE_OK || is_whole_response(std::string_view(body_).substr(*start), request_.head);
  std::optional<HopAnswer> late = parse_response(body_.substr(*start), is_whole);
  if (!late || late->status < 200) return;
  answer.failure = FailureKind::none;
  answer.detail.clear();
  answer.status = late->status;
  answer.headers = std::move(late->headers);
  answer.body_state = late->body_state;
  answer.body = std::move(late->body);
  if (request_.head) answer.body.clear();
  limit_saved_body(answer, std::min(request_.max_body, body_limit_), request_.should_keep_any_body);
  lease_.resize(answer.body.size());
  answer.lease = std::move(lease_);
}

// With a proxy, every address is the proxy's.
bool Transfer::allows(const std::optional<IpAddress>& ip) const {
  if (request_.any_address || request_.proxy->used()) return true;
  return ip && pool_.addresses.allows(*ip);
}

curl_socket_t Transfer::on_open_socket(void* self, curlsocktype /*purpose*/, curl_sockaddr* address) {
  Transfer& transfer = *static_cast<Transfer*>(self);
  return transfer.failure_.guard(curl_socket_t{CURL_SOCKET_BAD},
                                 [&transfer, address] { return transfer.open_socket(*address); });
}

curl_socket_t Transfer::open_socket(const curl_sockaddr& address) {
  if (!allows(IpAddress::of(address.addr))) {
    refused_address_ = true;
    return CURL_SOCKET_BAD;
  }
  // curl repeats a request up to five times if the server refused it with a GOAWAY. The retries are linkherd's.
  refused_repetition_ = ready_ && opened_socket_;
  if (refused_repetition_) return CURL_SOCKET_BAD;
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
  if (request_.accepts_any_tls) note_tls_version();
  refused_address_ = !allows(IpAddress::parse(remote_ip == nullptr ? "" : remote_ip));
  return !refused_address_;
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

HopAnswer Transfer::answer(CURLcode code) {
  failure_.rethrow();
  HopAnswer answer;
  const char* remote = nullptr;
  curl_easy_getinfo(easy_, CURLINFO_PRIMARY_IP, &remote);
  if (remote != nullptr) answer.remote_address = remote;
  const bool has_connection = !answer.remote_address.empty();
  // curl 8 names the address only after the TLS handshake and the answer of the proxy.
  if (!has_connection && last_address_) answer.remote_address = last_address_->to_string();
  if (opened_socket_) {
    answer.connection = ConnectionUse::opened;
  } else if (has_connection && number(easy_, CURLINFO_NUM_CONNECTS) == 0) {
    answer.connection = ConnectionUse::reused;
  }
  answer.has_timed_out = code == CURLE_OPERATION_TIMEDOUT;
  answer.certificate = read_certificate(easy_, request_.accepts_any_tls);
  answer.tls_version = std::move(tls_version_);
  answer.certificate_fault = handshake_.fault();
  answer.lacks_client_certificate = handshake_.has_certificate_request() && !shows_certificate();
  if (headers_.complete()) {
    answer.status = headers_.status();
    const bool is_whole = !body_capped_ && code == CURLE_OK && !body_is_short();
    answer.body_state = !body_wanted_ ? BodyState::dropped : is_whole ? BodyState::complete : BodyState::cut;
    answer.headers = headers_.take();
    answer.body = std::move(body_);
    answer.lease = std::move(lease_);
  } else {
    explain_failure(answer, code);
    if (headers_are_broken(code)) take_broken_answer(answer);
    if (answer.status == 0 && headers_.status() == 0 && ready_) take_late_answer(answer, code);
  }
  note_relay(answer);
  answer.version = version_of(answer);
  return answer;
}

HttpVersion Transfer::version_of(const HopAnswer& answer) const {
  if (is_version_in_doubt(answer)) return HttpVersion::in_doubt;
  return number(easy_, CURLINFO_HTTP_VERSION) == CURL_HTTP_VERSION_2 ? HttpVersion::http2 : HttpVersion::http1;
}

// Returns true if the server may answer in the other version of HTTP. Amazon's load balancers send 464 in this case.
bool Transfer::is_version_in_doubt(const HopAnswer& answer) const {
  if (request_.url.scheme() != "https" || answer.lacks_client_certificate || answer.is_no_evidence()) return false;
  switch (answer.failure) {
    case FailureKind::none:
      return answer.status == 421 || answer.status == 426 || answer.status == 464 || answer.status == 505;
    case FailureKind::bad_response:
    case FailureKind::odd_status_line:
    case FailureKind::connection_reset: return !answer.is_connection_reused();
    case FailureKind::timeout: return true;
    case FailureKind::tls_handshake: return answer.version == HttpVersion::in_doubt;
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

// The host is alive, and its status is an answer.
void Transfer::take_broken_answer(HopAnswer& answer) {
  answer.failure = FailureKind::none;
  answer.status = headers_.status();
  answer.body_state = BodyState::cut;
  answer.headers = headers_.take();
}

// Returns true if an HTTP/2 stream ended before its announced length, which curl 7.88 does not detect.
bool Transfer::body_is_short() const {
  const std::string_view announced = headers_.find("content-length");
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(announced.data(), announced.data() + announced.size(), length);
  return request_.http2 && !announced.empty() && error == std::errc() && body_.size() < length &&
         headers_.status() != 304;
}

void Transfer::explain_failure(HopAnswer& answer, CURLcode code) const {
  const long os_error = number(easy_, CURLINFO_OS_ERRNO);
  curl_off_t connect_time = 0;
  curl_easy_getinfo(easy_, CURLINFO_CONNECT_TIME_T, &connect_time);
  const bool was_connected = connect_time > 0 || has_connected_ || answer.is_connection_reused();
  answer.failure = failure_from_curl(code, verify_result(easy_), os_error, was_connected);
  answer.detail = error_.front() != '\0' ? error_.data() : curl_easy_strerror(code);
  // curl's message about the peer address of a reset connection is of no use to people.
  if (answer.failure == FailureKind::connection_reset && is_about_the_socket(answer.detail))
    answer.detail = "the connection was reset";
  if (answer.certificate_fault) {  // curl reports it only if OpenSSL has no other message
    answer.failure = failure_from_certificate(answer.certificate_fault->error);
  } else if (answer.failure == FailureKind::tls_handshake && is_revocation(answer.detail)) {
    answer.failure = FailureKind::tls_revoked;
  } else if (explain_client_certificate(answer)) {
    return;
  } else if (const auto message = describe_tls_failure(answer.detail)) {
    if (*message == no_common_application_protocol || *message == handshake_cut) answer.version = HttpVersion::in_doubt;
    spdlog::debug(fmt::format("{}: {}", request_.curl_url, answer.detail));
    answer.detail = *message;
    // Until a second request shows which version the server supports.
    if (*message == no_common_tls_version) answer.failure = FailureKind::tls_old_protocol;
  }
  if (refused_repetition_) {
    answer.failure = FailureKind::bad_response;
    answer.detail = "the server ended the connection without an answer";
    return;
  }
  const bool connect_failed = code == CURLE_COULDNT_CONNECT && !was_connected;
  const bool is_exhausted = (local_exhaustion_ && !opened_socket_) || (connect_failed && is_shortage(os_error)) ||
                            code == CURLE_SSL_CACERT_BADFILE;
  if (is_exhausted) answer.local_cause = LocalCause::exhausted;
  if (!is_exhausted && explain_proxy_failure(answer, code)) return;
  if (headers_.too_large() || is_too_large(code) || too_much_beside_body_) {
    answer.failure = FailureKind::headers_too_large;
    answer.detail = "unreasonably large headers";
    if (!headers_.too_long().empty())
      answer.detail = fmt::format("the header {} is unreasonably long", headers_.too_long());
    if (too_much_beside_body_) answer.detail = "too many bytes were received without a response";
  } else if (refused_address_ && (!opened_socket_ || code == CURLE_ABORTED_BY_CALLBACK)) {
    answer.failure = FailureKind::private_address;
    answer.detail = "an address in a private network";
  } else if (code == CURLE_ABORTED_BY_CALLBACK) {
    answer.detail = "cancelled";
  } else if (code == CURLE_OK) {
    answer.failure = FailureKind::bad_response;
    answer.detail = "the answer has no headers";
  } else if (is_certificate_failure(answer.failure)) {
    if (answer.failure != FailureKind::tls_old_protocol)
      answer.detail = describe_certificate_failure(answer.failure, nullptr, nullptr, {});
  } else if (answer.failure == FailureKind::connection_refused && !answer.remote_address.empty()) {
    answer.detail = fmt::format("connection refused by {}", answer.remote_address);
  } else if (is_status_line_odd(answer, code)) {
    answer.failure = FailureKind::odd_status_line;
    answer.detail = find_meaning(answer.failure).message;
  }
}

// curl does not support the version of HTTP or a status below 100, or reads another version than it has asked for. On
// a reused connection, it reports any bytes like that.
bool Transfer::is_status_line_odd(const HopAnswer& answer, CURLcode code) const {
  const bool is_weird =
      code == CURLE_WEIRD_SERVER_REPLY && headers_.status() == 0 && !answer.is_connection_reused() && !request_.http2;
  return has_odd_status_line_ || code == CURLE_UNSUPPORTED_PROTOCOL || is_weird;
}

// An alert comes from the server itself, after it received the requested certificate or none.
bool Transfer::explain_client_certificate(HopAnswer& answer) const {
  if (!handshake_.has_certificate_request() || !is_refusing_alert(answer.detail)) return false;
  spdlog::debug(fmt::format("{}: {}", request_.curl_url, answer.detail));
  answer.failure = FailureKind::client_certificate;
  answer.detail = shows_certificate() ? "the server does not accept the client certificate"
                                      : std::string(find_meaning(FailureKind::client_certificate).message);
  return true;
}

// Returns true if the proxy failed, or answered that it cannot or must not reach the host.
bool Transfer::explain_proxy_failure(HopAnswer& answer, CURLcode code) const {
  if (!request_.proxy->used() || code == CURLE_ABORTED_BY_CALLBACK) return false;
  const std::optional<ProxyFailure> failure = proxy_failure(answer, code);
  if (!failure) return false;
  answer.failure = failure->failure;
  answer.detail = fmt::format("the proxy {} {}", request_.proxy->address(), failure->message);
  return true;
}

// Returns nullopt if the failure is beyond the proxy.
std::optional<ProxyFailure> Transfer::proxy_failure(const HopAnswer& answer, CURLcode code) const {
  if (code == CURLE_PROXY) {
    long socks = 0;
    curl_easy_getinfo(easy_, CURLINFO_PROXY_ERROR, &socks);
    return read_socks_reply(static_cast<CURLproxycode>(socks));
  }
  const auto answered = static_cast<int>(number(easy_, CURLINFO_HTTP_CONNECTCODE));
  if (answered >= 200 && answered < 300) return std::nullopt;
  if (answered != 0) return read_connect_answer(answered, proxy_headers_.all());
  const bool is_relayed = request_.proxy->is_http() && request_.url.scheme() == "http";
  if (ready_ && !is_relayed) return std::nullopt;
  const bool could_connect = code != CURLE_COULDNT_CONNECT && (code != CURLE_OPERATION_TIMEDOUT || has_connected_);
  const bool was_reached = ready_ || (!answer.remote_address.empty() && could_connect);
  const bool is_tls = code == CURLE_SSL_CONNECT_ERROR || code == CURLE_PEER_FAILED_VERIFICATION;
  if (!was_reached) return ProxyFailure{FailureKind::proxy_unreachable, "cannot be reached"};
  if (is_tls && request_.proxy->scheme == "https")
    return ProxyFailure{FailureKind::proxy_unreachable, fmt::format("cannot be used: {}", answer.detail)};
  if (code == CURLE_OPERATION_TIMEDOUT) return ProxyFailure{FailureKind::proxy_silent, "gave no answer in time"};
  const bool is_cut = code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR || code == CURLE_GOT_NOTHING;
  if (!is_cut || answer.is_connection_reused()) return std::nullopt;  // the retry uses a new connection
  return ProxyFailure{FailureKind::proxy_failed, "ended the connection without an answer"};
}

// The answer to a request for an http URL may come from an HTTP proxy.
void Transfer::note_relay(HopAnswer& answer) const {
  const bool is_relayed =
      request_.proxy->is_http() && request_.url.scheme() == "http" && number(easy_, CURLINFO_HTTP_CONNECTCODE) == 0;
  if (!is_relayed || answer.status == 0) return;
  answer.relayed_by = request_.proxy->address();
  const std::optional<ProxyFailure> own = read_relayed_answer(answer.status, answer.headers, answer.body);
  if (!own) return;
  answer.failure = own->failure;
  answer.detail = fmt::format("the proxy {} {}", answer.relayed_by, own->message);
  answer.status = 0;
  answer.headers.clear();
  answer.body.clear();
  answer.lease = {};
}

}  // namespace

CurlList make_curl_list(const std::vector<std::string>& lines) {
  CurlList list;
  for (const std::string& line : lines) {
    curl_slist* const head = curl_slist_append(list.get(), line.c_str());
    if (head == nullptr) throw std::bad_alloc();
    if (!list) list.reset(head);
  }
  return list;
}

CurlLoop::CurlLoop(asio::io_context& io, SocketSet& sockets, long max_connections)
    : io_(io), sockets_(sockets), timer_(io), multi_(curl_multi_init()) {
  if (!multi_) throw std::bad_alloc();
  check(curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, &CurlLoop::on_socket));
  check(curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, this));
  check(curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, &CurlLoop::on_timer));
  check(curl_multi_setopt(multi_.get(), CURLMOPT_TIMERDATA, this));
  check(curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, max_connections));
  check(curl_multi_setopt(multi_.get(), CURLMOPT_PIPELINING, long{CURLPIPE_NOTHING}));
  sockets_.on_event(SocketSet::Owner::curl, [this](const SocketSet::Event& event) {
    act(event.socket, (event.readable ? CURL_CSELECT_IN : 0) | (event.writable ? CURL_CSELECT_OUT : 0) |
                          (event.broken ? CURL_CSELECT_ERR : 0));
  });
}

CurlLoop::~CurlLoop() {
  for (const auto& [easy, handler] : running_) curl_multi_remove_handle(multi_.get(), easy);
}

// Creates a handle for a single transfer. A reused handle, even after curl_easy_reset, still refers to the last header
// of the previous transfer. If the first header line of an answer begins with a blank, curl 7.88 then writes to freed
// memory.
CurlLoop::EasyHandle CurlLoop::make_handle() {
  EasyHandle handle(curl_easy_init());
  if (!handle) throw std::bad_alloc();
  curl_easy_setopt(handle.get(), CURLOPT_CLOSESOCKETFUNCTION, &CurlLoop::on_close);
  curl_easy_setopt(handle.get(), CURLOPT_CLOSESOCKETDATA, this);
  return handle;
}

asio::awaitable<HopAnswer> CurlLoop::exchange(const TransferSettings& settings, const HopRequest& request,
                                              ByteBudget& bodies) {
  const EasyHandle easy = make_handle();
  Transfer transfer(easy.get(), settings, request, bodies);
  const CURLcode code = co_await run(easy.get());
  co_return transfer.answer(code);
}

// Returns curl's code, or CURLE_ABORTED_BY_CALLBACK if the transfer was cancelled.
asio::awaitable<CURLcode> CurlLoop::run(CURL* easy) {
  return asio::async_initiate<const asio::use_awaitable_t<>, void(CURLcode)>(
      [this](auto handler, CURL* handle) { start(handle, Handler(std::move(handler))); }, asio::use_awaitable, easy);
}

void CurlLoop::start(CURL* easy, Handler handler) {
  if (is_cancelled_) {
    complete(std::move(handler), CURLE_ABORTED_BY_CALLBACK);
    return;
  }
  running_.emplace(easy, std::move(handler));
  const CURLMcode added = curl_multi_add_handle(multi_.get(), easy);
  if (added == CURLM_OK && !failure_.is_set()) return;
  // The event loop throws it, not the coroutine that has just been suspended. The transfer ends with all others.
  asio::post(io_, [this, added] {
    failure_.rethrow();
    check(added);
  });
}

void CurlLoop::cancel_all() {
  is_cancelled_ = true;
  while (!running_.empty()) {
    auto ended = running_.extract(running_.begin());
    curl_multi_remove_handle(multi_.get(), ended.key());
    complete(std::move(ended.mapped()), CURLE_ABORTED_BY_CALLBACK);
  }
}

int CurlLoop::on_socket(CURL* easy, curl_socket_t socket, int events, void* self, void* /*socket_data*/) {
  CurlLoop& loop = *static_cast<CurlLoop*>(self);
  return loop.failure_.guard(-1, [&loop, easy, socket, events] {
    if (events != CURL_POLL_REMOVE) Transfer::note_socket(easy, socket, events);
    loop.watch(socket, events);
    return 0;
  });
}

void CurlLoop::watch(curl_socket_t socket, int events) {
  // Most return to the connection pool and are used again.
  if (events == CURL_POLL_REMOVE) return sockets_.park(socket);
  const bool watched = sockets_.watch(socket, SocketSet::Owner::curl, events != CURL_POLL_OUT, events != CURL_POLL_IN);
  if (!watched) throw std::system_error(errno, std::generic_category(), "epoll_ctl");
}

// The connection's last transfer and its handle may no longer exist.
int CurlLoop::on_close(void* self, curl_socket_t socket) {
  CurlLoop& loop = *static_cast<CurlLoop*>(self);
  loop.failure_.guard(0, [&loop, socket] {
    loop.sockets_.closed(socket);
    return 0;
  });
  return close(socket);
}

// curl must not be called from here, whatever the timeout. curl changes the timeout several times per transfer. A timer
// that ends early enough is kept, because each change would be a system call.
int CurlLoop::on_timer(CURLM* /*multi*/, long milliseconds, void* self) {
  CurlLoop& loop = *static_cast<CurlLoop*>(self);
  return loop.failure_.guard(-1, [&loop, milliseconds] {
    loop.set_timer(milliseconds);
    return 0;
  });
}

void CurlLoop::set_timer(long milliseconds) {
  due_.reset();
  if (milliseconds == 0) {
    act_soon();
  } else if (milliseconds > 0) {
    due_ = SteadyClock::now() + std::chrono::milliseconds(milliseconds);
    if (!timer_at_ || *timer_at_ > *due_) arm_timer(*due_);
  }
}

void CurlLoop::act_soon() {
  if (acting_soon_) return;
  acting_soon_ = true;
  asio::post(io_, [this] {
    acting_soon_ = false;
    act(CURL_SOCKET_TIMEOUT, 0);
  });
}

void CurlLoop::arm_timer(SteadyClock::time_point at) {
  timer_at_ = at;
  timer_.expires_at(at);
  timer_.async_wait([this](boost::system::error_code error) {
    if (!error) on_timer_end();
  });
}

void CurlLoop::on_timer_end() {
  timer_at_.reset();
  if (!due_) return;
  if (*due_ > SteadyClock::now()) return arm_timer(*due_);
  due_.reset();
  act(CURL_SOCKET_TIMEOUT, 0);
}

void CurlLoop::act(curl_socket_t socket, int events) {
  int still_running = 0;
  record_turn = {};
  const CURLMcode code = curl_multi_socket_action(multi_.get(), socket, events, &still_running);
  failure_.rethrow();
  check(code);
  collect_finished();
}

void CurlLoop::collect_finished() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    CURL* const easy = message->easy_handle;
    const CURLcode code = message->data.result;  // the message becomes invalid when the handle is removed
    curl_multi_remove_handle(multi_.get(), easy);
    auto ended = running_.extract(easy);
    if (!ended.empty()) complete(std::move(ended.mapped()), code);
  }
}

// Posted, not called: the handler starts further transfers, which must not happen in the middle of a batch.
void CurlLoop::complete(Handler handler, CURLcode code) {
  asio::post(io_, [handler = std::move(handler), code]() mutable { std::move(handler)(code); });
}

}  // namespace linkherd::crawler
