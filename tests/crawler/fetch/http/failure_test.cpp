#include "crawler/fetch/http/failure.h"

#include <cerrno>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include <ares.h>
#include <doctest/doctest.h>

using namespace linkherd;
using namespace linkherd::crawler;

TEST_CASE("every failure kind has its own stable name") {
  std::set<std::string_view> names;
  for (const auto& [failure, bound_name] : failure_names) {
    const std::string_view name = bound_name;
    CHECK(enum_name(failure_names, failure) == name);
    CHECK(enum_value(failure_names, name) == failure);
    names.insert(name);
  }
  CHECK(names.size() == failure_names.size());
  CHECK(static_cast<std::size_t>(FailureKind::not_in_archive) + 1 == failure_names.size());
}

TEST_CASE("curl codes map to failure kinds") {
  struct Row {
    CURLcode code;
    long verify_result;
    long os_errno;
    bool is_connected;
    FailureKind expected;
  };
  const std::vector<Row> rows{
      {CURLE_OK, 0, 0, true, FailureKind::none},
      {CURLE_COULDNT_RESOLVE_HOST, 0, 0, false, FailureKind::dns_failed},
      {CURLE_COULDNT_CONNECT, 0, ECONNREFUSED, false, FailureKind::connection_refused},
      {CURLE_COULDNT_CONNECT, 0, ENETUNREACH, false, FailureKind::network_unreachable},
      {CURLE_COULDNT_CONNECT, 0, EHOSTUNREACH, false, FailureKind::network_unreachable},
      {CURLE_COULDNT_CONNECT, 0, EPERM, false, FailureKind::network_unreachable},
      {CURLE_COULDNT_CONNECT, 0, ETIMEDOUT, false, FailureKind::connect_timeout},
      {CURLE_COULDNT_CONNECT, 0, ECONNRESET, false, FailureKind::connection_reset},
      {CURLE_COULDNT_CONNECT, 0, 0, false, FailureKind::connection_refused},
      {CURLE_OPERATION_TIMEDOUT, 0, 0, false, FailureKind::connect_timeout},
      {CURLE_OPERATION_TIMEDOUT, 0, 0, true, FailureKind::timeout},
      {CURLE_SEND_ERROR, 0, EPIPE, true, FailureKind::connection_reset},
      {CURLE_RECV_ERROR, 0, ECONNRESET, true, FailureKind::connection_reset},
      {CURLE_GOT_NOTHING, 0, 0, true, FailureKind::bad_response},
      {CURLE_UNSUPPORTED_PROTOCOL, 0, 0, true, FailureKind::bad_response},  // HTTP/0.9
      {CURLE_WEIRD_SERVER_REPLY, 0, 0, true, FailureKind::bad_response},
      {CURLE_OUT_OF_MEMORY, 0, 0, true, FailureKind::headers_too_large},
      {static_cast<CURLcode>(100), 0, 0, true, FailureKind::headers_too_large},  // CURLE_TOO_LARGE
      {CURLE_HTTP2, 0, 0, true, FailureKind::bad_response},
      {CURLE_TOO_MANY_REDIRECTS, 0, 0, true, FailureKind::too_many_redirects},
      {CURLE_ABORTED_BY_CALLBACK, 0, 0, true, FailureKind::interrupted},
      {CURLE_SSL_CONNECT_ERROR, 0, 0, true, FailureKind::tls_handshake},
      {CURLE_SSL_CONNECT_ERROR, 0, ECONNRESET, true, FailureKind::connection_reset},
      {CURLE_SSL_CONNECT_ERROR, 10, 0, true, FailureKind::tls_expired},
      {CURLE_SSL_CIPHER, 0, 0, true, FailureKind::tls_handshake},
      {CURLE_PEER_FAILED_VERIFICATION, 0, 0, true, FailureKind::tls_wrong_host},
      {CURLE_PEER_FAILED_VERIFICATION, 62, 0, true, FailureKind::tls_wrong_host},
      {CURLE_PEER_FAILED_VERIFICATION, 10, 0, true, FailureKind::tls_expired},
      {CURLE_PEER_FAILED_VERIFICATION, 9, 0, true, FailureKind::tls_not_yet_valid},
      {CURLE_PEER_FAILED_VERIFICATION, 18, 0, true, FailureKind::tls_self_signed},
      {CURLE_PEER_FAILED_VERIFICATION, 19, 0, true, FailureKind::tls_untrusted},
      {CURLE_PEER_FAILED_VERIFICATION, 20, 0, true, FailureKind::tls_untrusted},
      {CURLE_PEER_FAILED_VERIFICATION, 21, 0, true, FailureKind::tls_untrusted},
      {CURLE_PEER_FAILED_VERIFICATION, 2, 0, true, FailureKind::tls_untrusted},
      {CURLE_PEER_FAILED_VERIFICATION, 7, 0, true, FailureKind::tls_invalid},   // a wrong signature
      {CURLE_PEER_FAILED_VERIFICATION, 26, 0, true, FailureKind::tls_invalid},  // for another purpose
      {CURLE_PEER_FAILED_VERIFICATION, 47, 0, true, FailureKind::tls_invalid},  // name constraints
      {CURLE_PEER_FAILED_VERIFICATION, 23, 0, true, FailureKind::tls_revoked},
      {CURLE_PEER_FAILED_VERIFICATION, 66, 0, true, FailureKind::tls_weak},  // the key
      {CURLE_PEER_FAILED_VERIFICATION, 67, 0, true, FailureKind::tls_weak},  // an authority's key
      {CURLE_PEER_FAILED_VERIFICATION, 68, 0, true, FailureKind::tls_weak},  // an authority's signature
  };
  for (const Row& row : rows) {
    CAPTURE(curl_easy_strerror(row.code));
    CAPTURE(row.verify_result);
    CAPTURE(row.os_errno);
    CHECK(enum_name(failure_names, failure_from_curl(row.code, row.verify_result, row.os_errno, row.is_connected)) ==
          enum_name(failure_names, row.expected));
  }
}

