#include "crawler/classify/recheck.h"

namespace linkherd::crawler {

bool is_due(const storage::LinkRecord& record, std::string_view vantage, Timestamp now, Duration max_cache_age) {
  constexpr int sooner = 4;
  const storage::Snapshot& snapshot = record.snapshot;
  if (!page_exists(snapshot.verdict) || snapshot.vantage != vantage) return true;
  const bool has_just_moved = record.moved_at && snapshot.fetched_at - *record.moved_at < max_cache_age;
  const Duration age = now - snapshot.fetched_at;
  return age < Duration::zero() || age >= (has_just_moved ? max_cache_age / sooner : max_cache_age);
}

}  // namespace linkherd::crawler
