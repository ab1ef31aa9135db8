// The retention options of `check` and `compact`, which determine what a store removes.
#pragma once

#include <CLI/App.hpp>

#include "storage/retention.h"

namespace linkherd::crawler {

void add_retention_options(CLI::App& app, storage::Retention& retention);

// Logs what pruning could not remove.
void log_pruning(const storage::PruneResult& pruned);

}  // namespace linkherd::crawler
