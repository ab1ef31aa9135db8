// What a failure means for a link: the table of failures, and the exceptions to it.
#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "crawler/classify/rules.h"

namespace linkherd::crawler {

namespace {

using storage::Health;

// "No such host: nxdomain.example." The words never begin with a name from outside: it would get a capital letter.
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
    words += result.answer.unverified_status == 0
                 ? "; without verification, too, no answer came"
                 : fmt::format("; without verification the server answers HTTP {}", result.answer.unverified_status);
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

std::optional<storage::Verdict> not_our_turn(const FetchResult& result) {
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
  // A status line means that the host lives, whatever happened to the body; only a chain can fail behind one.
  if (result.answer.status != 0 && meaning.rule != "redirects") return std::nullopt;
  return verdict_of(meaning, result);
}

}  // namespace linkherd::crawler
