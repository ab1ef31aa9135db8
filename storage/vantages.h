// Compares what several vantage points (`check --vantage`) found for one link. A site may block one of them, especially
// machines of CI services. If vantage points disagree about whether the link is dead, its state is unknown. All
// functions are pure.
#pragma once

#include <optional>
#include <vector>

#include "storage/link_state.h"
#include "storage/verdict.h"

namespace linkherd::storage {

// Returns the last check from each vantage point, sorted by name. Returns an empty list if the link was never fetched.
std::vector<VantageCheck> vantage_checks(const LinkState& state);

// Replaces the check from the same vantage point, or adds it.
void put_vantage_check(std::vector<VantageCheck>& checks, VantageCheck check);
// Merges both lists, and keeps the later check from each vantage point.
std::vector<VantageCheck> merge_vantages(std::vector<VantageCheck> checks, const std::vector<VantageCheck>& others);

// Returns the checks that disagree: some found the link dead, others found a page. Returns an empty list if they agree.
// Ignores a check that is more than 30 days older than the latest, because its vantage point may no longer be in use.
std::vector<VantageCheck> find_disagreeing(const std::vector<VantageCheck>& checks);
// Returns the verdict for a link that is dead from one vantage point and alive from another, with the findings of both
// as evidence. Returns nullopt if the checks agree.
std::optional<Verdict> verdict_on_disagreement(const std::vector<VantageCheck>& checks);

}  // namespace linkherd::storage
