#include "crawler/classify/classify.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "crawler/classify/page_rules.h"
#include "parser/ascii.h"
#include "parser/html/page_redirect.h"
#include "parser/url/credentials.h"

namespace linkherd::crawler {

namespace {

using parser::contains_ignoring_case;
using storage::Health;
namespace reason = storage::reason;

// --- no answer, or an incomplete one: the table of failures (fetch/http/failure.h) and its exceptions

// Returns a sentence such as "No such host: nxdomain.example." The text never begins with a foreign name, which must
// not be capitalised.
std::string sentence(std::string_view message) {
  std::string text(message);
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') text.front() = static_cast<char>(text.front() - 32);
  if (!text.ends_with('.')) text += '.';
  return text;
}

std::string evidence_of(const FailureMeaning& meaning, const FetchResult& result) {
  std::string message(result.response.detail.empty() ? meaning.message : std::string_view(result.response.detail));
  if (const std::size_t hops = result.redirects.size(); hops > 0) {
    message += fmt::format(", at {} after {} redirect{}", result.final_url.href(), hops, hops == 1 ? "" : "s");
  }
  if (is_certificate_failure(result.response.failure)) {
    const std::string_view how =
        result.response.failure == FailureKind::tls_old_protocol ? "with that version" : "without verification";
    message += result.response.unverified_status == 0
                   ? fmt::format("; {} there is no response either", how)
                   : fmt::format("; {} the server answers HTTP {}", how, result.response.unverified_status);
  }
  return sentence(message);
}

storage::Verdict verdict_of(const FailureMeaning& meaning, const FetchResult& result) {
  return {.health = meaning.health,
          .reason = std::string(meaning.reason),
          .rule = std::string(meaning.rule),
          .evidence = evidence_of(meaning, result),
          .confidence = 1.0};
}

// The server itself asked to wait (Retry-After), so its answer is the verdict of this link. Links that were not
// requested are only deferred.
bool requests_wait(const FetchResult& result) {
  return result.response.failure == FailureKind::retry_after &&
         (result.response.status == 429 || result.response.status == 503);
}

// Returns true if an earlier attempt got a 429 and the time of the retry was not reached.
bool was_refused_before(const FetchResult& result) {
  return std::ranges::find(result.attempts, 429, &storage::Attempt::status) != result.attempts.end();
}

std::optional<storage::Verdict> not_requested(const FetchResult& result) {
  if (result.response.failure == FailureKind::none || requests_wait(result)) return std::nullopt;
  const FailureMeaning& meaning = find_meaning(result.response.failure);
  if (meaning.health != Health::deferred && meaning.health != Health::skipped) return std::nullopt;
  storage::Verdict verdict = verdict_of(meaning, result);
  if (result.response.failure == FailureKind::retry_after && was_refused_before(result)) {
    verdict.health = Health::blocked;
    verdict.evidence = fmt::format("HTTP 429: too many requests. {}", verdict.evidence);
  }
  return verdict;
}

std::optional<storage::Verdict> failed(const FetchResult& result) {
  if (result.response.failure == FailureKind::none || requests_wait(result)) return std::nullopt;
  const FailureMeaning& meaning = find_meaning(result.response.failure);
  // A status line proves that the host is alive, whatever happened to the body. Only redirects can fail after it.
  if (result.response.status != 0 && meaning.rule != "redirects") return std::nullopt;
  return verdict_of(meaning, result);
}

// --- the status of an answer: the first row that contains it applies. Only 404 and 410 are dead. A refused request
// (most of 4xx) says nothing about the page, so it is `blocked`. A failing server (5xx, 408, 421, 425) is `unreachable`
// and gets a strike.

struct StatusMeaning {
  int first;
  int last;
  Health health;
  std::string_view reason;  // empty: http_NNN
  std::string_view message;
};

constexpr std::array meanings{
    StatusMeaning{100, 199, Health::unreachable, "", "only an interim response"},
    StatusMeaning{200, 299, Health::alive, reason::ok, ""},
    StatusMeaning{300, 300, Health::alive, reason::ok, "multiple choices"},
    StatusMeaning{301, 303, Health::blocked, reason::bad_redirect, "a redirect without a target"},
    StatusMeaning{304, 304, Health::alive, reason::not_modified, "unchanged"},
    StatusMeaning{307, 308, Health::blocked, reason::bad_redirect, "a redirect without a target"},
    StatusMeaning{300, 399, Health::blocked, "", "a status that browsers do not handle"},
    StatusMeaning{401, 401, Health::blocked, reason::login_required, "requires a login"},
    StatusMeaning{402, 402, Health::blocked, "", "requires a payment"},
    StatusMeaning{404, 404, Health::dead, "", "no such page"},
    StatusMeaning{407, 407, Health::blocked, "", "a proxy requires a login"},
    StatusMeaning{408, 408, Health::unreachable, "", "the server did not receive the request in time"},
    StatusMeaning{410, 410, Health::dead, "", "the page is gone for good"},
    StatusMeaning{412, 412, Health::blocked, "", "the server blocked the request as suspicious"},
    StatusMeaning{421, 421, Health::unreachable, "", "the request reached the wrong server"},
    StatusMeaning{425, 425, Health::unreachable, "", "the server asks for a later retry"},
    StatusMeaning{429, 429, Health::blocked, reason::rate_limited, "too many requests"},
    StatusMeaning{451, 451, Health::blocked, "", "withheld for legal reasons"},
    // nginx's internal statuses, which some servers send.
    StatusMeaning{495, 496, Health::blocked, reason::login_required, "requires a client certificate"},
    StatusMeaning{400, 499, Health::blocked, "", "the server refused the request"},
    // A captive portal in the network of the site. A portal in the local network would answer for all sites.
    StatusMeaning{511, 511, Health::blocked, "", "a network requires a login"},
    StatusMeaning{500, 599, Health::unreachable, "", "the server failed"},
    StatusMeaning{600, 999, Health::blocked, "", "the server refused the request"},  // 999 is used by LinkedIn
};

bool was_conditional(const FetchResult& result) {
  return result.request.validators() != nullptr &&
         result.request.validators()->url == parser::mask_password(result.final_url.href_without_fragment());
}

// Browsers open the page nevertheless; many other programs do not.
std::string note_of_chain(const FetchResult& result) {
  const std::optional<CertificateFacts>& facts = result.response.certificate;
  if (!facts || !facts->certificate.is_chain_incomplete) return {};
  return fmt::format("; the server does not send the intermediate certificate of {}; browsers fetch it themselves",
                     facts->certificate.issuer);
}

storage::Verdict moved(const FetchResult& result) {
  const bool permanent = std::ranges::all_of(result.redirects, &storage::Redirect::permanent);
  const std::string_view kind = result.redirects.size() == 1 ? (permanent ? "permanent" : "temporary")
                                                             : (permanent ? "all permanent" : "not all permanent");
  return {.health = Health::redirected,
          .reason = std::string(permanent ? reason::moved_permanently : reason::moved_temporarily),
          .rule = "status",
          .evidence = fmt::format("{}, {}{}.", answer_phrase(result), kind, note_of_chain(result)),
          .confidence = 1.0};
}

storage::Verdict alive_verdict(const FetchResult& result, const StatusMeaning& meaning) {
  storage::Verdict verdict{.health = Health::alive,
                           .reason = std::string(meaning.reason),
                           .rule = "status",
                           .evidence = answer_phrase(result),
                           .confidence = 1.0};
  if (meaning.reason == reason::not_modified && !was_conditional(result)) {
    // There is no stored snapshot to compare with, but the page exists.
    verdict.reason = reason::ok;
    verdict.confidence = 0.5;
    verdict.evidence += ", although the request was not conditional";
  }
  if (!result.response.is_body_complete() && result.response.detail.empty())
    verdict.evidence += ", with a truncated body";
  verdict.evidence += note_of_chain(result) + '.';
  return verdict;
}

storage::Verdict verdict_of(const FetchResult& result, const StatusMeaning& meaning) {
  if (meaning.health == Health::alive) return was_moved(result) ? moved(result) : alive_verdict(result, meaning);
  storage::Verdict verdict{
      .health = meaning.health,
      .reason = meaning.reason.empty() ? storage::http_reason(result.response.status) : std::string(meaning.reason),
      .rule = "status",
      .evidence = fmt::format("{}: {}", answer_phrase(result), meaning.message),
      .confidence = 1.0};
  // It is unknown which of the two failed.
  if (meaning.health == Health::unreachable && !result.response.relayed_by.empty())
    verdict.evidence += fmt::format(", or the proxy {}", result.response.relayed_by);
  if (result.response.retry_at) {
    const Timestamp whole_second = std::chrono::ceil<std::chrono::seconds>(*result.response.retry_at);
    verdict.evidence += fmt::format("; the host asks to wait until {}", format_timestamp(whole_second));
  }
  verdict.evidence += '.';
  return verdict;
}

// --- answers that say less than their status

// A browser shows nothing for an empty 202. Servers that postpone a request answer like this, and so do bot walls
// without a page.
std::optional<storage::Verdict> empty_202(const FetchResult& result) {
  const AttemptResult& response = result.response;
  if (response.status != 202 || !response.body.empty() || response.body_state != BodyState::complete)
    return std::nullopt;
  return storage::Verdict{.health = Health::suspect,
                          .reason = storage::http_reason(response.status),
                          .rule = "status",
                          .evidence = fmt::format("{}: accepted, but the response is empty.", answer_phrase(result)),
                          .confidence = 0.6};
}

// Returns why browsers may show a page although the status is 404. Empty if there is no such reason.
std::string page_despite_404(const FetchResult& result, const PageEvidence& page) {
  constexpr std::size_t max_shell_text = 40;  // code points, for texts such as "Loading…"
  if (page.text_length > max_shell_text) return {};
  if (contains_ignoring_case(page.html, "<script")) return "the page has no text, but its scripts may add some";
  const auto redirect = parser::find_page_redirect(page.html, result.final_url, result.response.header("refresh"));
  if (!redirect || redirect->to.path() == "/") return {};
  return fmt::format("the page redirects to {} ({})", redirect->to.href(), describe(redirect->kind));
}

std::optional<storage::Verdict> doubtful_404(const FetchResult& result, const PageEvidence& page,
                                             const RuleSet& pages) {
  if (result.response.status != 404 || page.html.empty() || pages.is_missing_page(result, page)) return std::nullopt;
  const std::string why = page_despite_404(result, page);
  if (why.empty()) return std::nullopt;
  return doubt_404(fmt::format("{}, but {}.", answer_phrase(result), why));
}

// --- confirmation

std::string rounded(Duration apart) {
  return format_duration(apart < std::chrono::seconds(1) ? std::chrono::round<std::chrono::milliseconds>(apart)
                                                         : Duration(std::chrono::round<std::chrono::seconds>(apart)));
}

std::string_view without_full_stop(std::string_view sentence) {
  if (sentence.ends_with('.')) sentence.remove_suffix(1);
  return sentence;
}

bool may_be_missing(const storage::Verdict& verdict) {
  return verdict.health == Health::dead || verdict.health == Health::suspect;
}

}  // namespace

storage::Verdict by_status(const FetchResult& result) {
  const auto* meaning = std::ranges::find_if(meanings, [&](const StatusMeaning& row) {
    return row.first <= result.response.status && result.response.status <= row.last;
  });
  if (meaning == meanings.end()) {
    return {.health = Health::unreachable,
            .reason = std::string(reason::bad_response),
            .rule = "status",
            .evidence = fmt::format("HTTP {}: not a valid HTTP status.", result.response.status),
            .confidence = 1.0};
  }
  storage::Verdict verdict = verdict_of(result, *meaning);
  if (!result.response.detail.empty()) {
    verdict.evidence += fmt::format(" Its headers are incomplete: {}.", result.response.detail);
  }
  return verdict;
}

// The order of the rules matters; see the header.
storage::Verdict classify(const FetchResult& result, const PageEvidence& page, const RuleSet& pages) {
  std::optional<storage::Verdict> verdict = not_requested(result);
  if (!verdict) verdict = pages.wall(result, page);
  if (!verdict) verdict = failed(result);
  if (!verdict) verdict = pages.other_page(result, page);
  if (!verdict) verdict = pages.weak_wall(result, page);
  if (!verdict) verdict = empty_202(result);
  if (!verdict) verdict = doubtful_404(result, page, pages);
  return verdict ? *std::move(verdict) : by_status(result);
}

storage::Verdict classify(const FetchResult& result, const PageEvidence& page) {
  return classify(result, page, RuleSet::built_in());
}

bool needs_confirmation(const storage::Verdict& verdict) {
  return may_be_missing(verdict) && verdict.rule != "strikes";  // "strikes" is already based on several runs
}

storage::Verdict confirmed(const storage::Verdict& first, const storage::Verdict& second, Duration apart) {
  if (!may_be_missing(first)) return second;
  const Duration between = std::max(apart, Duration::zero());
  storage::Verdict verdict = second;
  if (second.health == Health::deferred) {
    verdict.reason = storage::reason::unconfirmed;
    verdict.rule = "confirmation";
    verdict.evidence = fmt::format("Dead in the first check ({}), but the second check did not take place: {}",
                                   without_full_stop(first.evidence), second.evidence);
  } else if (second.health == first.health && second.reason == first.reason) {
    verdict.evidence =
        fmt::format("{}, confirmed by a second check after {}.", without_full_stop(second.evidence), rounded(between));
    verdict.confidence = std::max(first.confidence, second.confidence);
  } else {
    verdict.evidence = fmt::format("{}; the first check, {} earlier: {}", without_full_stop(second.evidence),
                                   rounded(between), first.evidence);
  }
  return verdict;
}

storage::Verdict doubt_404(std::string evidence) {
  return {.health = Health::suspect,
          .reason = std::string(reason::doubtful_404),
          .rule = "doubtful_404",
          .evidence = std::move(evidence),
          .confidence = 0.6};
}

bool was_moved(const FetchResult& result) {
  return !result.redirects.empty() &&
         result.final_url.href_without_fragment() != result.link_url.href_without_fragment();
}

std::string answer_phrase(const FetchResult& result) {
  const std::size_t hops = result.redirects.size();
  if (hops == 0) return fmt::format("HTTP {}", result.response.status);
  const auto own = std::ranges::find_if(
      result.redirects, [](const storage::Redirect& hop) { return hop.kind != parser::RedirectKind::http; });
  return fmt::format("HTTP {} at {} after {} redirect{}{}", result.response.status, result.final_url.href(), hops,
                     hops == 1 ? "" : "s",
                     own == result.redirects.end() ? "" : fmt::format(" ({})", describe(own->kind)));
}

}  // namespace linkherd::crawler
