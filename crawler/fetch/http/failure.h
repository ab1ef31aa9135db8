// Enumerates the reasons why no complete response arrived, and maps the codes of libcurl and c-ares to them. Pure
// rules. The web causes these failures, so they are data, not errors.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <curl/curl.h>

#include "parser/enum_names.h"
#include "storage/verdict.h"

namespace linkherd::crawler {

// The names are printed and stored: DO NOT CHANGE them.
enum class FailureKind : std::uint8_t {
  none,
  dns_not_found,
  dns_no_address,
  dns_failed,
  dns_timeout,
  dns_untrusted,  // the name servers deny, or cannot resolve, even a top-level domain that exists
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
  tls_weak,     // a key or signature that is too weak to prove anything
  tls_invalid,  // from a known authority, but not valid for this purpose or host
  tls_old_protocol,
  tls_handshake,
  client_certificate,  // the server requests a client certificate
  bad_response,
  odd_status_line,  // a malformed HTTP status line that curl cannot read; browsers still show the page
  headers_too_large,
  proxy_unreachable,  // the proxy itself failed: no evidence about the host
  proxy_login,        // the proxy requires other credentials
  proxy_silent,       // the proxy was reached, but gave no response in time
  proxy_failed,       // the proxy answered that it cannot reach the host
  proxy_refused,      // the proxy denies access to the host
  redirect_loop,
  too_many_redirects,
  bad_redirect,
  unsupported_scheme,  // the target of a redirect is not http or https
  private_address,
  needs_tor,
  robots_disallowed,
  interrupted,
  outage,
  host_unavailable,
  retry_after,  // deferred: the host requested a longer wait than this run allows
  deadline,     // the deadline of the run
  not_in_archive,
};

// Everything about one kind of failure, in one row.
struct FailureMeaning {
  FailureKind failure;
  std::string_view name;
  storage::Health health;
  std::string_view reason;
  std::string_view rule;
  std::string_view message;   // the message, if the fetch has no more precise one
  bool is_transient = false;  // a short disturbance can cause it, so a retry is worthwhile
  // Typical for an outage of the local network: no response from DNS or a proxy, or no route to any address.
  bool is_network_outage = false;
};

namespace failures {
using storage::Health;
namespace reason = storage::reason;
inline constexpr auto table = std::to_array<FailureMeaning>({
    {FailureKind::none, "none", Health::alive, reason::ok, "", ""},
    {FailureKind::dns_not_found, "dns_not_found", Health::dead, reason::dns_not_found, "dns", "no such host"},
    {FailureKind::dns_no_address, "dns_no_address", Health::unreachable, reason::dns_no_address, "dns",
     "the host has no address", true},
    {FailureKind::dns_failed, "dns_failed", Health::unreachable, reason::dns_failed, "dns",
     "the DNS server could not answer", true, true},
    {FailureKind::dns_timeout, "dns_timeout", Health::unreachable, reason::dns_timeout, "dns", "no DNS server answered",
     true, true},
    {FailureKind::dns_untrusted, "dns_untrusted", Health::deferred, reason::outage, "dns",
     "the DNS servers deny even a top-level domain that exists", true, true},
    {FailureKind::connection_refused, "connection_refused", Health::unreachable, reason::connection_refused,
     "connection", "the connection was refused", true},
    {FailureKind::connection_reset, "connection_reset", Health::unreachable, reason::connection_reset, "connection",
     "the connection was closed before an answer arrived", true},
    {FailureKind::network_unreachable, "network_unreachable", Health::unreachable, reason::network_unreachable,
     "connection", "the addresses of the host are unreachable from here", true, true},
    {FailureKind::connect_timeout, "connect_timeout", Health::unreachable, reason::timeout, "connection",
     "the connection was not established in time", true, true},
    {FailureKind::timeout, "timeout", Health::unreachable, reason::timeout, "connection", "no answer in time", true},
    {FailureKind::tls_expired, "tls_expired", Health::insecure, reason::tls_expired, "certificate",
     "the certificate has expired"},
    {FailureKind::tls_not_yet_valid, "tls_not_yet_valid", Health::insecure, reason::tls_not_yet_valid, "certificate",
     "the certificate is not valid yet"},
    {FailureKind::tls_self_signed, "tls_self_signed", Health::insecure, reason::tls_self_signed, "certificate",
     "the certificate is self-signed"},
    {FailureKind::tls_untrusted, "tls_untrusted", Health::insecure, reason::tls_untrusted, "certificate",
     "the certificate's issuer is not known"},
    {FailureKind::tls_wrong_host, "tls_wrong_host", Health::insecure, reason::tls_wrong_host, "certificate",
     "the certificate is for other hosts"},
    {FailureKind::tls_revoked, "tls_revoked", Health::insecure, reason::tls_revoked, "certificate",
     "the certificate is revoked"},
    {FailureKind::tls_weak, "tls_weak", Health::insecure, reason::tls_weak, "certificate",
     "the certificate has a key or a signature that is too weak"},
    {FailureKind::tls_invalid, "tls_invalid", Health::insecure, reason::tls_invalid, "certificate",
     "the certificate is not valid"},
    {FailureKind::tls_old_protocol, "tls_old_protocol", Health::insecure, reason::tls_old_protocol, "certificate",
     "the server supports only insecure versions of TLS"},
    {FailureKind::tls_handshake, "tls_handshake", Health::unreachable, reason::tls_handshake, "connection",
     "the TLS handshake failed", true},
    {FailureKind::client_certificate, "client_certificate", Health::blocked, reason::login_required, "certificate",
     "the server asks for a client certificate (--client-cert)"},
    {FailureKind::bad_response, "bad_response", Health::unreachable, reason::bad_response, "connection",
     "the response of the server is not HTTP", true},
    {FailureKind::odd_status_line, "odd_status_line", Health::blocked, reason::bad_response, "connection",
     "the server's status line is not one of HTTP/1; a browser may still show the page"},
    {FailureKind::headers_too_large, "headers_too_large", Health::unreachable, reason::headers_too_large, "connection",
     "the server sent too many headers"},
    {FailureKind::proxy_unreachable, "proxy_unreachable", Health::deferred, reason::outage, "proxy",
     "the proxy cannot be reached", true, true},
    {FailureKind::proxy_login, "proxy_login", Health::blocked, reason::proxy_refused, "proxy",
     "the proxy requires another login", false, true},
    {FailureKind::proxy_silent, "proxy_silent", Health::unreachable, reason::timeout, "proxy",
     "the proxy gave no answer in time", true, true},
    {FailureKind::proxy_failed, "proxy_failed", Health::unreachable, reason::proxy_failed, "proxy",
     "the proxy cannot reach the host", true},
    {FailureKind::proxy_refused, "proxy_refused", Health::blocked, reason::proxy_refused, "proxy",
     "the proxy denies access to the host"},
    {FailureKind::redirect_loop, "redirect_loop", Health::dead, reason::redirect_loop, "redirects",
     "the redirects form a loop"},
    {FailureKind::too_many_redirects, "too_many_redirects", Health::dead, reason::too_many_redirects, "redirects",
     "too many redirects"},
    {FailureKind::bad_redirect, "bad_redirect", Health::blocked, reason::bad_redirect, "redirects",
     "a redirect without a usable target"},
    {FailureKind::unsupported_scheme, "unsupported_scheme", Health::skipped, reason::unsupported_scheme, "redirects",
     "redirects to an address that is not a web address"},
    {FailureKind::private_address, "private_address", Health::skipped, reason::private_address, "policy",
     "the address of the host is private; use --allow-private to check it"},
    {FailureKind::needs_tor, "needs_tor", Health::skipped, reason::needs_tor, "policy",
     "an address in the Tor network, which needs a Tor proxy: --proxy socks5h://127.0.0.1:9050"},
    {FailureKind::robots_disallowed, "robots_disallowed", Health::skipped, reason::robots_disallowed, "policy",
     "robots.txt disallows this URL"},
    {FailureKind::interrupted, "interrupted", Health::deferred, reason::interrupted, "run",
     "the run was interrupted before this check"},
    {FailureKind::outage, "outage", Health::deferred, reason::outage, "run", "your network failed"},
    {FailureKind::host_unavailable, "host_unavailable", Health::deferred, reason::host_unavailable, "run",
     "the host failed for other links, so this link was not tried"},
    {FailureKind::retry_after, "retry_after", Health::deferred, reason::rate_limited, "run",
     "the host asked to wait longer than this run waits"},
    {FailureKind::deadline, "deadline", Health::deferred, reason::deadline, "run",
     "the run reached its deadline before this check"},
    {FailureKind::not_in_archive, "not_in_archive", Health::skipped, reason::not_in_archive, "archive",
     "the archive has no response for this URL, and the network is not used"},
});
static_assert(std::ranges::all_of(table, [](const FailureMeaning& row) {
  return row.failure == static_cast<FailureKind>(&row - table.data());
}));
}  // namespace failures

constexpr const FailureMeaning& find_meaning(FailureKind failure) {
  return failures::table[static_cast<std::size_t>(failure)];
}

inline constexpr auto failure_names = [] {
  std::array<EnumName<FailureKind>, failures::table.size()> names{};
  std::ranges::transform(failures::table, names.begin(), [](const FailureMeaning& row) {
    return EnumName<FailureKind>{row.failure, row.name};
  });
  return names;
}();

// Returns true if the certificate or the TLS version was refused. A server exists in that case.
constexpr bool is_certificate_failure(FailureKind failure) {
  return find_meaning(failure).health == storage::Health::insecure;
}

// Returns true if curl refused a header for its size, or the headers for their number. curl 7 says that memory ran out.
bool is_too_large(CURLcode code);
// Maps the failure of a transfer without a status line. `verify_result` is CURLINFO_SSL_VERIFYRESULT, an X509_V_ERR_*
// code. `os_errno` is CURLINFO_OS_ERRNO.
FailureKind failure_from_curl(CURLcode code, long verify_result, long os_errno, bool is_connected);
FailureKind failure_from_ares(int ares_status);

// Translates an OpenSSL error message, as libcurl reports it, into plain English. Returns nullopt if the message is not
// from OpenSSL.
std::optional<std::string_view> describe_tls_failure(std::string_view detail);

// The translation if server and client have no TLS version in common.
inline constexpr std::string_view no_common_tls_version = "the server and linkherd have no version of TLS in common";
// The translation if server and client have no version of HTTP in common.
inline constexpr std::string_view no_common_application_protocol =
    "the server and linkherd have no application protocol in common";

inline constexpr std::string_view handshake_cut = "the connection was closed during the TLS handshake";

// Returns true if the message names an alert by which a server refuses to continue, for a reason other than its own
// internal error.
bool is_refusing_alert(std::string_view detail);

// Returns true if linkherd ended the handshake because the certificate is revoked.
bool is_revocation(std::string_view detail);

// Maps an X509_V_ERR_* code.
FailureKind failure_from_certificate(long verify_result);

}  // namespace linkherd::crawler
