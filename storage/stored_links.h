// The links of a run that is in a store, in the order of the lists, though the store keeps them by id.
#pragma once

#include <cstdint>
#include <utility>

#include "storage/checked_links.h"
#include "storage/link_id.h"
#include "storage/store.h"

namespace linkherd::storage {

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
