// What every report is made from, whether it comes from a run that has just ended or from the store.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "parser/timestamp.h"
#include "reports/duplicates.h"
#include "reports/harvested.h"
#include "reports/sections.h"
#include "reports/summary.h"
#include "storage/checked_links.h"
#include "storage/run.h"

namespace linkherd::reports {

// A host that decided how long the run took: `links` of them, one an `interval`.
struct PaceBound {
  std::string host;
  std::size_t links = 0;
  Duration interval{};

  Duration at_least() const { return interval * static_cast<Duration::rep>(links); }
};

// What all links together tell.
struct Overview {
  Summary summary;
  HarvestFigures harvested;
  Sections sections;
};

struct Report {
  storage::Run run;
  const storage::CheckedLinks* links = nullptr;  // they outlive the report
  Overview overview;
  std::vector<DuplicateGroup> duplicates;
  std::optional<Duration> elapsed;  // nothing where the report is from the store
  std::vector<PaceBound> pace;      // the slowest first
  std::string store;                // its path; empty: no store
};

// Looks at every link once, and fills in `links`, `overview` and `duplicates`; the rest is the caller's. `rules`: a
// user's tracking rules beside our own; may be null.
Report report_on(const storage::CheckedLinks& links, DuplicateScope scope, const parser::TrackingRules* rules);

}  // namespace linkherd::reports
