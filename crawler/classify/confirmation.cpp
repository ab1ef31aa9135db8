// Combines the verdicts of the two requests to a link that seems dead.
#include <fmt/format.h>

#include "crawler/classify/classify.h"

namespace linkherd::crawler {

namespace {

using storage::Health;

std::string rounded(Duration apart) {
  return format_duration(apart < std::chrono::seconds(1) ? std::chrono::round<std::chrono::milliseconds>(apart)
                                                         : Duration(std::chrono::round<std::chrono::seconds>(apart)));
}

std::string_view without_full_stop(std::string_view sentence) {
  if (sentence.ends_with('.')) sentence.remove_suffix(1);
  return sentence;
}

bool looks_gone(const storage::Verdict& verdict) {
  return verdict.health == Health::dead || verdict.health == Health::suspect;
}

}  // namespace

bool needs_confirmation(const storage::Verdict& verdict) {
  return looks_gone(verdict) && verdict.rule != "strikes";  // "strikes" is already based on several runs
}

storage::Verdict confirmed(const storage::Verdict& first, const storage::Verdict& second, Duration apart) {
  if (!looks_gone(first)) return second;
  const Duration between = std::max(apart, Duration::zero());
  storage::Verdict verdict = second;
  if (second.health == Health::deferred) {
    verdict.reason = storage::reason::unconfirmed;
    verdict.rule = "confirmation";
    verdict.evidence = fmt::format("Looked dead once ({}), but could not be looked at again: {}",
                                   without_full_stop(first.evidence), second.evidence);
  } else if (second.health == first.health && second.reason == first.reason) {
    verdict.evidence = fmt::format("{}, seen twice, {} apart.", without_full_stop(second.evidence), rounded(between));
    verdict.confidence = std::max(first.confidence, second.confidence);
  } else {
    verdict.evidence =
        fmt::format("{}; {} earlier: {}", without_full_stop(second.evidence), rounded(between), first.evidence);
  }
  return verdict;
}

}  // namespace linkherd::crawler
