// A plan that does not fit into memory, in parts. PlanSorter takes what a Planner hands out and sorts it in a temporary
// file, so that what the lists say of a link comes together; PlanJoiner makes a Plan of that again, maybe elsewhere.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "crawler/run/plan.h"
#include "storage/link_id.h"
#include "storage/run.h"
#include "storage/spill_file.h"

namespace linkherd::crawler {

// A link, with some of its places at least.
struct LinkPart {
  storage::LinkId id;
  std::uint64_t order =
      0;                // of the link among all; late_order: what it says has come out later (crawler/run/planner.h)
  std::string href;     // empty: nothing to fetch
  std::string verdict;  // storage::encode_verdict()
  std::vector<std::string> occurrences;  // each some, storage::encode_occurrences()
};

// Takes some 100 MB of memory, however many links there are.
class PlanSorter {
 public:
  // `shard`: the others are only counted. `in_memory`: bytes of links that are sorted at once.
  explicit PlanSorter(std::optional<storage::Shard> shard, std::size_t in_memory = std::size_t{64} << 20);

  // A TakePart. Thread-safe. Throws std::runtime_error where the folder of temporary files is full.
  void add(const Plan& part, std::uint64_t order);

  bool empty() const { return index_.empty() && runs_.empty(); }

  // When all has been added: visits the links by registrable domain, each once unless it has very many places or lists
  // that disagree whether it is wanted. May be called again.
  struct Count {
    std::size_t all = 0;       // links …
    std::size_t in_shard = 0;  // … and those that are visited
  };
  Count for_each(const std::function<void(LinkPart& link)>& visit);

 private:
  struct Record;
  struct Index {
    std::uint64_t domain = 0;
    storage::LinkId id;
    std::uint64_t order = 0;
    std::uint64_t at = 0;  // also the order in which they were added

    auto operator<=>(const Index&) const = default;  // NOLINT(modernize-use-nullptr): false alarm of clang-tidy 14
  };
  struct Run {  // in the temporary file
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
  };
  class RunReader;

  void add_record(const Record& record, std::string_view href, std::string_view verdict, std::string_view occurrences);
  void write_run();

  const std::optional<storage::Shard> shard_;
  const std::size_t in_memory_;
  std::mutex mutex_;
  std::string records_;
  std::vector<Index> index_;  // of the records
  std::vector<Run> runs_;
  storage::SpillFile sorted_{std::size_t{1} << 20};
};

class PlanJoiner {
 public:
  // Parts may come in any order. They are foreign: an Error is no part.
  Result<void> add(const LinkPart& link);
  // With the links in the order of the lists. What cannot be fetched has a verdict.
  Plan finish();

 private:
  Plan plan_;
  std::vector<std::uint64_t> orders_;  // by number of the link
};

}  // namespace linkherd::crawler
