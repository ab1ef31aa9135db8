// The part of Transfer that says what came of it.
#include <cerrno>
#include <charconv>

#include <fmt/format.h>
#include <openssl/x509_vfy.h>
#include <spdlog/spdlog.h>

#include "crawler/fetch/transfer.h"

namespace linkherd::crawler {

namespace {

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
  answer.certificate = read_certificate(easy_);
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
  return pool_.http2 && !announced.empty() && error == std::errc() && body_.size() < length && headers_.status() != 304;
}

void Transfer::explain_failure(HopAnswer& answer, CURLcode code) const {
  const long os_error = number(easy_, CURLINFO_OS_ERRNO);
  curl_off_t connect_time = 0;
  curl_easy_getinfo(easy_, CURLINFO_CONNECT_TIME_T, &connect_time);
  const bool connected = connect_time > 0 || answer.reused_connection;
  answer.failure = failure_of_curl(code, verify_result(easy_), os_error, connected);
  answer.detail = error_.front() != '\0' ? error_.data() : curl_easy_strerror(code);
  if (const auto words = tls_failure_in_words(answer.detail)) {
    spdlog::debug("{}: {}", request_.url, answer.detail);
    answer.detail = *words;
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
    answer.detail = describe_certificate_failure(answer.failure, nullptr);
  } else if (answer.failure == FailureKind::connection_refused && !answer.remote_address.empty()) {
    answer.detail = fmt::format("connection refused by {}", answer.remote_address);
  }
  const bool connect_failed = code == CURLE_COULDNT_CONNECT && !connected;
  answer.own_trouble = (own_trouble_ && !opened_socket_) || (connect_failed && is_shortage(os_error)) ||
                       code == CURLE_SSL_CACERT_BADFILE;
}

// A proxy that cannot be reached or wants a login is our own trouble; what it says about the site is the site's.
bool Transfer::explain_proxy_failure(HopAnswer& answer, CURLcode code, bool connected) const {
  if (!pool_.proxy.used()) return false;
  const long answered = number(easy_, CURLINFO_HTTP_CONNECTCODE);
  const long socks = number(easy_, CURLINFO_PROXY_ERROR);
  const std::string where = pool_.proxy.address();
  const bool silent = code == CURLE_OPERATION_TIMEDOUT && !connected;  // the site, where the proxy itself was reached
  const bool unreachable =
      code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_PROXY || (silent && answer.remote_address.empty());
  const bool wants_login = answered == 407 || socks == CURLPX_NO_AUTH || socks == CURLPX_USER_REJECTED;
  if (wants_login || (unreachable && socks == CURLPX_OK)) {
    answer.failure = FailureKind::network_unreachable;
    answer.own_trouble = true;
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
