#include "crawler/cli/options/retention_options.h"

#include <string>

#include <spdlog/spdlog.h>

#include "crawler/cli/process.h"

namespace linkherd::crawler {

storage::KeptBodies default_bodies() {
  const std::string value = environment_variable("CI");  // set by CI systems, most of them to true
  const bool is_in_ci = !value.empty() && value != "false" && value != "0";
  return is_in_ci ? storage::KeptBodies::none : storage::Retention().bodies;
}

void log_pruning(const storage::PruneResult& pruned) {
  if (!pruned.is_complete)
    spdlog::info("the store has more old data: the next run or `linkherd store compact` removes it");
  if (!pruned.is_small_enough) {
    spdlog::warn("the store exceeds --max-store-size, but no other run can be removed");
  }
}

}  // namespace linkherd::crawler
