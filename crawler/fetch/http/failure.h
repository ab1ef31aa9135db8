// Why no complete answer came: one word for every way in which a request can fail, and the pure rule from libcurl's and
// c-ares's codes to it. The web's doing, hence data and no error.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include <curl/curl.h>

#include "parser/enum_names.h"

namespace linkherd::crawler {

// Names are printed and stored: DO NOT CHANGE them.
enum class FailureKind : std::uint8_t {
  none,
  dns_not_found,
  dns_no_address,
  dns_failed,
  dns_timeout,
  dns_untrusted,  // the name servers deny, or cannot tell of, even a top-level domain that exists
  connection_refused,
  connection_reset,
  network_unreachable,
  connect_timeout,
  timeout,
  tls_expired,
  tls_not_yet_valid,
  tls_self_signed,
  tls_untrusted,
  tls_wrong_host,
  tls_revoked,
  tls_weak,  // a key or a signature that is too weak to prove anything
  tls_handshake,
  bad_response,
  headers_too_large,
  redirect_loop,
  too_many_redirects,
  bad_redirect,
  unsupported_scheme,  // of a redirect's target
  private_address,
  robots_disallowed,
  interrupted,
  outage,
  host_unavailable,
  retry_after,  // not our turn any more: deferred
  deadline,     // the run's own
};
inline constexpr std::array<EnumName<FailureKind>, 32> failure_names{{
    {FailureKind::none, "none"},
    {FailureKind::dns_not_found, "dns_not_found"},
    {FailureKind::dns_no_address, "dns_no_address"},
    {FailureKind::dns_failed, "dns_failed"},
    {FailureKind::dns_timeout, "dns_timeout"},
    {FailureKind::dns_untrusted, "dns_untrusted"},
    {FailureKind::connection_refused, "connection_refused"},
    {FailureKind::connection_reset, "connection_reset"},
    {FailureKind::network_unreachable, "network_unreachable"},
    {FailureKind::connect_timeout, "connect_timeout"},
    {FailureKind::timeout, "timeout"},
    {FailureKind::tls_expired, "tls_expired"},
    {FailureKind::tls_not_yet_valid, "tls_not_yet_valid"},
    {FailureKind::tls_self_signed, "tls_self_signed"},
    {FailureKind::tls_untrusted, "tls_untrusted"},
    {FailureKind::tls_wrong_host, "tls_wrong_host"},
    {FailureKind::tls_revoked, "tls_revoked"},
    {FailureKind::tls_weak, "tls_weak"},
    {FailureKind::tls_handshake, "tls_handshake"},
    {FailureKind::bad_response, "bad_response"},
    {FailureKind::headers_too_large, "headers_too_large"},
    {FailureKind::redirect_loop, "redirect_loop"},
    {FailureKind::too_many_redirects, "too_many_redirects"},
    {FailureKind::bad_redirect, "bad_redirect"},
    {FailureKind::unsupported_scheme, "unsupported_scheme"},
    {FailureKind::private_address, "private_address"},
    {FailureKind::robots_disallowed, "robots_disallowed"},
    {FailureKind::interrupted, "interrupted"},
    {FailureKind::outage, "outage"},
    {FailureKind::host_unavailable, "host_unavailable"},
    {FailureKind::retry_after, "retry_after"},
    {FailureKind::deadline, "deadline"},
}};

// The certificate was refused, but a server is there.
bool is_certificate_failure(FailureKind failure);
// Worth another try: everything that a blip can cause.
bool is_transient(FailureKind failure);
// What an outage of our own network looks like: no answer from DNS, or no way to any address.
bool is_network_failure(FailureKind failure);

// `verify_result`: CURLINFO_SSL_VERIFYRESULT, an X509_V_ERR_* code. `os_errno`: CURLINFO_OS_ERRNO. Only for transfers
// without status line.
FailureKind failure_of_curl(CURLcode code, long verify_result, long os_errno, bool connected);
FailureKind failure_of_ares(int ares_status);

// What OpenSSL's words, as libcurl passes them on, mean for people; nothing where they are not OpenSSL's.
std::optional<std::string_view> tls_failure_in_words(std::string_view detail);

}  // namespace linkherd::crawler
