// Maps failures to verdicts: the table of failures and its exceptions.
#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "crawler/classify/rules.h"

namespace linkherd::crawler {

namespace {

using storage::Health;

// "No such host: nxdomain.example." The text never begins with a foreign name, which would be capitalised.
std::string sentence(std::string_view words) {
  std::string text(words);
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') text.front() = static_cast<char>(text.front() - 32);
  if (!text.ends_with('.')) text += '.';
  return text;
}

std::string evidence_of(const FailureMeaning& meaning, const FetchResult& result) {
  std::string words(result.answer.detail.empty() ? meaning.words : std::string_view(result.answer.detail));
  if (const std::size_t hops = result.redirects.size(); hops > 0) {
    words += fmt::format(", at {} after {} redirect{}", result.final_url.href(), hops, hops == 1 ? "" : "s");
  }
  if (is_certificate_failure(result.answer.failure)) {
    const std::string_view how =
        result.answer.failure == FailureKind::tls_old_protocol ? "asked in that" : "without verification";
    words += result.answer.unverified_status == 0
                 ? fmt::format("; {}, too, no answer came", how)
                 : fmt::format("; {} the server answers HTTP {}", how, result.answer.unverified_status);
  }
  return sentence(words);
}

storage::Verdict verdict_of(const FailureMeaning& meaning, const FetchResult& result) {
  return {.health = meaning.health,
          .reason = std::string(meaning.reason),
          .rule = std::string(meaning.rule),
          .evidence = evidence_of(meaning, result),
          .confidence = 1.0};
}

// The server itself deferred this link (Retry-After), so this is its verdict. Links that were not sent are only
// deferred.
bool was_told_to_wait(const FetchResult& result) {
  return result.answer.failure == FailureKind::retry_after &&
         (result.answer.status == 429 || result.answer.status == 503);
}

// Returns true if it was answered with 429 and the time of the retry was not reached.
bool was_refused_before(const FetchResult& result) {
  return std::ranges::find(result.attempts, 429, &storage::Attempt::status) != result.attempts.end();
}

}  // namespace

std::optional<storage::Verdict> not_requested(const FetchResult& result) {
  if (result.answer.failure == FailureKind::none || was_told_to_wait(result)) return std::nullopt;
  const FailureMeaning& meaning = meaning_of(result.answer.failure);
  if (meaning.health != Health::deferred && meaning.health != Health::skipped) return std::nullopt;
  storage::Verdict verdict = verdict_of(meaning, result);
  if (result.answer.failure == FailureKind::retry_after && was_refused_before(result)) {
    verdict.health = Health::blocked;
    verdict.evidence = fmt::format("HTTP 429: too many requests. {}", verdict.evidence);
  }
  return verdict;
}

std::optional<storage::Verdict> failed(const FetchResult& result) {
  if (result.answer.failure == FailureKind::none || was_told_to_wait(result)) return std::nullopt;
  const FailureMeaning& meaning = meaning_of(result.answer.failure);
  // A status line proves that the host is alive, whatever happened to the body. Only redirects can fail after it.
  if (result.answer.status != 0 && meaning.rule != "redirects") return std::nullopt;
  return verdict_of(meaning, result);
}

}  // namespace linkherd::crawler
