#include "crawler/classify/recheck.h"

namespace linkherd::crawler {

bool is_due(const storage::LinkState& state, std::string_view vantage, Timestamp now, Duration max_cache_age) {
  constexpr int sooner = 4;
  const storage::Snapshot& snapshot = state.snapshot;
  if (!page_exists(snapshot.verdict) || snapshot.vantage != vantage) return true;
  const bool has_just_moved = state.moved_at && snapshot.fetched_at - *state.moved_at < max_cache_age;
  const Duration age = now - snapshot.fetched_at;
  return age < Duration::zero() || age >= (has_just_moved ? max_cache_age / sooner : max_cache_age);
}

}  // namespace linkherd::crawler
