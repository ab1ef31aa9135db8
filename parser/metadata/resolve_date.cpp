#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "parser/metadata/resolve.h"

namespace linkherd::parser {
namespace {

using Dated = Candidate<WrittenDate>;

std::chrono::sys_days day_of(const WrittenDate& date) {
  using namespace std::chrono;
  return sys_days(year(date.year) / month(static_cast<unsigned>(date.month)) / day(static_cast<unsigned>(date.day)));
}

// Whether a moment in UTC may have been that day where the page was written.
bool is_same_moment_elsewhere(const WrittenDate& utc, const WrittenDate& local) {
  if (!utc.has_time() || utc.offset != 0 || !local.has_day() || local.offset == 0) return false;
  const auto days = (day_of(local) - day_of(utc)).count();
  if (local.has_time()) {
    // Zones differ by quarters of an hour.
    const bool same_seconds = utc.second < 0 || local.second < 0 || utc.second == local.second;
    if (!same_seconds || (utc.minute - local.minute) % 15 != 0) return false;
  }
  return (days == -1 && utc.hour < 12) || (days == 1 && utc.hour >= 12);
}

// Publishing systems write UTC into the head, and the day as their readers have it into the page and its address.
Dated* local_day_of(Dated& best, CandidateList<WrittenDate>& dates) {
  constexpr double least = 0.45;
  Dated* local = nullptr;
  for (Dated& other : dates) {
    const bool seen = other.source == "text" || other.source == "url" || other.source == "time";
    if (seen && other.value.same_day(best.value) && other.value.offset != 0) return nullptr;
    if (other.trust < least || !is_same_moment_elsewhere(best.value, other.value)) continue;
    if (local == nullptr || other.trust > local->trust) local = &other;
  }
  return local;
}

}  // namespace

std::optional<Field<std::string>> resolve_date(CandidateList<WrittenDate>& dates) {
  // A day gains from every source that names it as well.
  constexpr double agreement = 0.05;
  Dated* best = nullptr;
  double best_trust = 0.0;
  for (Dated& candidate : dates) {
    double trust = candidate.trust - (candidate.value.has_day() ? 0.0 : 0.4);
    std::vector<std::string_view> sources{candidate.source};
    for (const auto& other : dates) {
      const bool counts = other.trust >= 0.3 && std::ranges::find(sources, other.source) == sources.end();
      if (!counts || !other.value.same_day(candidate.value)) continue;
      sources.push_back(other.source);
      trust += agreement;
    }
    if (best == nullptr || trust > best_trust) {
      best = &candidate;
      best_trust = trust;
    }
  }
  if (best == nullptr) return std::nullopt;
  if (Dated* local = local_day_of(*best, dates); local != nullptr) {
    best->verdict = "the same moment in UTC; the page itself has the local day";
    best = local;
  }
  for (Dated& candidate : dates) {
    if (!candidate.verdict.empty()) continue;
    if (!candidate.value.has_day() && best->value.has_day())
      candidate.verdict = "less precise than the choice";
    else if (candidate.value.same_day(best->value))
      candidate.verdict = "agrees with the choice";
  }
  best->verdict = chosen;
  return Field<std::string>{to_iso8601(best->value), best->source, std::clamp(best_trust, 0.05, 1.0)};
}

}  // namespace linkherd::parser
