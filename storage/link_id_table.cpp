#include "storage/link_id_table.h"

#include <algorithm>
#include <stdexcept>

namespace linkherd::storage {

// An id is a cryptographic hash: nobody can choose links whose ids crowd in one place.
std::size_t LinkIdTable::slot_of(const LinkId& id) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = std::hash<LinkId>()(id) & mask;
  while (slots_[slot] != none && ids_[slots_[slot]] != id) slot = (slot + 1) & mask;
  return slot;
}

void LinkIdTable::grow() {
  constexpr std::size_t fewest = 64;
  slots_.assign(std::max(fewest, slots_.size() * 2), none);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t i = 0; i < ids_.size(); ++i) {  // no two are alike: any free slot will do
    std::size_t slot = std::hash<LinkId>()(ids_[i]) & mask;
    while (slots_[slot] != none) slot = (slot + 1) & mask;
    slots_[slot] = i;
  }
}

std::optional<std::size_t> LinkIdTable::find(const LinkId& id) const {
  if (slots_.empty()) return std::nullopt;
  const std::uint32_t number = slots_[slot_of(id)];
  if (number == none) return std::nullopt;
  return number;
}

LinkIdTable::Added LinkIdTable::add(const LinkId& id) {
  if ((ids_.size() + 1) * 2 > slots_.size()) grow();
  std::uint32_t& slot = slots_[slot_of(id)];
  if (slot != none) return {slot, false};
  if (ids_.size() >= none) throw std::length_error("more than four thousand million links");
  slot = static_cast<std::uint32_t>(ids_.size());
  ids_.push_back(id);
  return {slot, true};
}

}  // namespace linkherd::storage
