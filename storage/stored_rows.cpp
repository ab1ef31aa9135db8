#include "storage/stored_rows.h"

#include <string>

#include "storage/key_layout.h"
#include "storage/stored_values.h"

namespace linkherd::storage {
namespace {

void visit_rows(const KeyValueStore& store, bool given_up, const std::function<bool(Run run)>& visit) {
  const KeyValueStore::View view(store);
  // The record of a run may be lost although its entries exist: then the run before it is the latest.
  for (std::uint64_t number = last_run_number(store); number > 0; --number) {
    const std::optional<std::string> stored = view.get(Family::run, run_key(number));
    if (!stored || is_given_up_run(*stored) != given_up) continue;
    if (!visit(expect(store, "run", {}, decode_run(*stored)))) return;
  }
}

}  // namespace

std::uint64_t last_run_number(const KeyValueStore& store) {
  const std::optional<std::string> last = KeyValueStore::View(store).last_key(Family::run);
  return last ? run_number_of_key(*last) : 0;
}

void visit_runs(const KeyValueStore& store, const std::function<bool(Run run)>& visit) {
  visit_rows(store, false, visit);
}

void visit_given_up_runs(const KeyValueStore& store, const std::function<bool(Run run)>& visit) {
  visit_rows(store, true, visit);
}

}  // namespace linkherd::storage
