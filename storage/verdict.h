// The verdict of a run on a link: its health, with reason and evidence.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "parser/enum_names.h"

namespace linkherd::storage {

// Names are printed and stored: DO NOT CHANGE them.
enum class Health : std::uint8_t {
  alive,        // the page exists
  redirected,   // the page exists at another URL
  dead,         // confirmed missing, or unreachable for `strikes` runs
  insecure,     // the page exists, but the certificate is invalid
  unreachable,  // no response or a server error after all retries; not yet evidence of death
  blocked,      // the server refused the request: unknown, never dead
  deferred,     // not tried, or not retried, before the end of the run
  skipped,      // excluded, unsupported scheme, disallowed by robots.txt, …
  suspect,      // may be dead, with a confidence below sure_of_death; checked again by the next run
};
inline constexpr std::array<EnumName<Health>, 9> health_names{{{Health::alive, "alive"},
                                                               {Health::redirected, "redirected"},
                                                               {Health::dead, "dead"},
                                                               {Health::insecure, "insecure"},
                                                               {Health::unreachable, "unreachable"},
                                                               {Health::blocked, "blocked"},
                                                               {Health::deferred, "deferred"},
                                                               {Health::skipped, "skipped"},
                                                               {Health::suspect, "suspect"}}};

// The minimum confidence of a dead verdict that is based on page content. Below it, the link is suspect.
inline constexpr double sure_of_death = 0.9;

// The values of Verdict::reason. They are printed, stored and used in configurations: DO NOT CHANGE them. A status code
// is its own reason: http_reason(404) is "http_404".
namespace reason {
inline constexpr std::string_view ok = "ok";
inline constexpr std::string_view not_modified = "not_modified";            // 304: unchanged since the stored snapshot
inline constexpr std::string_view moved_permanently = "moved_permanently";  // every hop 301 or 308
inline constexpr std::string_view moved_temporarily = "moved_temporarily";  // at least one hop 302, 303 or 307
inline constexpr std::string_view redirect_loop = "redirect_loop";
inline constexpr std::string_view too_many_redirects = "too_many_redirects";
inline constexpr std::string_view bad_redirect = "bad_redirect";  // Location missing or invalid
inline constexpr std::string_view dns_not_found = "dns_not_found";
inline constexpr std::string_view dns_no_address = "dns_no_address";
inline constexpr std::string_view dns_failed = "dns_failed";    // SERVFAIL and similar
inline constexpr std::string_view dns_timeout = "dns_timeout";  // no DNS server answered
inline constexpr std::string_view connection_refused = "connection_refused";
inline constexpr std::string_view connection_reset = "connection_reset";
inline constexpr std::string_view network_unreachable = "network_unreachable";
inline constexpr std::string_view timeout = "timeout";
inline constexpr std::string_view bad_response = "bad_response";  // the response is not HTTP
inline constexpr std::string_view headers_too_large = "headers_too_large";
inline constexpr std::string_view proxy_failed = "proxy_failed";    // a proxy cannot reach the host
inline constexpr std::string_view proxy_refused = "proxy_refused";  // a proxy does not allow connections to the host
inline constexpr std::string_view private_address = "private_address";
inline constexpr std::string_view needs_tor = "needs_tor";  // a .onion address without a proxy that resolves names
inline constexpr std::string_view tls_expired = "tls_expired";
inline constexpr std::string_view tls_not_yet_valid = "tls_not_yet_valid";
inline constexpr std::string_view tls_self_signed = "tls_self_signed";
inline constexpr std::string_view tls_untrusted = "tls_untrusted";
inline constexpr std::string_view tls_wrong_host = "tls_wrong_host";
inline constexpr std::string_view tls_revoked = "tls_revoked";
inline constexpr std::string_view tls_weak = "tls_weak";  // a weak key or signature
// Issued by a known authority, but not valid for this host.
inline constexpr std::string_view tls_invalid = "tls_invalid";
inline constexpr std::string_view tls_old_protocol = "tls_old_protocol";  // supports TLS 1.0 or 1.1 but nothing newer
inline constexpr std::string_view tls_handshake = "tls_handshake";
inline constexpr std::string_view not_found = "not_found";  // a site API reports that the page does not exist
inline constexpr std::string_view soft_404 = "soft_404";
inline constexpr std::string_view doubtful_404 = "doubtful_404";  // HTTP 404, but people may see a page
inline constexpr std::string_view parked = "parked";
inline constexpr std::string_view other_content = "other_content";      // the page does not match its list entry
inline constexpr std::string_view content_changed = "content_changed";  // the page is not the one that was read first
inline constexpr std::string_view rate_limited = "rate_limited";
inline constexpr std::string_view captcha = "captcha";
inline constexpr std::string_view challenge = "challenge";  // a JavaScript challenge
inline constexpr std::string_view login_required = "login_required";
inline constexpr std::string_view geo_blocked = "geo_blocked";  // not available in the country of this machine
inline constexpr std::string_view maintenance = "maintenance";  // a notice temporarily replaces the page
// Failed once, and the run ended before the confirmation.
inline constexpr std::string_view unconfirmed = "unconfirmed";
inline constexpr std::string_view interrupted = "interrupted";
inline constexpr std::string_view deadline = "deadline";  // the time limit of the run was reached
inline constexpr std::string_view outage = "outage";      // the local network failed
inline constexpr std::string_view host_unavailable =
    "host_unavailable";  // circuit breaker: the host failed for other links
inline constexpr std::string_view host_unresponsive =
    "host_silent";                                      // the host gave no answer in `strikes` consecutive runs
inline constexpr std::string_view vantage = "vantage";  // vantage points disagree: dead from one, alive from another
inline constexpr std::string_view robots_disallowed = "robots_disallowed";
// The crawled site may have an unlimited number of such pages.
inline constexpr std::string_view crawler_trap = "crawler_trap";
inline constexpr std::string_view unsupported_scheme = "unsupported_scheme";
inline constexpr std::string_view placeholder = "placeholder";
inline constexpr std::string_view empty_target = "empty_target";
inline constexpr std::string_view relative_link = "relative_link";
inline constexpr std::string_view invalid_url = "invalid_url";
inline constexpr std::string_view invalid_mail_address = "invalid_mail_address";
inline constexpr std::string_view file_not_found = "file_not_found";  // a linked local file does not exist
inline constexpr std::string_view outside_root = "outside_root";  // a file outside the folder or repository of the list
inline constexpr std::string_view anchor_not_found = "anchor_not_found";  // the page exists, but the anchor does not
inline constexpr std::string_view offline = "offline";                    // a web link in an offline run
inline constexpr std::string_view not_in_archive = "not_in_archive";      // the archive of --from-warc does not have it
inline constexpr std::string_view excluded = "excluded";                  // by a pattern of the user
inline constexpr std::string_view ignored = "ignored";                    // by a comment or attribute in the list
}  // namespace reason

inline std::string http_reason(int status) { return "http_" + std::to_string(status); }

struct Verdict {
  Health health = Health::deferred;
  std::string reason;
  std::string rule;         // deciding rule of the classifier: "status", "dns", "wall:cloudflare", "strikes"
  std::string evidence;     // text for people: "HTTP 404, twice, 10 s apart"
  double confidence = 1.0;  // 0 to 1

  bool operator==(const Verdict&) const = default;
};

// Returns a verdict that needed no request, with confidence 1.
inline Verdict without_request(Health health, std::string_view reason, std::string_view rule, std::string evidence) {
  return {health, std::string(reason), std::string(rule), std::move(evidence), 1.0};
}

// The rule of links that are broken by the change under test, although they also occur in unchanged lines.
inline constexpr std::string_view broken_by_change_rule = "change";
inline bool is_broken_by_change(const Verdict& verdict) { return verdict.rule == broken_by_change_rule; }

// Returns true for alive and redirected.
inline bool page_exists(const Verdict& verdict) {
  return verdict.health == Health::alive || verdict.health == Health::redirected;
}

// Returns true for alive, and for redirected unless permanently.
inline bool is_fine(Health health, std::string_view reason) {
  return health == Health::alive || (health == Health::redirected && reason != reason::moved_permanently);
}

}  // namespace linkherd::storage
