// Append-only storage for many short texts in little memory. Texts are never removed individually: the destructor
// frees all of them. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linkherd::parser {

// Storage whose bytes never move. Its capacity is 4 GiB; add() throws std::length_error beyond that.
class TextArena {
 public:
  using Offset = std::uint32_t;  // never UINT32_MAX

  Offset add(std::string_view text);
  // Returns the bytes from `offset` to the end of their chunk. The caller must know the length of its text.
  std::string_view from(Offset offset) const;

 private:
  struct Chunk {
    std::unique_ptr<char[]> bytes;  // NOLINT(modernize-avoid-c-arrays): uninitialised buffer, filled once
    std::uint32_t used = 0;
    std::uint32_t size = 0;
  };
  std::vector<Chunk> chunks_;
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
  std::string_view text(std::uint32_t index) const {
    return arena_.from(texts_[index].offset).substr(0, texts_[index].length);
  }
  // Adds the texts of another table. Returns their indexes in this table, in the order of `other`.
  std::vector<std::uint32_t> append(const TextTable& other);
  // Frees the memory that intern(), append() and find() need. intern() and append() must not be called afterwards.
  void free_hash_table() { slots_ = {}; }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;

  // An entry of the hash table. The stored bits of the hash avoid most comparisons of texts.
  struct Slot {
    std::uint32_t index = none;
    std::uint32_t hash = 0;
  };
  static std::uint32_t hash_of(std::string_view text);
  std::uint32_t intern(std::string_view text, std::uint32_t hash);
  // Returns the first slot with this hash for whose index `is_wanted` returns true, or else the first free slot.
  // Returns no_slot if too many probed slots are taken. `slots_` must not be empty.
  static constexpr std::size_t no_slot = SIZE_MAX;
  template <class IsWanted>
  std::size_t slot_of(std::uint32_t hash, IsWanted is_wanted) const;
  std::size_t slot_of(std::string_view text, std::uint32_t hash) const;
  void grow();

  struct Text {
    TextArena::Offset offset = 0;
    std::uint32_t length = 0;
  };
  TextArena arena_;
  std::deque<Text> texts_;   // in the order of their indexes
  std::vector<Slot> slots_;  // indexed by hash; at most two thirds full
  std::uint32_t last_ = 0;   // index of the most recently interned text
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
  void free_hash_table() { names_.free_hash_table(); }  // see TextTable::free_hash_table()

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
