// Makes the plan of a run out of its lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "crawler/run/plan.h"
#include "crawler/sources/git_changes.h"
#include "crawler/sources/link_filter.h"
#include "crawler/sources/local_links.h"
#include "crawler/sources/source.h"
#include "parser/lists/extract_links.h"
#include "storage/file_names.h"

namespace linkherd::crawler {

class SiteScope;

// Takes some links of a plan, with places of theirs. `order`: of the first of them among the links of all parts; the
// others follow. A link may be in several parts. Those with `late_order` have come out later: their verdicts take the
// place of what the other parts say. Called by several threads at once.
using TakePart = std::function<void(const Plan& part, std::uint64_t order)>;
inline constexpr std::uint64_t late_order = UINT64_MAX;

struct PlanOptions {
  parser::ExtractOptions extract;
  const LinkFilter* filter = nullptr;   // null: everything is wanted
  LocalLinks* local = nullptr;          // null: links to files are not judged
  bool include_mail = false;            // judge mail addresses by their syntax
  bool offline = false;                 // nothing is fetched: links to the web are skipped
  const GitChanges* changes = nullptr;  // only what these add, move or break; null: everything
  bool web_anchors = false;             // the fragments of links to pages are judged
  storage::FileNames names = {};        // a link to a file is the same link from whichever folder it is checked
  const SiteScope* site = nullptr;      // that is crawled: the lists are its pages and sitemaps; null: none
  TakePart take_part = {};              // the plan goes there, and nothing of it is kept; not with `changes` or `site`.
                                        // Called by several threads at once
};

// The links that a change leaves as they are, in the lists of which it changes lines.
struct Unchanged {
  std::size_t links = 0;               // unique, not in the plan
  std::size_t broken = 0;              // of these: dead before, as far as that needs no request
  std::vector<std::string> outside{};  // lists without an earlier version: not in the repository
};

// Makes the plan of lists that are read one after the other. Duplicates end here, before anything is queued:
// occurrences with the same L1 href are one link, and so are those that lead to the same place of the same file.
class Planner {
 public:
  explicit Planner(const PlanOptions& options);
  ~Planner();
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;

  // Lists are planned by several threads at once, and come into the plan in the order in which they were added.
  void add(Seed list);
  // To be called once, behind all lists: links to files are judged here, because only now all anchors are known. What
  // needs no request has its verdict afterwards. `unchanged` may be null.
  Plan finish(Unchanged* unchanged = nullptr);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The plan of one list by itself, without verdicts on links to files. Thread-safe.
Plan plan_list(const Seed& list, const PlanOptions& options);

Plan make_plan(const std::vector<Seed>& seeds, const PlanOptions& options, Unchanged* unchanged = nullptr);

}  // namespace linkherd::crawler
