// What a run has to do: every unique link of the lists, once, with all places where it is written.
#pragma once

#include <cstddef>
#include <vector>

#include "crawler/run/packed_links.h"
#include "crawler/sources/link_filter.h"
#include "crawler/sources/local_links.h"
#include "crawler/sources/source.h"
#include "parser/lists/extract_links.h"

namespace linkherd::crawler {

struct Plan {
  PackedLinks links;  // in the order of their first occurrence
  std::size_t occurrences = 0;
};

struct PlanOptions {
  parser::ExtractOptions extract;
  const LinkFilter* filter = nullptr;  // null: everything is wanted
  LocalLinks* local = nullptr;         // null: links to files are not judged
  bool include_mail = false;           // judge mail addresses by their syntax
  bool offline = false;                // nothing is fetched: links to the web are skipped
};

// Duplicates end here, before anything is queued: occurrences with the same L1 href are one link, and so are those that
// lead to the same place of the same file. What needs no request has its verdict when this returns.
Plan make_plan(const std::vector<Seed>& seeds, const PlanOptions& options);

}  // namespace linkherd::crawler
