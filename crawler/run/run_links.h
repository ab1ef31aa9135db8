// Gives access to the links of a run, during and after it: each link as planned, and its result. The first 10,000
// results are kept in memory, because encoding and decoding them would take 5 to 15 % more CPU time. Further results
// are read from the store, or without one from a temporary file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "crawler/run/link_table.h"
#include "storage/checked_links.h"
#include "storage/link_result.h"
#include "storage/run.h"
#include "storage/run_results.h"
#include "storage/spill_file.h"
#include "storage/store.h"

namespace linkherd::crawler {

class RunLinks final : public storage::CheckedLinks {
 public:
  // `store` may be null; it must outlive this object.
  RunLinks(LinkTable table, const storage::Store* store);

  // Sets the run under which the store has the results. Must be called before the first result.
  void belong_to(const storage::Run& run) {
    if (store_ != nullptr) results_.emplace(*store_, run);
  }

  std::optional<std::size_t> find(const storage::LinkId& id) const { return table_.find(id); }

  const storage::LinkId& id(std::size_t index) const { return table_.id(index); }
  // Returns true if the table has a verdict for the link, so that no request is needed.
  bool has_verdict(std::size_t index) const { return table_.verdict(index) != nullptr; }
  // Returns the URL to fetch, with its login. All other members except table() mask passwords, because their results
  // are stored and reported.
  std::string_view href_to_fetch(std::size_t index) const { return table_.href(index); }

  // Returns the link without any result and without its occurrences. `first_known`: its first occurrence if known, else
  // null.
  storage::CheckedLink planned(std::size_t index, const parser::LinkOccurrence* first_known = nullptr) const;
  // Returns the same with the findings of earlier runs.
  storage::CheckedLink with_state(std::size_t index) const;
  // Gives a link a verdict without a request.
  void set_verdict(std::size_t index, const storage::Verdict& verdict) { table_.set_verdict(index, verdict); }
  // See LinkTable::split().
  std::vector<std::size_t> split(std::size_t index, const std::vector<LinkTable::NewLink>& into,
                                 const LinkTable::GoesTo& goes_to);
  // Appends links that were found during the run. Returns the indices of all links in `found`.
  std::vector<std::uint32_t> append(const LinkTable& found) { return table_.append(found); }
  const LinkTable& table() const { return table_; }
  // Keeps the result of a link, which is also in the store if there is one.
  void keep(std::size_t index, storage::CheckedLink link);
  // Drops all kept results, because the store may lack some of them. There must be a store.
  void drop_kept() { in_memory_.clear(); }

  // Final results. Valid after the end of the run.
  std::size_t size() const override { return table_.size(); }
  storage::CheckedLink at(std::size_t index) const override;
  std::vector<parser::LinkOccurrence> occurrences(std::size_t index) const override;
  using VisitPosition = std::function<bool(std::size_t position, const storage::CheckedLink& link)>;
  void for_each_of(std::span<const std::uint32_t> indices, const VisitPosition& visit) const override;
  std::vector<parser::LinkOccurrence> first_occurrences(std::size_t index, std::size_t max_count) const;
  std::vector<storage::CheckOutcome> checks(std::size_t index) const override;
  void for_each(const std::function<void(std::size_t index, const storage::CheckedLink& link)>& visit) const override;
  void for_each_result(const VisitResults& visit) const override;

 private:
  using Occurrences = std::vector<parser::LinkOccurrence>;
  using OccurrencesOf = std::function<Occurrences(std::size_t index)>;
  using TakePosition = std::function<bool(std::size_t position, storage::CheckedLink&& link)>;

  std::string url(std::size_t index, const parser::LinkOccurrence* first_known = nullptr) const;
  std::optional<storage::CheckedLink> kept_result(std::size_t index) const;
  bool is_kept(std::size_t index) const { return store_ == nullptr || in_memory_.contains(index); }
  bool has_kept_result(std::size_t index) const {
    return in_memory_.contains(index) || (index < extents_.size() && extents_[index].size > 0);
  }
  storage::CheckedLink stored(std::size_t index, std::optional<storage::CheckedLink> found,
                              Occurrences occurrences) const;
  storage::CheckedLink kept(std::size_t index, Occurrences occurrences) const;
  void for_each_of(std::span<const std::uint32_t> indices, const OccurrencesOf& occurrences_of,
                   const TakePosition& take) const;
  std::optional<storage::LinkResult> fine_file(std::size_t index) const;
  std::vector<std::uint32_t> all_indices() const;

  LinkTable table_;
  const storage::Store* store_;
  std::optional<storage::RunResults> results_;                       // set if there is a store
  std::unordered_map<std::size_t, storage::CheckedLink> in_memory_;  // results by index
  storage::SpillFile spilled_;                                       // further results, encoded; without a store only
  std::vector<storage::SpillFile::Extent> extents_;                  // by index; in `spilled_`
};

}  // namespace linkherd::crawler
