// What a run has to do: every unique link of the lists, once, with all places where it is written.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "crawler/sources/source.h"
#include "parser/lists/extract_links.h"
#include "parser/url/url.h"
#include "storage/link_id.h"
#include "storage/verdict.h"

namespace linkherd::crawler {

struct PlannedLink {
  storage::LinkId id;
  std::optional<parser::Url> url;           // what to fetch: the L1 href; nothing where there is nothing to fetch, …
  std::optional<storage::Verdict> verdict;  // … and this says why
  std::vector<parser::LinkOccurrence> occurrences;
};

struct Plan {
  std::vector<PlannedLink> links;  // in the order of their first occurrence
  std::size_t occurrences = 0;
};

// Duplicates end here, before anything is queued: occurrences with the same L1 href are one link.
Plan make_plan(const std::vector<Seed>& seeds, const parser::ExtractOptions& options);

}  // namespace linkherd::crawler
