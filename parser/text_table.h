// Many short texts in little memory. They are only ever added, and given up all at once.
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

// Bytes that stay where they are. Holds 4 GiB; then add() throws std::length_error.
class TextArena {
 public:
  using Offset = std::uint32_t;  // never UINT32_MAX

  Offset add(std::string_view text);
  std::string_view from(Offset offset) const;  // to the end of its chunk: what is there knows its own length

 private:
  struct Chunk {
    std::unique_ptr<char[]> bytes;  // NOLINT(modernize-avoid-c-arrays): raw room, filled once
    std::uint32_t used = 0;
    std::uint32_t size = 0;
  };
  std::vector<Chunk> chunks_;
};

// Numbers texts from 0 in the order of insertion, and keeps each once, but where very many have the same hash.
class TextTable {
 public:
  std::uint32_t intern(std::string_view text);
  // The number of a text that is there, as far as it is known.
  std::optional<std::uint32_t> find(std::string_view text) const;
  std::size_t size() const { return texts_.size(); }
  // Stays where it is.
  std::string_view text(std::uint32_t number) const {
    return arena_.from(texts_[number].offset).substr(0, texts_[number].length);
  }
  // Adds the texts of another table. Returns their numbers here, by their numbers there.
  std::vector<std::uint32_t> append(const TextTable& other);
  // Returns the memory that intern() and append() need: none of them may be called afterwards.
  void drop_slots() { slots_ = {}; }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;

  // Of a text: its number, or none, and the first bits of its hash, so that few others are compared with it.
  struct Slot {
    std::uint32_t number = none;
    std::uint32_t hash = 0;
  };
  static std::uint32_t hash_of(std::string_view text);
  std::uint32_t intern(std::string_view text, std::uint32_t hash);
  // Returns the first slot with that hash that `is_wanted`, or one that is free for it; no_slot where many others are
  // in their place. There must be slots.
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
  std::deque<Text> texts_;   // by number
  std::vector<Slot> slots_;  // by hash; at most two thirds full
  std::uint32_t last_ = 0;   // that was asked for
};

// Paths of names (a heading below a heading). A path shares its beginning with the one that was added before it.
class PathTable {
 public:
  std::uint32_t intern(const std::vector<std::string>& path);
  std::vector<std::string> path(std::uint32_t number) const;
  // Adds the paths of another table: their numbers here are higher by what this returns, except that of the empty path.
  std::uint32_t append(const PathTable& other);
  void drop_slots() { names_.drop_slots(); }  // as of a TextTable

 private:
  struct Step {
    std::uint32_t name = 0;
    std::uint32_t above = 0;  // number of the path above it
  };
  TextTable names_;
  std::deque<Step> steps_;         // the last one of each path, which has this number, from 1 on
  std::vector<std::string> last_;  // most links have the headings of the one before
  std::vector<std::uint32_t> last_numbers_;
};

}  // namespace linkherd::parser
