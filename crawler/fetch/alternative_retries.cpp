#include "crawler/fetch/alternative_retries.h"

namespace linkherd::crawler {

namespace {

constexpr int max_failed_alternatives = 3;  // unsuccessful requests per host with other headers or another HTTP version

}  // namespace

bool AlternativeRetries::has_helped(Alternative alternative, const std::string& origin) const {
  return known(alternative, origin).has_helped;
}

bool AlternativeRetries::may_try(Alternative alternative, const std::string& origin) const {
  const Count count = known(alternative, origin);
  return count.has_helped || count.failed < max_failed_alternatives;
}

void AlternativeRetries::note_success(Alternative alternative, const std::string& origin) {
  Count& count = count_of(alternative, origin);
  --count.failed;
  count.has_helped = true;
}

AlternativeRetries::Count AlternativeRetries::known(Alternative alternative, const std::string& origin) const {
  const CountByOrigin& counts = alternative == Alternative::browser ? as_browser_ : in_other_version_;
  const auto found = counts.find(origin);
  return found == counts.end() ? Count{} : found->second;
}

AlternativeRetries::Count& AlternativeRetries::count_of(Alternative alternative, const std::string& origin) {
  return (alternative == Alternative::browser ? as_browser_ : in_other_version_)[origin];
}

}  // namespace linkherd::crawler
