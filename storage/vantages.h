// Compares what several vantage points (`check --vantage`) found for one link. A site may block one of them, especially
// machines of CI services. If vantage points disagree about whether the link is dead, its state is unknown. All
// functions are pure.
#pragma once

#include <optional>
#include <vector>

#include "storage/link_record.h"
#include "storage/verdict.h"

namespace linkherd::storage {

// Returns the last check from each vantage point, sorted by name. Returns an empty list if the link was never fetched.
std::vector<VantageLook> vantage_looks(const LinkRecord& record);

// Replaces the check from the same vantage point, or adds it.
void put_vantage_look(std::vector<VantageLook>& looks, VantageLook look);
// Merges both lists, and keeps the later check from each vantage point.
std::vector<VantageLook> joined(std::vector<VantageLook> looks, const std::vector<VantageLook>& others);

// Returns the checks that disagree: some found the link dead, others found a page. Returns an empty list if they agree.
// Ignores a check that is more than 30 days older than the latest, because its vantage point may no longer be in use.
std::vector<VantageLook> in_dispute(const std::vector<VantageLook>& looks);
// Returns the verdict for a link that is dead from one vantage point and alive from another, with the findings of both
// as evidence. Returns nullopt if the checks agree.
std::optional<Verdict> disagreement(const std::vector<VantageLook>& looks);

}  // namespace linkherd::storage
