#include "crawler/classify/classify.h"

#include <fmt/format.h>

#include "crawler/classify/page_rules.h"
#include "crawler/classify/rules.h"

namespace linkherd::crawler {

// The order of the rules matters. A link that was not requested is not judged. A bot wall decides before anything else
// in the answer, even a redirect loop. A login or not-found page overrides its status.
storage::Verdict classify(const FetchResult& result, const PageEvidence& page, const RuleSet& pages) {
  std::optional<storage::Verdict> verdict = not_requested(result);
  if (!verdict) verdict = pages.wall(result, page);
  if (!verdict) verdict = failed(result);
  if (!verdict) verdict = pages.other_page(result, page);
  if (!verdict) verdict = pages.weak_wall(result, page);
  if (!verdict) verdict = by_status(result);
  if (verdict) return *std::move(verdict);
  return {.health = storage::Health::unreachable,
          .reason = std::string(storage::reason::bad_response),
          .rule = "status",
          .evidence = fmt::format("HTTP {}: not a valid HTTP status.", result.answer.status),
          .confidence = 1.0};
}

storage::Verdict classify(const FetchResult& result, const PageEvidence& page) {
  return classify(result, page, RuleSet::built_in());
}

bool was_moved(const FetchResult& result) {
  return !result.redirects.empty() && result.final_url.href_without_fragment() != result.url.href_without_fragment();
}

std::string answer_phrase(const FetchResult& result) {
  const std::size_t hops = result.redirects.size();
  if (hops == 0) return fmt::format("HTTP {}", result.answer.status);
  return fmt::format("HTTP {} at {} after {} redirect{}", result.answer.status, result.final_url.href(), hops,
                     hops == 1 ? "" : "s");
}

}  // namespace linkherd::crawler
