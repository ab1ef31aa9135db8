// Append-only storage for many short texts. Texts are never removed individually: the destructor frees all of them. Not
// thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace linkherd::parser {

// Storage for texts that never move.
class TextArena {
 public:
  // Copies a text. The returned view is valid as long as the arena, which may be moved.
  std::string_view add(std::string_view text);

 private:
  std::vector<std::unique_ptr<char[]>> chunks_;  // NOLINT(modernize-avoid-c-arrays): uninitialised, filled once
  std::size_t chunk_bytes_ = 0;                  // size of the last chunk
  std::size_t used_ = 0;                         // bytes of the last chunk
};

// A hash table of indices, with which a container finds its values. If very many values have the same hash, which
// hostile input may cause, some are not found, because the number of probes is limited.
class HashIndex {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;

  // Returns the index of the value with this hash for which `is_same(index)` returns true, or none.
  template <class IsSame>
  std::uint32_t find(std::uint32_t hash, IsSame is_same) const {
    if (slots_.empty()) return none;
    const std::size_t slot = slot_of(hash, is_same);
    return slot == no_slot ? none : slots_[slot].index;
  }
  // Does the same, but adds `index` if there is no such value, and returns it. Indices are added in ascending order
  // from 0. Throws std::length_error for more than four billion.
  template <class IsSame>
  std::uint32_t find_or_add(std::uint32_t hash, std::size_t index, IsSame is_same) {
    if (index >= none) throw std::length_error("more than four billion values");
    if ((index + 1) * 3 > slots_.size() * 2) grow();
    const std::size_t slot = slot_of(hash, is_same);
    if (slot != no_slot && slots_[slot].index != none) return slots_[slot].index;
    const auto added = static_cast<std::uint32_t>(index);
    if (slot != no_slot) slots_[slot] = {added, hash};
    return added;
  }
  // Loads the slot of a hash into the cache of the processor. A caller that adds many values otherwise mostly waits for
  // memory.
  void prefetch(std::uint32_t hash) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]);
  }

 private:
  static constexpr std::size_t no_slot = SIZE_MAX;

  // The stored hash avoids most comparisons of values.
  struct Slot {
    std::uint32_t index = none;
    std::uint32_t hash = 0;
  };
  // Returns the slot of the value, or else the first free slot, or no_slot if too many probed slots are taken. Probing
  // is triangular, because linear probing clusters the taken slots.
  template <class IsSame>
  std::size_t slot_of(std::uint32_t hash, IsSame is_same) const {
    constexpr std::size_t max_probes = 128;
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = hash & mask, probe = 1; probe <= max_probes; at = (at + probe++) & mask) {
      if (slots_[at].index == none || (slots_[at].hash == hash && is_same(slots_[at].index))) return at;
    }
    return no_slot;
  }
  void grow();

  std::vector<Slot> slots_;  // at most two thirds full; their number is a power of two
};

// Interns texts: stores each text once and numbers them from 0 in the order of insertion. If very many texts have the
// same hash, some may be stored more than once.
class TextTable {
 public:
  std::uint32_t intern(std::string_view text);
  // Returns the index of a stored text, or nullopt. May miss a text if very many texts have the same hash.
  std::optional<std::uint32_t> find(std::string_view text) const;
  std::size_t size() const { return texts_.size(); }
  // The view is valid as long as the table.
  std::string_view text(std::uint32_t index) const { return texts_[index]; }
  // Adds the texts of another table. Returns their indexes in this table, in the order of `other`.
  std::vector<std::uint32_t> append(const TextTable& other);

 private:
  static std::uint32_t hash_of(std::string_view text);
  std::uint32_t intern(std::string_view text, std::uint32_t hash);

  TextArena arena_;
  std::deque<std::string_view> texts_;  // in the order of their indexes
  HashIndex index_;
  std::uint32_t last_ = 0;  // index of the most recently interned text
};

// Interns paths of names, such as a heading and the headings above it. Ids start at 1; 0 is the empty path. A path
// shares its common beginning with the path that was added before it.
class PathTable {
 public:
  std::uint32_t intern(const std::vector<std::string>& path);
  std::vector<std::string> path(std::uint32_t id) const;
  // Adds the paths of another table. Returns the difference between their ids in this table and in `other`. The
  // empty path keeps the id 0.
  std::uint32_t append(const PathTable& other);

 private:
  struct Node {
    std::uint32_t name = 0;
    std::uint32_t parent = 0;  // id of the path without this name
  };
  TextTable names_;
  std::deque<Node> nodes_;         // the last name of each path; path N is at index N - 1
  std::vector<std::string> last_;  // the previous path, because most links repeat the headings of the previous link
  std::vector<std::uint32_t> last_ids_;
};

}  // namespace linkherd::parser