TEST_CASE("no curl error code maps to success") {
  for (int code = 1; code < CURL_LAST; ++code) {
    CAPTURE(code);
    CHECK(failure_from_curl(static_cast<CURLcode>(code), 0, 0, true) != FailureKind::none);
  }
}

TEST_CASE("c-ares statuses map to failure kinds") {
  struct Row {
    int status;
    FailureKind expected;
  };
  for (const Row& row : {Row{ARES_SUCCESS, FailureKind::none}, Row{ARES_ENOTFOUND, FailureKind::dns_not_found},
                         Row{ARES_EBADNAME, FailureKind::dns_not_found}, Row{ARES_ENODATA, FailureKind::dns_no_address},
                         Row{ARES_ESERVFAIL, FailureKind::dns_failed}, Row{ARES_EREFUSED, FailureKind::dns_failed},
                         Row{ARES_ENOTIMP, FailureKind::dns_failed}, Row{ARES_EBADRESP, FailureKind::dns_failed},
                         Row{ARES_ETIMEOUT, FailureKind::dns_timeout}, Row{ARES_ECONNREFUSED, FailureKind::dns_timeout},
                         Row{ARES_ECANCELLED, FailureKind::interrupted},
                         Row{ARES_EDESTRUCTION, FailureKind::interrupted}, Row{9999, FailureKind::dns_failed}}) {
    CAPTURE(row.status);
    CHECK(enum_name(failure_names, failure_from_ares(row.status)) == enum_name(failure_names, row.expected));
  }
}

TEST_CASE("certificate failures and network failures are distinguished") {
  const std::set<FailureKind> certificate{
      FailureKind::tls_expired,   FailureKind::tls_not_yet_valid, FailureKind::tls_self_signed,
      FailureKind::tls_untrusted, FailureKind::tls_wrong_host,    FailureKind::tls_revoked,
      FailureKind::tls_weak,      FailureKind::tls_invalid,       FailureKind::tls_old_protocol};
  const std::set<FailureKind> network{FailureKind::dns_failed,      FailureKind::dns_timeout,
                                      FailureKind::dns_untrusted,   FailureKind::network_unreachable,
                                      FailureKind::connect_timeout, FailureKind::proxy_unreachable,
                                      FailureKind::proxy_login,     FailureKind::proxy_silent};
  for (const auto& [failure, bound_name] : failure_names) {
    const std::string_view name = bound_name;
    CAPTURE(name);
    CHECK(is_certificate_failure(failure) == certificate.contains(failure));
    CHECK(find_meaning(failure).is_network_outage == network.contains(failure));
    CHECK_FALSE((is_certificate_failure(failure) && find_meaning(failure).is_transient));
  }
}

TEST_CASE("OpenSSL messages become plain words") {
  struct Row {
    std::string_view detail, message;
  };
  const std::vector<Row> rows{
      {"error:0A00010B:SSL routines::wrong version number", "does not speak TLS"},
      {"error:0A000410:SSL routines::sslv3 alert handshake failure", "refused the TLS handshake"},
      {"error:0A00042E:SSL routines::tlsv1 alert protocol version", "no version of TLS in common"},
      {"error:0A000102:SSL routines::unsupported protocol", "no version of TLS in common"},
      {"error:0A000458:SSL routines::tlsv1 unrecognized name", "no site of this name"},
      {"OpenSSL SSL_connect: Connection reset by peer in connection to a.test:443", "closed during the TLS handshake"},
      {"OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to a.test:443", "closed during the TLS handshake"},
      {"TLS connect error: error:00000000:lib(0)::reason(0)", "closed during the TLS handshake"},
      {"TLS connect error: error:0A00010B:SSL routines::wrong version number", "does not speak TLS"},
      {"OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0",
       "client certificate"},
      {"OpenSSL SSL_read: error:0A000126:SSL routines::unexpected eof while reading, errno 0", "closed"},
      {"SSL connection timeout", "took too long"},
      {"error:0A0000FF:SSL routines::something new", "the TLS connection failed"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.detail);
    const std::optional<std::string_view> message = describe_tls_failure(row.detail);
    REQUIRE(message.has_value());
    CHECK(message->find(row.message) != std::string_view::npos);
    CHECK(message->find("SSL") == std::string_view::npos);
  }
  CHECK_FALSE(describe_tls_failure("Recv failure: Connection reset by peer").has_value());
}
