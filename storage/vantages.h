// What several vantages (`check --vantage`) found of one link. A site may wall off one of them, above all machines of
// CI services: where they disagree about the link's death, it is unknown. Pure functions.
#pragma once

#include <optional>
#include <vector>

#include "storage/link_record.h"
#include "storage/verdict.h"

namespace linkherd::storage {

// The last look of each vantage, sorted by name; empty if the link was never fetched.
std::vector<VantageLook> vantage_looks(const LinkRecord& record);

// Replaces the look of that vantage.
void put_vantage_look(std::vector<VantageLook>& looks, VantageLook look);
// The later look of each vantage.
std::vector<VantageLook> joined(std::vector<VantageLook> looks, const std::vector<VantageLook>& others);

// The looks that disagree: some of death, some of a page that is there; none where they agree. A look that is 30 days
// older than the latest says nothing: its vantage may have been given up.
std::vector<VantageLook> in_dispute(const std::vector<VantageLook>& looks);
// The verdict on a link that is dead from one vantage and there from another, with what both say; nullopt where they
// agree.
std::optional<Verdict> disagreement(const std::vector<VantageLook>& looks);

}  // namespace linkherd::storage
