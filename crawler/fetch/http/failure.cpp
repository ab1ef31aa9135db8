#include "crawler/fetch/http/failure.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include <ares.h>
#include <openssl/x509_vfy.h>

namespace linkherd::crawler {

FailureKind failure_from_certificate(long verify_result) {
  switch (verify_result) {
    case X509_V_OK:  // the chain was valid, so curl itself refused: the certificate does not contain the host name
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH: return FailureKind::tls_wrong_host;
    case X509_V_ERR_CERT_HAS_EXPIRED: return FailureKind::tls_expired;
    case X509_V_ERR_CERT_NOT_YET_VALID: return FailureKind::tls_not_yet_valid;
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: return FailureKind::tls_self_signed;
    case X509_V_ERR_CERT_REVOKED: return FailureKind::tls_revoked;
    case X509_V_ERR_EE_KEY_TOO_SMALL:
    case X509_V_ERR_CA_KEY_TOO_SMALL:
    case X509_V_ERR_CA_MD_TOO_WEAK: return FailureKind::tls_weak;
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_UNTRUSTED:
    case X509_V_ERR_CERT_REJECTED:
    case X509_V_ERR_UNSPECIFIED: return FailureKind::tls_untrusted;
    // For example, the signature is wrong, the certificate is for clients only, or its authority may not sign for this
    // host.
    default: return FailureKind::tls_invalid;
  }
}

namespace {

FailureKind failure_from_connect(long os_errno) {
  switch (os_errno) {
    case ENETUNREACH:
    case EHOSTUNREACH:
    case ENETDOWN:
    case EADDRNOTAVAIL:
    case EACCES:  // blocked by a local firewall
    case EPERM: return FailureKind::network_unreachable;
    case ETIMEDOUT: return FailureKind::connect_timeout;
    case ECONNRESET: return FailureKind::connection_reset;
    default: return FailureKind::connection_refused;
  }
}

struct TlsMessage {
  std::string_view openssl;  // a substring of OpenSSL's message
  std::string_view message;
};

// The first matching row applies. Alerts come from the server; all other messages come from the local OpenSSL.
constexpr std::array tls_messages{
    TlsMessage{"wrong version number", "the server does not speak TLS on this port"},
    TlsMessage{"packet length too long", "the server does not speak TLS on this port"},
    TlsMessage{"http request", "the server does not speak TLS on this port"},
    TlsMessage{"alert protocol version", no_common_tls_version},
    TlsMessage{"unsupported protocol", no_common_tls_version},
    TlsMessage{"no protocols available", no_common_tls_version},
    TlsMessage{"legacy sigalg", no_common_tls_version},  // the signature algorithms of TLS 1.0 and 1.1
    TlsMessage{"no application protocol", no_common_application_protocol},
    TlsMessage{"bad extension", "the server answered the TLS handshake with an option that linkherd did not offer"},
    TlsMessage{"alert handshake failure",
               "the server refused the TLS handshake, usually because there is no common cipher"},
    TlsMessage{"no shared cipher", "the server and linkherd have no TLS cipher in common"},
    TlsMessage{"wrong cipher returned", "the server chose a TLS cipher that linkherd did not offer"},
    TlsMessage{"insufficient security", "the server requires stronger TLS ciphers than linkherd has"},
    TlsMessage{"unrecognized name", "the server has no site of this name"},
    TlsMessage{"certificate required", "the server asks for a client certificate (--client-cert)"},
    TlsMessage{"alert bad certificate", "the server does not accept the client certificate"},
    TlsMessage{"alert unknown ca", "the server does not accept the client certificate"},
    TlsMessage{"alert access denied", "the server refused the TLS handshake"},
    TlsMessage{"alert internal error", "the server failed in the TLS handshake"},
    TlsMessage{"unsafe legacy renegotiation", "the server supports only an unsafe form of TLS renegotiation"},
    TlsMessage{"too small", "the server offers a TLS key that is too weak"},
    TlsMessage{"digest too big", "the server offers a TLS key that is too weak"},
    TlsMessage{"excessive message size", "the server's certificate is too large"},
    TlsMessage{"SSL connection timeout", "the TLS handshake took too long"},
    TlsMessage{"SSL_connect", handshake_cut},
    TlsMessage{"TLS connect error: error:00000000", handshake_cut},  // curl 8: OpenSSL itself has no error
    TlsMessage{"unexpected eof", "the connection was closed without ending TLS properly"},
    TlsMessage{"SSL_read", "the connection was closed unexpectedly"},
    TlsMessage{"SSL_write", "the connection was closed unexpectedly"},
    TlsMessage{"alert", "the server refused the TLS handshake"},
};

}  // namespace

bool is_too_large(CURLcode code) {
  constexpr int too_large = 100;  // CURLE_TOO_LARGE, since curl 8.6; the library may be newer than the header
  return code == CURLE_OUT_OF_MEMORY || static_cast<int>(code) == too_large;
}

FailureKind failure_from_curl(CURLcode code, long verify_result, long os_errno, bool is_connected) {
  if (is_too_large(code)) return FailureKind::headers_too_large;
  switch (code) {
    case CURLE_OK: return FailureKind::none;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY: return FailureKind::dns_failed;
    case CURLE_COULDNT_CONNECT: return failure_from_connect(os_errno);
    case CURLE_OPERATION_TIMEDOUT: return is_connected ? FailureKind::timeout : FailureKind::connect_timeout;
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR: return FailureKind::connection_reset;
    case CURLE_PEER_FAILED_VERIFICATION: return failure_from_certificate(verify_result);
    case CURLE_SSL_CONNECT_ERROR:
      if (verify_result != X509_V_OK) return failure_from_certificate(verify_result);
      return os_errno == ECONNRESET ? FailureKind::connection_reset : FailureKind::tls_handshake;
    case CURLE_SSL_INVALIDCERTSTATUS: return FailureKind::tls_revoked;
    case CURLE_SSL_ISSUER_ERROR: return FailureKind::tls_untrusted;
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CRL_BADFILE:
    case CURLE_SSL_SHUTDOWN_FAILED:
    case CURLE_SSL_CLIENTCERT:
    case CURLE_USE_SSL_FAILED: return FailureKind::tls_handshake;
    case CURLE_TOO_MANY_REDIRECTS: return FailureKind::too_many_redirects;
    case CURLE_ABORTED_BY_CALLBACK: return FailureKind::interrupted;
    // No response, no HTTP, or broken HTTP: CURLE_GOT_NOTHING, _UNSUPPORTED_PROTOCOL (HTTP/0.9), _WEIRD_SERVER_REPLY, …
    default: return FailureKind::bad_response;
  }
}

bool is_revocation(std::string_view detail) { return detail.find("invalid status response") != std::string_view::npos; }

bool is_refusing_alert(std::string_view detail) {
  return detail.find("SSL routines") != std::string_view::npos && detail.find(" alert ") != std::string_view::npos &&
         detail.find("alert internal error") == std::string_view::npos;
}

std::optional<std::string_view> describe_tls_failure(std::string_view detail) {
  if (detail.find("SSL") == std::string_view::npos && !detail.starts_with("TLS connect error")) return std::nullopt;
  const auto* row = std::ranges::find_if(
      tls_messages, [detail](const TlsMessage& one) { return detail.find(one.openssl) != std::string_view::npos; });
  return row == tls_messages.end() ? "the TLS connection failed" : row->message;
}

FailureKind failure_from_ares(int ares_status) {
  switch (ares_status) {
    case ARES_SUCCESS: return FailureKind::none;
    case ARES_ENOTFOUND:
    case ARES_EBADNAME:  // a name that no zone can hold, for example with a label above 63 bytes
    case ARES_ENONAME: return FailureKind::dns_not_found;
    case ARES_ENODATA: return FailureKind::dns_no_address;
    case ARES_ETIMEOUT:
    case ARES_ECONNREFUSED: return FailureKind::dns_timeout;  // no DNS server answered
    case ARES_ECANCELLED:
    case ARES_EDESTRUCTION: return FailureKind::interrupted;
    default: return FailureKind::dns_failed;
  }
}

}  // namespace linkherd::crawler
