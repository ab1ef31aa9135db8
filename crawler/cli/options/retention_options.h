// The options for what a store removes.
#pragma once

#include "storage/retention.h"

namespace linkherd::crawler {

// Returns the default of --bodies, which is none in CI.
storage::KeptBodies default_bodies();

// Logs what pruning could not remove.
void log_pruning(const storage::PruneResult& pruned);

}  // namespace linkherd::crawler
