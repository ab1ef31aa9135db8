// Reads the links of a run for reports, one at a time or in batches, because a million links do not fit in memory.
//
// A link has two orders. Its number is its position in list order: the link whose first occurrence comes first is
// number 0. Its id is a hash, and the store sorts its rows by id. Reading in ascending order of ids is therefore much
// faster than reading in list order.
//
// Example: a list has https://a.example/ in line 1, https://b.example/ in line 2 and https://a.example/ again in
// line 3.
//   number 0   https://a.example/   occurrences in lines 1 and 3   id 7c…
//   number 1   https://b.example/   occurrence in line 2           id 05…
// for_each() may visit number 1 before number 0, because 05… sorts before 7c…. at(0) always returns https://a.example/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "parser/lists/link_occurrence.h"
#include "parser/timestamp.h"
#include "storage/link_history.h"
#include "storage/link_id.h"
#include "storage/link_result.h"
#include "storage/run.h"
#include "storage/run_results.h"

namespace linkherd::storage {

// Sorts links by id, the order in which a store reads them fastest.
struct LinksById {
  // Calls `id_of` once for each number.
  LinksById(std::span<const std::uint32_t> numbers, const std::function<LinkId(std::uint32_t number)>& id_of);

  std::vector<LinkId> ids;
  std::vector<std::size_t> positions;  // positions[i] is the index of ids[i] in `numbers`
};

// The result of a link together with its number.
using NumberedResult = std::pair<std::size_t, LinkResult>;

class CheckedLinks {
 public:
  virtual ~CheckedLinks() = default;

  // The number of links. Valid numbers are 0 to size() - 1, in the order of the links' first occurrences in the lists.
  virtual std::size_t size() const = 0;
  virtual CheckedLink at(std::size_t number) const = 0;
  // Returns the occurrences of at(number) without reading its state.
  virtual std::vector<parser::LinkOccurrence> occurrences(std::size_t number) const = 0;
  // Visits the links with these numbers in the cheapest order, until `visit` returns false. `position` is the index of
  // the link's number in `numbers`.
  virtual void for_each_of(std::span<const std::uint32_t> numbers,
                           const std::function<bool(std::size_t position, const CheckedLink& link)>& visit) const;
  // Returns the last checks of a link until the end of the run, oldest first, at most 32. Returns an empty list if
  // there is no store.
  virtual std::vector<CheckOutcome> checks(std::size_t /*number*/) const { return {}; }
  // Visits each link once, in the cheapest order, which may differ from the order of the numbers.
  virtual void for_each(const std::function<void(std::size_t number, const CheckedLink& link)>& visit) const = 0;
  // Visits the result of each link once, in batches that may come from several threads at once. To save work, some
  // results lack occurrences:
  //
  // - A fine link with one occurrence has none, but its first occurrence has the position (LinkResult::first).
  // - A link that was not fetched may have only the first of its occurrences. The navigation of a site repeats links on
  //   each page, and reports show few of these occurrences.
  using VisitResults = std::function<void(std::span<const NumberedResult> batch)>;
  virtual void for_each_result(const VisitResults& visit) const;

 protected:
  CheckedLinks() = default;
  CheckedLinks(const CheckedLinks&) = default;
  CheckedLinks& operator=(const CheckedLinks&) = default;
};

// Collects results into batches for VisitResults. Each visiting thread has its own.
class ResultBatch {
 public:
  explicit ResultBatch(const CheckedLinks::VisitResults& visit) : visit_(visit) {}
  void add(std::size_t number, LinkResult result);
  void hand_over();  // passes the pending results to the visitor; call it once more at the end

 private:
  const CheckedLinks::VisitResults& visit_;
  std::vector<NumberedResult> batch_;
  std::size_t occurrence_count_ = 0;
};

// The links that occur in certain files, with only their occurrences in these files.
class LinksOfFiles final : public CheckedLinks {
 public:
  // Reads all links once to find the wanted ones. `all` must outlive this object.
  LinksOfFiles(const CheckedLinks& all, const std::function<bool(const std::string& file)>& is_wanted);

  std::size_t size() const override { return numbers_.size(); }
  CheckedLink at(std::size_t number) const override;
  std::vector<parser::LinkOccurrence> occurrences(std::size_t number) const override;
  void for_each_of(std::span<const std::uint32_t> numbers,
                   const std::function<bool(std::size_t position, const CheckedLink& link)>& visit) const override;
  std::vector<CheckOutcome> checks(std::size_t number) const override;
  void for_each(const std::function<void(std::size_t number, const CheckedLink& link)>& visit) const override;

 private:
  void keep_wanted(std::vector<parser::LinkOccurrence>& occurrences) const;
  CheckedLink with_wanted_occurrences(CheckedLink link) const;

  const CheckedLinks& all_;
  std::unordered_map<std::string, bool> files_;  // file -> whether it is wanted, for every file in `all_`
  std::vector<std::uint32_t> numbers_;           // numbers of the wanted links in `all_`
};

class Store;

// The links of a run in a store. The store sorts them by id; this class adds their list order.
class StoredLinks final : public CheckedLinks {
 public:
  // Reads the results of the run and keeps them in memory, without occurrences. `store` must outlive this object, and
  // nobody may write to it during that time.
  StoredLinks(const Store& store, const Run& run);

  std::size_t size() const override { return order_.size(); }
  CheckedLink at(std::size_t number) const override;
  std::vector<parser::LinkOccurrence> occurrences(std::size_t number) const override;
  void for_each_of(std::span<const std::uint32_t> numbers,
                   const std::function<bool(std::size_t position, const CheckedLink& link)>& visit) const override;
  std::vector<CheckOutcome> checks(std::size_t number) const override;
  void for_each(const std::function<void(std::size_t number, const CheckedLink& link)>& visit) const override;
  void for_each_result(const VisitResults& visit) const override;

 private:
  const LinkId& id(std::size_t number) const { return results_[order_[number]].second.id; }
  std::size_t visit_batch(std::size_t first, std::size_t end, const VisitResults& visit) const;

  LinkHistory history_;
  RunResults stored_;
  std::optional<Timestamp> finished_at_;  // of the run
  std::vector<NumberedResult> results_;   // sorted by id
  std::vector<std::uint32_t> order_;      // by number: index in results_
};

}  // namespace linkherd::storage
