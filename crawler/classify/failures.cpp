// What a failure means for a link, as a table: one row a kind.
#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "crawler/classify/rules.h"

namespace linkherd::crawler {

namespace {

using storage::Health;
namespace reason = storage::reason;

struct Meaning {
  FailureKind failure;
  Health health;
  std::string_view reason;
  std::string_view rule;
  std::string_view words;  // where the fetch says nothing more exact
};

constexpr std::array meanings{
    Meaning{FailureKind::dns_not_found, Health::dead, reason::dns_not_found, "dns", "no such host"},
    Meaning{FailureKind::dns_no_address, Health::unreachable, reason::dns_no_address, "dns", "the host has no address"},
    Meaning{FailureKind::dns_failed, Health::unreachable, reason::dns_failed, "dns", "the DNS server could not answer"},
    Meaning{FailureKind::dns_timeout, Health::unreachable, reason::dns_timeout, "dns", "no DNS server answered"},
    Meaning{FailureKind::dns_untrusted, Health::deferred, reason::outage, "dns",
            "the name servers deny even a top-level domain that exists"},

    Meaning{FailureKind::connection_refused, Health::unreachable, reason::connection_refused, "connection",
            "the connection was refused"},
    Meaning{FailureKind::connection_reset, Health::unreachable, reason::connection_reset, "connection",
            "the connection was cut before an answer"},
    Meaning{FailureKind::network_unreachable, Health::unreachable, reason::network_unreachable, "connection",
            "there is no way to the host's addresses"},
    Meaning{FailureKind::connect_timeout, Health::unreachable, reason::timeout, "connection", "no connection in time"},
    Meaning{FailureKind::timeout, Health::unreachable, reason::timeout, "connection", "no answer in time"},

    Meaning{FailureKind::tls_expired, Health::insecure, reason::tls_expired, "certificate",
            "the certificate has expired"},
    Meaning{FailureKind::tls_not_yet_valid, Health::insecure, reason::tls_not_yet_valid, "certificate",
            "the certificate is not valid yet"},
    Meaning{FailureKind::tls_self_signed, Health::insecure, reason::tls_self_signed, "certificate",
            "the certificate is self-signed"},
    Meaning{FailureKind::tls_untrusted, Health::insecure, reason::tls_untrusted, "certificate",
            "the certificate's issuer is not known"},
    Meaning{FailureKind::tls_wrong_host, Health::insecure, reason::tls_wrong_host, "certificate",
            "the certificate is for other hosts"},
    Meaning{FailureKind::tls_revoked, Health::insecure, reason::tls_revoked, "certificate",
            "the certificate is revoked"},
    Meaning{FailureKind::tls_weak, Health::insecure, reason::tls_weak, "certificate",
            "the certificate has a key or a signature that is too weak"},
    Meaning{FailureKind::tls_handshake, Health::unreachable, reason::tls_handshake, "connection",
            "no secure connection could be agreed on"},

    Meaning{FailureKind::bad_response, Health::unreachable, reason::bad_response, "connection",
            "what the server sent is no HTTP"},
    Meaning{FailureKind::headers_too_large, Health::unreachable, reason::headers_too_large, "connection",
            "the server sent too many headers"},

    Meaning{FailureKind::redirect_loop, Health::dead, reason::redirect_loop, "redirects",
            "the redirects form a circle"},
    Meaning{FailureKind::too_many_redirects, Health::dead, reason::too_many_redirects, "redirects",
            "too many redirects"},
    Meaning{FailureKind::bad_redirect, Health::blocked, reason::bad_redirect, "redirects",
            "a redirect without a usable target"},
    Meaning{FailureKind::unsupported_scheme, Health::skipped, reason::unsupported_scheme, "redirects",
            "redirected to what is no web address"},

    Meaning{FailureKind::private_address, Health::skipped, reason::private_address, "policy",
            "the host's address is private; --allow-private lets it through"},
    Meaning{FailureKind::robots_disallowed, Health::skipped, reason::robots_disallowed, "policy",
            "robots.txt asks not to fetch this"},

    Meaning{FailureKind::interrupted, Health::deferred, reason::interrupted, "run", "the run was stopped first"},
    Meaning{FailureKind::outage, Health::deferred, reason::outage, "run", "our own network failed"},
    Meaning{FailureKind::host_unavailable, Health::deferred, reason::host_unavailable, "run",
            "the host failed for other links, so this one was not tried"},
    Meaning{FailureKind::retry_after, Health::deferred, reason::rate_limited, "run",
            "the host asked to be left alone for longer than this run waits"},
    Meaning{FailureKind::deadline, Health::deferred, reason::deadline, "run", "the run's time was over first"},
};
static_assert(meanings.size() + 1 == failure_names.size(), "every kind of failure but none has its meaning");

const Meaning* meaning_of(FailureKind failure) {
  const auto* found = std::ranges::find(meanings, failure, &Meaning::failure);
  return found == meanings.end() ? nullptr : found;
}

// "No such host: nxdomain.example." The words never begin with a name from outside: it would get a capital letter.
std::string sentence(std::string_view words) {
  std::string text(words);
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') text.front() = static_cast<char>(text.front() - 32);
  if (!text.ends_with('.')) text += '.';
  return text;
}

std::string evidence_of(const Meaning& meaning, const FetchResult& result) {
  std::string words(result.answer.detail.empty() ? meaning.words : std::string_view(result.answer.detail));
  if (const std::size_t hops = result.redirects.size(); hops > 0) {
    words += fmt::format(", at {} after {} redirect{}", result.final_url.href(), hops, hops == 1 ? "" : "s");
  }
  if (is_certificate_failure(result.answer.failure)) {
    words += result.answer.unverified_status == 0
                 ? "; without verification, too, no answer came"
                 : fmt::format("; without verification the server answers HTTP {}", result.answer.unverified_status);
  }
  return sentence(words);
}

storage::Verdict verdict_of(const Meaning& meaning, const FetchResult& result) {
  return {.health = meaning.health,
          .reason = std::string(meaning.reason),
          .rule = std::string(meaning.rule),
          .evidence = evidence_of(meaning, result),
          .confidence = 1.0};
}

// The server itself told this link to wait: its answer is the verdict. Links that were never sent are only put off.
bool was_told_to_wait(const FetchResult& result) {
  return result.answer.failure == FailureKind::retry_after &&
         (result.answer.status == 429 || result.answer.status == 503);
}

// It was answered 429, and its retry's time did not come any more.
bool was_refused_before(const FetchResult& result) {
  return std::ranges::find(result.attempts, 429, &storage::Attempt::status) != result.attempts.end();
}

}  // namespace

std::optional<storage::Verdict> not_our_turn(const FetchResult& result, const PageEvidence& /*page*/) {
  const Meaning* const meaning = meaning_of(result.answer.failure);
  if (meaning == nullptr || was_told_to_wait(result)) return std::nullopt;
  if (meaning->health != Health::deferred && meaning->health != Health::skipped) return std::nullopt;
  storage::Verdict verdict = verdict_of(*meaning, result);
  if (result.answer.failure == FailureKind::retry_after && was_refused_before(result)) {
    verdict.health = Health::blocked;
    verdict.evidence = fmt::format("HTTP 429: too many requests. {}", verdict.evidence);
  }
  return verdict;
}

std::optional<storage::Verdict> failed(const FetchResult& result, const PageEvidence& /*page*/) {
  const Meaning* const meaning = meaning_of(result.answer.failure);
  if (meaning == nullptr || was_told_to_wait(result)) return std::nullopt;
  // A status line means that the host lives, whatever happened to the body; only a chain can fail behind one.
  if (result.answer.status != 0 && meaning->rule != "redirects") return std::nullopt;
  return verdict_of(*meaning, result);
}

}  // namespace linkherd::crawler
