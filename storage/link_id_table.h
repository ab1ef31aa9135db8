// Numbers for link ids, from 0 on in the order in which they are added: a hash table of some 30 bytes an id.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "storage/link_id.h"

namespace linkherd::storage {

class LinkIdTable {
 public:
  std::size_t size() const { return ids_.size(); }
  const LinkId& id(std::size_t number) const { return ids_[number]; }

  std::optional<std::size_t> find(const LinkId& id) const;
  // Its number, and whether it is a new one. Throws std::length_error above four thousand million ids.
  struct Added {
    std::size_t number = 0;
    bool is_new = false;
  };
  Added add(const LinkId& id);

 private:
  static constexpr std::uint32_t none = UINT32_MAX;

  std::size_t slot_of(const LinkId& id) const;
  void grow();

  std::deque<LinkId> ids_;
  std::vector<std::uint32_t> slots_;  // numbers, half full at most
};

}  // namespace linkherd::storage
