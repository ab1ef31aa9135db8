// Gives access to the links of a run, during and after it: each link as planned, and its result.
//
// Results are kept in three tiers, so that memory stays bounded:
// - The first 10 000 results are objects in memory (`in_memory_`).
// - Further results are encoded in `spilled_`: in memory first, then in a temporary file. With a store, they stay in
//   memory only.
// - With a store, the remaining results are not kept. They are read from the store on demand, by run and link ID.
//
// For example, a run with a store records 50 000 results in the order of their indices. Those below 10 000 are objects,
// and those below 30 000 fit into the buffer of 16 MiB. at(40'000) reads from the store. Without a store, at(40'000)
// reads the temporary file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "crawler/run/plan.h"
#include "storage/checked_links.h"
#include "storage/link_result.h"
#include "storage/run.h"
#include "storage/spill_file.h"
#include "storage/store.h"

namespace linkherd::crawler {

class RunLinks final : public storage::CheckedLinks {
 public:
  // `store` may be null; it must outlive this object.
  RunLinks(Plan plan, const storage::Store* store);

  // Sets the run under which the store has the results. Must be called before the first result.
  void belong_to(const storage::Run& run) { run_ = run; }

  std::optional<std::size_t> find(const storage::LinkId& id) const { return plan_.find(id); }

  const storage::LinkId& id(std::size_t index) const { return plan_.id(index); }
  // Returns true if the plan has a verdict for the link, so that no request is needed.
  bool is_decided(std::size_t index) const { return plan_.has_verdict(index); }
  // Returns the URL to fetch, with its login. All other members mask passwords, because their results are stored and
  // reported.
  std::string_view href_to_fetch(std::size_t index) const { return plan_.href(index); }

  // Returns the link without any result and without its occurrences. `first_known`: its first occurrence if known, else
  // null.
  storage::CheckedLink planned(std::size_t index, const parser::LinkOccurrence* first_known = nullptr) const;
  // Returns the same with the findings of earlier runs.
  storage::CheckedLink with_record(std::size_t index) const;
  // Gives a link a verdict without a request.
  void decide(std::size_t index, const storage::Verdict& verdict) { plan_.set_verdict(index, verdict); }
  // See Plan::split().
  std::vector<std::size_t> split(std::size_t index, const std::vector<Plan::NewLink>& into,
                                 const Plan::GoesTo& goes_to);
  // Appends links that were found during the run. Returns the indices of all links in `found`.
  std::vector<std::uint32_t> append(const Plan& found) { return plan_.append(found); }
  const Plan& plan() const { return plan_; }
  // Keeps the result of a link. With a store, which has the result too, only as many are kept as fit into memory; these
  // need not be read again.
  void keep(std::size_t index, storage::CheckedLink link);
  void drop(std::size_t index);  // forgets a result passed to keep()
  // Call after the last result. Afterwards only the members below may be called.
  void finish() { plan_.drop_tables(); }

  // Final results. Valid after the end of the run.
  std::size_t size() const override { return plan_.size(); }
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
  std::optional<storage::CheckedLink> outcome(std::size_t index) const;
  storage::CheckedLink stored(std::size_t index, std::optional<storage::CheckedLink> outcome,
                              Occurrences occurrences) const;
  storage::CheckedLink kept(std::size_t index, Occurrences occurrences) const;
  bool is_kept(std::size_t index) const {
    return store_ == nullptr || in_memory_.contains(index) || kept_extent(index).size > 0;
  }
  storage::SpillFile::Extent kept_extent(std::size_t index) const {
    return index < kept_.size() ? kept_[index] : storage::SpillFile::Extent();
  }
  void for_each_of(std::span<const std::uint32_t> indices, const OccurrencesOf& occurrences_of,
                   const TakePosition& take) const;
  std::optional<storage::LinkResult> fine_file(std::size_t index) const;
  std::vector<std::uint32_t> all_indices() const;

  static constexpr std::size_t max_in_memory = 10'000;

  Plan plan_;
  const storage::Store* store_;
  storage::Run run_;
  // By index: the first `max_in_memory` results.
  std::unordered_map<std::size_t, storage::CheckedLink> in_memory_;
  // Further results, encoded. With a store, only as many as fit into memory.
  storage::SpillFile spilled_;
  std::vector<storage::SpillFile::Extent> kept_;  // by index, up to the last kept result
  bool is_memory_full_ = false;                   // with a store: no further results are kept
};

}  // namespace linkherd::crawler
