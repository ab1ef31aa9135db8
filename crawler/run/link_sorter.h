// Splits a link table that does not fit into memory into parts, and joins them again. LinkSorter receives the parts of
// a LinkTableBuilder and sorts them in a temporary file, so that everything known about a link is in one place.
// LinkJoiner makes a LinkTable from its output, possibly in another process.
//
// Records are sorted by registrable domain, link ID, order and time of addition. For example, /a.md and /b.md both link
// to https://example.org/x, and the link's part of /a.md has order 3, that of /b.md order 17. for_each() visits the
// link once, as a LinkPart with order 3 and the occurrences of both files. Records that fill the memory limit are
// sorted and written as one run of the file; for_each() merges all runs (external merge sort).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "crawler/run/link_table.h"
#include "storage/link_id.h"
#include "storage/run.h"
#include "storage/spill_file.h"

namespace linkherd::crawler {

// A link with at least some of its occurrences.
struct LinkPart {
  storage::LinkId id;
  // position of the link among all links; late_order: its verdict replaces the others
  // (crawler/run/link_table_builder.h)
  std::uint64_t order = 0;
  std::string href;                      // empty: nothing to fetch
  std::string verdict;                   // format: storage::encode_verdict()
  std::vector<std::string> occurrences;  // blocks of occurrences; format: storage::encode_occurrences()
};

// Uses about 100 MB of memory, regardless of the number of links.
class LinkSorter {
 public:
  // `shard`: links of other shards are counted but not stored. `in_memory`: bytes of links that are sorted at once.
  explicit LinkSorter(std::optional<storage::Shard> shard, std::size_t in_memory = std::size_t{64} << 20);

  // Has the signature of TakePart. Thread-safe. Throws std::runtime_error if the folder of temporary files is full.
  void add(const LinkTable& part, std::uint64_t order);

  bool empty() const { return index_.empty() && runs_.empty(); }

  // Visits the links by registrable domain, after everything has been added. A link is visited once, unless it has very
  // many occurrences or input documents disagree on whether to check it. May be called again.
  struct Count {
    std::size_t all = 0;       // all links
    std::size_t in_shard = 0;  // links that are visited
  };
  Count for_each(const std::function<void(LinkPart& link)>& visit);

 private:
  struct Record;
  struct Index {
    std::uint64_t domain = 0;
    storage::LinkId id;
    std::uint64_t order = 0;
    std::uint64_t at = 0;  // offset in `records_`; also gives the order of addition

    auto operator<=>(const Index&) const = default;  // NOLINT(modernize-use-nullptr): false alarm of clang-tidy 14
  };
  struct Run {  // a sorted range of the temporary file
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
  std::vector<Index> index_;  // of the records in memory
  std::vector<Run> runs_;
  storage::SpillFile sorted_{std::size_t{1} << 20};
};

class LinkJoiner {
 public:
  // Adds a part; parts may come in any order. They are untrusted input: returns an Error if `link` is malformed.
  Result<void> add(const LinkPart& link);
  // Returns the table with the links in the order of the input documents. Links that cannot be fetched have a verdict.
  LinkTable finish();

 private:
  LinkTable table_;
  std::vector<std::uint64_t> orders_;  // by index of the link
};

}  // namespace linkherd::crawler
