// The options of `check` and `compact` that say what a store gives up, and how that is told.
#pragma once

#include <CLI/App.hpp>

#include "storage/retention.h"

namespace linkherd::crawler {

void add_retention_options(CLI::App& app, storage::Retention& retention);

// Logs what could not be done.
void log_pruning(const storage::PruneResult& pruned);

}  // namespace linkherd::crawler
