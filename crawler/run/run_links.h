// The links of a run while it is under way and afterwards: as they are planned, and what came out of each. That is kept
// in memory while it is little; of more, with a store it is read from there, and without one from a temporary file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "crawler/run/plan.h"
#include "storage/checked_links.h"
#include "storage/run.h"
#include "storage/spill_file.h"
#include "storage/store.h"

namespace linkherd::crawler {

class RunLinks final : public storage::CheckedLinks {
 public:
  // `store` may be null; it outlives this.
  RunLinks(Plan plan, const storage::Store* store);

  // To be called before anything comes out: where the store has the entries of this run.
  void belong_to(const storage::Run& run) { run_ = run; }

  std::optional<std::size_t> find(const storage::LinkId& id) const { return plan_.find(id); }

  const storage::LinkId& id(std::size_t number) const { return plan_.id(number); }
  // Whether the plan itself has the link's verdict, without a request.
  bool is_decided(std::size_t number) const { return plan_.has_verdict(number); }
  // Where to fetch it, its login included. All other members mask passwords: what they give is stored and reported.
  std::string_view href_to_fetch(std::size_t number) const { return plan_.href(number); }

  // A link as it stands before anything is known about it, without its occurrences.
  storage::CheckedLink planned(std::size_t number, const parser::LinkOccurrence* first_known = nullptr) const;
  // The same, with what earlier runs found.
  storage::CheckedLink with_record(std::size_t number) const;
  // Gives a link a verdict, without a request.
  void decide(std::size_t number, const storage::Verdict& verdict) { plan_.set_verdict(number, verdict); }
  // See Plan::split().
  std::vector<std::size_t> split(std::size_t number, const std::vector<Plan::NewLink>& into,
                                 const Plan::GoesTo& goes_to);
  // Adds links that were found during the run behind the others. Returns the numbers of all of them.
  std::vector<std::uint32_t> append(const Plan& found) { return plan_.append(found); }
  const Plan& plan() const { return plan_; }
  // What came out of a link. With a store, which has it too, only as many are kept as fit into memory: they need not be
  // read again.
  void keep(std::size_t number, storage::CheckedLink link);
  void drop(std::size_t number);  // what keep() was given
  // Nothing more comes out: only the members below are called afterwards.
  void finish() { plan_.drop_tables(); }

  // As they stand at the end of the run.
  std::size_t size() const override { return plan_.size(); }
  storage::CheckedLink at(std::size_t number) const override;
  std::vector<parser::LinkOccurrence> occurrences(std::size_t number) const override;
  using VisitPosition = std::function<bool(std::size_t position, const storage::CheckedLink& link)>;
  void for_each_of(std::span<const std::uint32_t> numbers, const VisitPosition& visit) const override;
  std::vector<parser::LinkOccurrence> first_occurrences(std::size_t number, std::size_t max_count) const;
  std::vector<storage::Look> looks(std::size_t number) const override;
  void for_each(const std::function<void(std::size_t number, const storage::CheckedLink& link)>& visit) const override;
  void for_each_first(const VisitBatch& visit) const override;

 private:
  using Occurrences = std::vector<parser::LinkOccurrence>;
  using OccurrencesOf = std::function<Occurrences(std::size_t number)>;
  using TakePosition = std::function<bool(std::size_t position, storage::CheckedLink&& link)>;

  std::string url(std::size_t number, const parser::LinkOccurrence* first_known = nullptr) const;
  std::optional<storage::CheckedLink> outcome(std::size_t number) const;
  storage::CheckedLink stored(std::size_t number, std::optional<storage::CheckedLink> outcome,
                              Occurrences occurrences) const;
  storage::CheckedLink kept(std::size_t number, Occurrences occurrences) const;
  bool is_kept(std::size_t number) const {
    return store_ == nullptr || in_memory_.contains(number) || kept_extent(number).size > 0;
  }
  storage::SpillFile::Extent kept_extent(std::size_t number) const {
    return number < kept_.size() ? kept_[number] : storage::SpillFile::Extent();
  }
  void for_each_of(std::span<const std::uint32_t> numbers, const OccurrencesOf& occurrences_of,
                   const TakePosition& take) const;
  std::unique_ptr<storage::ExcerptedLink> fine_file(std::size_t number) const;
  std::vector<std::uint32_t> all_numbers() const;

  static constexpr std::size_t max_in_memory = 10'000;

  Plan plan_;
  const storage::Store* store_;
  storage::Run run_;
  // What came out of the first `max_in_memory` links, by number.
  std::unordered_map<std::size_t, storage::CheckedLink> in_memory_;
  // Of the others, as bytes; with a store only while they are in memory.
  storage::SpillFile spilled_;
  std::vector<storage::SpillFile::Extent> kept_;  // by number, up to the last one that is kept
  bool is_memory_full_ = false;                   // with a store: no more are kept
};

}  // namespace linkherd::crawler
