// The memory of one tree of gumbo: taken in blocks, and all given back at once. What gumbo frees on the way is used
// again, so that a tree needs no more of it than with malloc.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace linkherd::parser {

class GumboArena {
 public:
  GumboArena() = default;
  ~GumboArena();
  GumboArena(const GumboArena&) = delete;
  GumboArena& operator=(const GumboArena&) = delete;

  // Aligned for everything that gumbo keeps: pointers and sizes. Throws std::bad_alloc.
  void* allocate(std::size_t size);
  void release(void* memory);

 private:
  struct Large {
    Large* before;
    Large* behind;
  };
  // Sizes in steps of eight bytes; what is larger than the last is malloc's.
  static constexpr std::size_t step = 8;
  static constexpr std::size_t largest_small = 1024;

  void* allocate_large(std::size_t size);
  void release_large(std::byte* start);

  std::vector<std::unique_ptr<std::byte[]>> blocks_;  // NOLINT(modernize-avoid-c-arrays): the size is not constant
  std::byte* at_ = nullptr;                           // what is left of the last block
  std::byte* end_ = nullptr;
  std::array<std::byte*, largest_small / step + 1> free_{};  // by size: a list through the free pieces themselves
  Large* large_ = nullptr;
};

}  // namespace linkherd::parser
