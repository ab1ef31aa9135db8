// The links of a run as reports see them: one at a time, because a run of a million links is never in memory as a
// whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "parser/lists/link_occurrence.h"
#include "storage/link_id.h"
#include "storage/run.h"

namespace linkherd::storage {

class CheckedLinks {
 public:
  virtual ~CheckedLinks() = default;

  // Links have numbers, from 0 on, in the order of their first occurrence in the lists.
  virtual std::size_t size() const = 0;
  virtual CheckedLink at(std::size_t number) const = 0;
  // Those of at(number), without reading its record.
  virtual std::vector<parser::LinkOccurrence> occurrences(std::size_t number) const = 0;
  // Visits each link once, in the order that is cheapest: the numbers may come in any order.
  virtual void for_each(const std::function<void(std::size_t number, const CheckedLink& link)>& visit) const = 0;

 protected:
  CheckedLinks() = default;
  CheckedLinks(const CheckedLinks&) = default;
  CheckedLinks& operator=(const CheckedLinks&) = default;
};

class Store;

// The links of a run in a store, in the order of the lists; the store keeps them by id.
class StoredLinks final : public CheckedLinks {
 public:
  // Reads the places of all links. `store` outlives this and is not written to meanwhile.
  StoredLinks(const Store& store, Run run);

  std::size_t size() const override { return order_.size(); }
  CheckedLink at(std::size_t number) const override;
  std::vector<parser::LinkOccurrence> occurrences(std::size_t number) const override;
  void for_each(const std::function<void(std::size_t number, const CheckedLink& link)>& visit) const override;

 private:
  const Store& store_;
  Run run_;
  std::vector<LinkId> order_;                              // by number
  std::vector<std::pair<LinkId, std::uint32_t>> numbers_;  // by id
};

}  // namespace linkherd::storage
