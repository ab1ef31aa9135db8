#include "crawler/fetch/net/transfer.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <new>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include "crawler/fetch/net/curl_loop.h"
#include "crawler/fetch/net/curl_names.h"
#include "crawler/fetch/net/stapled_status.h"

namespace linkherd::crawler {

namespace {

// A redirect's page is read to its end where it is short, since that keeps the connection; nobody reads the page
// itself.
constexpr std::size_t longest_redirect_body = std::size_t{64} << 10;
constexpr long slowest_body = 100;  // bytes a second

// Where many large bodies come at once they are cut, and count as incomplete: what a page says of itself stands at its
// start.
std::size_t largest_body(std::size_t used, std::size_t budget) {
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

// An X509_V_ERR_* code. curl leaves X509_V_ERR_UNSPECIFIED where OpenSSL's verdict was never asked for: the handshake
// failed before, or the chain was good and curl itself refused the name.
long verify_result(CURL* easy) {
  const long result = number(easy, CURLINFO_SSL_VERIFYRESULT);
  return result == X509_V_ERR_UNSPECIFIED ? X509_V_OK : result;
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

Transfer::Transfer(CURL* easy, const TransferSettings& pool, const HopRequest& request, ByteBudget& bodies)
    : easy_(easy), request_(request), pool_(pool), bodies_(bodies), lease_(bodies), body_limit_(request_.max_body) {
  prepare_handle();
  set_connection_options();
  set_tls_options();
  set_request_options();
  set_callbacks();
}

// The one address that curl may write to after the transfer.
Transfer::~Transfer() { curl_easy_setopt(easy_, CURLOPT_ERRORBUFFER, nullptr); }

// What every transfer of a pool has in common is set once a handle: curl would copy, check and free it all again with
// each. The handle itself remembers that it has been prepared.
void Transfer::prepare_handle() {
  static char prepared = 0;
  char* mark = nullptr;
  curl_easy_getinfo(easy_, CURLINFO_PRIVATE, &mark);
  if (mark == &prepared) return;
  set(easy_, CURLOPT_NOSIGNAL, 1L);
  set(easy_, CURLOPT_QUICK_EXIT, 1L);  // should curl ever resolve a name itself: never wait for its thread
  set(easy_, CURLOPT_PROTOCOLS_STR, "http,https");
  set(easy_, CURLOPT_IPRESOLVE, curl_family(pool_.family));
  set(easy_, CURLOPT_PATH_AS_IS, 1L);      // the URL is final; curl must not edit it
  set(easy_, CURLOPT_FOLLOWLOCATION, 0L);  // redirects are hops of ours
  set(easy_, CURLOPT_USERAGENT, pool_.user_agent.c_str());
  set(easy_, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set_authorities();
  set(easy_, CURLOPT_HEADERFUNCTION, &Transfer::on_header);
  set(easy_, CURLOPT_WRITEFUNCTION, &Transfer::on_body);
  set(easy_, CURLOPT_OPENSOCKETFUNCTION, &Transfer::on_open_socket);
  set(easy_, CURLOPT_PREREQFUNCTION, &Transfer::on_connected);
  set(easy_, CURLOPT_PRIVATE, &prepared);
}

void Transfer::set_connection_options() {
  // Entries stay until PinnedNames removes them. An address that stands in the URL is not pinned, yet curl remembers it
  // as well: left for ever, these made each of 200,000 hosts more expensive than the one before.
  set(easy_, CURLOPT_DNS_CACHE_TIMEOUT, request_.resolve.empty() ? 0L : -1L);
  resolve_list_ = make_curl_list(request_.resolve);
  set(easy_, CURLOPT_RESOLVE, resolve_list_.get());
  if (!request_.connect_to.empty()) connect_list_ = make_curl_list({request_.connect_to});
  set(easy_, CURLOPT_CONNECT_TO, connect_list_.get());
  set(easy_, CURLOPT_FRESH_CONNECT, request_.fresh_connection ? 1L : 0L);
  set(easy_, CURLOPT_FORBID_REUSE, request_.keep_connection ? 0L : 1L);
  set(easy_, CURLOPT_TIMEOUT_MS, milliseconds(request_.timeout));
  set(easy_, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(std::min(request_.timeout, pool_.connect_timeout)));
  set(easy_, CURLOPT_LOW_SPEED_LIMIT, 0L);  // from the last transfer; ours begins with the body
  set(easy_, CURLOPT_LOW_SPEED_TIME, 0L);
}

void Transfer::set_authorities() {
  // Without CAPATH=NULL curl reads every authority anew for each connection: 55 ms of CPU instead of 2.
  set(easy_, CURLOPT_CAINFO, pool_.ca_file.c_str());
  set<const char*>(easy_, CURLOPT_CAPATH, nullptr);
  set(easy_, CURLOPT_CA_CACHE_TIMEOUT, 86400L);
  set(easy_, CURLOPT_CERTINFO, 1L);
}

// What is asked for as a browser would gets connections of its own, for one with HTTP/1.1 may be there already: curl
// tells them apart by the TLS version that was asked for. It is the one that OpenSSL asks for at least in any case.
TlsVersion Transfer::least_tls() const {
  if (request_.second_look) return TlsVersion::v1_0;
  return request_.as_browser && pool_.min_tls == TlsVersion::any ? TlsVersion::v1_2 : pool_.min_tls;
}

void Transfer::set_tls_options() {
  // An alias is checked by its own name instead, and its connection ends with the request, which holds the name.
  const bool has_alias = !request_.tls_name.empty();
  set(easy_, CURLOPT_SSL_VERIFYPEER, request_.verify ? 1L : 0L);
  set(easy_, CURLOPT_SSL_VERIFYHOST, request_.verify && !has_alias ? 2L : 0L);
  set<curl_ssl_ctx_callback>(easy_, CURLOPT_SSL_CTX_FUNCTION, &Transfer::on_tls_context);
  set<void*>(easy_, CURLOPT_SSL_CTX_DATA, this);
  set(easy_, CURLOPT_SSLVERSION, curl_tls_version(least_tls()));
  // What TLS 1.0 and 1.1 sign with is below OpenSSL's usual level.
  set(easy_, CURLOPT_SSL_CIPHER_LIST, request_.second_look ? "DEFAULT:@SECLEVEL=0" : nullptr);
  // Unset where there is none: the last transfer on this handle may have had one, and it is not for everybody.
  const bool with_certificate = request_.own_origin && !pool_.client_cert.empty();
  set(easy_, CURLOPT_SSLCERT, with_certificate ? pool_.client_cert.c_str() : nullptr);
  set(easy_, CURLOPT_SSLKEY, with_certificate ? pool_.client_key.c_str() : nullptr);
}

// Of each new connection, before its handshake.
CURLcode Transfer::on_tls_context(CURL* /*easy*/, void* ssl_context, void* self) {
  auto* const context = static_cast<SSL_CTX*>(ssl_context);
  const Transfer& transfer = *static_cast<const Transfer*>(self);
  const HopRequest& request = transfer.request_;
  if (request.verify) heed_stapled_status(context);
  if (transfer.offers_http2()) watch_for_record_flood(context);
  return request.tls_name.empty() ? CURLE_OK : use_tls_name(context, request.tls_name);
}

// Set in any case: curl would take what it is not told from the environment, and so go round our DNS and address check.
void Transfer::set_proxy() {
  const Proxy& proxy = *request_.proxy;
  const bool has_login = !proxy.user.empty();
  set(easy_, CURLOPT_PROXY, proxy.used() ? proxy.address().c_str() : "");
  set(easy_, CURLOPT_NOPROXY, proxy.used() ? "" : "*");
  set(easy_, CURLOPT_PROXYUSERNAME, has_login ? proxy.user.c_str() : nullptr);
  set(easy_, CURLOPT_PROXYPASSWORD, has_login ? proxy.password.c_str() : nullptr);
}

void Transfer::set_request_options() {
  // HTTP/2 only on request: in 7.88 it can report cut bodies as whole.
  set(easy_, CURLOPT_HTTP_VERSION, long{offers_http2() ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1});
  set(easy_, CURLOPT_HTTPGET, 1L);  // the last transfer may have been a HEAD
  if (request_.head) set(easy_, CURLOPT_NOBODY, 1L);
  if (!request_.body.empty()) {
    set(easy_, CURLOPT_POSTFIELDSIZE, static_cast<long>(request_.body.size()));
    set(easy_, CURLOPT_POSTFIELDS, request_.body.data());  // which makes it a POST
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

// False: the rest is not wanted.
bool Transfer::take_header(std::string_view line) {
  if (request_.slot != nullptr) request_.slot->answered();
  const bool was_complete = headers_.complete();
  if (!headers_.add_line(line)) return false;
  const bool just_ended = !was_complete && headers_.complete();
  return !just_ended || take_headers_end();
}

// The same.
bool Transfer::take_headers_end() {
  if (is_redirect_status(headers_.status())) body_limit_ = std::min(body_limit_, longest_redirect_body);
  body_wanted_ = !request_.head && (request_.any_body || is_kept_type(headers_.find("content-type")));
  // Only now, since a server may think for long before it answers. All of it is bounded by the timeout in any case.
  set(easy_, CURLOPT_LOW_SPEED_LIMIT, slowest_body);
  set(easy_, CURLOPT_LOW_SPEED_TIME, std::max(1L, milliseconds(pool_.low_speed_time) / 1000));
  return request_.head || (body_wanted_ && body_limit_ > 0);
}

bool Transfer::take_body(std::string_view piece) {
  if (request_.slot != nullptr) request_.slot->moved();
  const std::size_t limit = std::min(body_limit_, largest_body(bodies_.used(), pool_.body_budget));
  const std::size_t room = limit - std::min(limit, body_.size());
  body_.append(piece.substr(0, room));
  lease_.resize(body_.size());
  body_capped_ = piece.size() > room;
  return !body_capped_;
}

// Behind a proxy every address is the proxy's.
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
  const int opened = socket(address.family, address.socktype | SOCK_CLOEXEC, address.protocol);
  if (opened == -1) {
    local_exhaustion_ = local_exhaustion_ || is_shortage(errno);
    return CURL_SOCKET_BAD;
  }
  opened_socket_ = true;
  return opened;
}

// A second look, for connections that were there before this transfer.
int Transfer::on_connected(void* self, char* remote_ip, char* /*local_ip*/, int /*remote_port*/, int /*local_port*/) {
  Transfer& transfer = *static_cast<Transfer*>(self);
  const bool go_on = transfer.failure_.guard(false, [&transfer, remote_ip] { return transfer.may_use(remote_ip); });
  return go_on ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

bool Transfer::may_use(const char* remote_ip) {
  if (request_.slot != nullptr) request_.slot->moved();
  if (request_.second_look) note_tls_version();
  refused_address_ = !allows(IpAddress::parse(remote_ip == nullptr ? "" : remote_ip));
  return !refused_address_;
}

void Transfer::note_tls_version() {
  curl_tlssessioninfo* session = nullptr;
  curl_easy_getinfo(easy_, CURLINFO_TLS_SSL_PTR, &session);
  if (session == nullptr || session->internals == nullptr) return;
  tls_version_ = SSL_get_version(static_cast<const SSL*>(session->internals));
}

// Descriptors, memory or local ports have run out: our machine's state, not the server's.
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
  answer.reused_connection = has_connection && !opened_socket_ && number(easy_, CURLINFO_NUM_CONNECTS) == 0;
  answer.contacted = opened_socket_ || answer.reused_connection;
  answer.timed_out = code == CURLE_OPERATION_TIMEDOUT;
  answer.certificate = read_certificate(easy_, request_.second_look);
  answer.tls_version = std::move(tls_version_);
  if (headers_.complete()) {
    answer.status = headers_.status();
    answer.body_wanted = body_wanted_;
    answer.body_complete = !body_capped_ && ((code == CURLE_OK && !body_is_short()) || !body_wanted_);
    answer.headers = headers_.take();
    answer.body = std::move(body_);
    answer.lease = std::move(lease_);
  } else {
    explain_failure(answer, code);
    if (headers_are_broken(code)) take_broken_answer(answer);
  }
  return answer;
}

// Behind the status line the server wrote what is no HTTP or too much: it would do so again. Headers that were cut are
// another matter, and worth another try.
bool Transfer::headers_are_broken(CURLcode code) const {
  if (headers_.status() < 200) return false;
  return headers_.too_large() || code == CURLE_WEIRD_SERVER_REPLY || code == CURLE_OUT_OF_MEMORY ||
         code == CURLE_BAD_FUNCTION_ARGUMENT;  // a continuation of a line that is not there
}

// The host lives, and its status is an answer.
void Transfer::take_broken_answer(HopAnswer& answer) {
  answer.failure = FailureKind::none;
  answer.status = headers_.status();
  answer.body_complete = false;
  answer.headers = headers_.take();
}

// What curl 7.88 overlooks in HTTP/2: a stream that ended before the length that was announced.
bool Transfer::body_is_short() const {
  const std::string_view announced = headers_.find("content-length");
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(announced.data(), announced.data() + announced.size(), length);
  return offers_http2() && !announced.empty() && error == std::errc() && body_.size() < length &&
         headers_.status() != 304;
}

void Transfer::explain_failure(HopAnswer& answer, CURLcode code) const {
  const long os_error = number(easy_, CURLINFO_OS_ERRNO);
  curl_off_t connect_time = 0;
  curl_easy_getinfo(easy_, CURLINFO_CONNECT_TIME_T, &connect_time);
  const bool connected = connect_time > 0 || answer.reused_connection;
  answer.failure = failure_of_curl(code, verify_result(easy_), os_error, connected);
  answer.detail = error_.front() != '\0' ? error_.data() : curl_easy_strerror(code);
  if (answer.failure == FailureKind::tls_handshake && is_revocation(answer.detail)) {
    answer.failure = FailureKind::tls_revoked;
  } else if (const auto words = tls_failure_in_words(answer.detail)) {
    spdlog::debug(fmt::format("{}: {}", request_.curl_url, answer.detail));
    answer.detail = *words;
    // Until a second look shows what the server has instead.
    if (*words == no_common_tls_version) answer.failure = FailureKind::tls_old_protocol;
  }
  if (explain_proxy_failure(answer, code, connected)) return;
  if (headers_.too_large() || code == CURLE_OUT_OF_MEMORY) {
    answer.failure = FailureKind::headers_too_large;
    answer.detail = "headers above any sensible size";
  } else if (refused_address_ && (!opened_socket_ || code == CURLE_ABORTED_BY_CALLBACK)) {
    answer.failure = FailureKind::private_address;
    answer.detail = "an address of a private network";
  } else if (code == CURLE_ABORTED_BY_CALLBACK) {
    answer.detail = "cancelled";
  } else if (code == CURLE_OK) {
    answer.failure = FailureKind::bad_response;
    answer.detail = "the answer has no headers";
  } else if (is_certificate_failure(answer.failure)) {
    if (answer.failure != FailureKind::tls_old_protocol)
      answer.detail = describe_certificate_failure(answer.failure, nullptr, {});
  } else if (answer.failure == FailureKind::connection_refused && !answer.remote_address.empty()) {
    answer.detail = fmt::format("connection refused by {}", answer.remote_address);
  }
  const bool connect_failed = code == CURLE_COULDNT_CONNECT && !connected;
  answer.local_exhaustion = (local_exhaustion_ && !opened_socket_) || (connect_failed && is_shortage(os_error)) ||
                            code == CURLE_SSL_CACERT_BADFILE;
}

// A proxy that cannot be reached or wants a login is a local failure; what it says about the site is the site's.
bool Transfer::explain_proxy_failure(HopAnswer& answer, CURLcode code, bool connected) const {
  if (!request_.proxy->used()) return false;
  const long answered = number(easy_, CURLINFO_HTTP_CONNECTCODE);
  const long socks = number(easy_, CURLINFO_PROXY_ERROR);
  const std::string where = request_.proxy->address();
  const bool silent = code == CURLE_OPERATION_TIMEDOUT && !connected;  // the site, where the proxy itself was reached
  const bool unreachable =
      code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_PROXY || (silent && answer.remote_address.empty());
  const bool wants_login = answered == 407 || socks == CURLPX_NO_AUTH || socks == CURLPX_USER_REJECTED;
  if (wants_login || (unreachable && socks == CURLPX_OK)) {
    answer.failure = FailureKind::network_unreachable;
    answer.local_exhaustion = true;
    answer.detail = fmt::format("the proxy {} {}", where, wants_login ? "wants another login" : "cannot be reached");
    return true;
  }
  if (code == CURLE_PROXY) {
    const bool refused = socks == CURLPX_REPLY_CONNECTION_REFUSED;
    answer.failure = refused ? FailureKind::connection_refused : FailureKind::network_unreachable;
    answer.detail = fmt::format("the proxy {} cannot connect: {}", where, answer.detail);
    return true;
  }
  if (answered >= 300 && code == CURLE_RECV_ERROR) {
    answer.failure = FailureKind::connection_refused;
    answer.detail = fmt::format("the proxy {} does not connect: HTTP {}", where, answered);
    return true;
  }
  return false;
}

}  // namespace linkherd::crawler
