#include "parser/html/gumbo_arena.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include <sys/mman.h>

namespace linkherd::parser {
namespace {

// In front of every piece stands its size in steps; 0: it is malloc's.
constexpr std::size_t header = sizeof(std::size_t);

constexpr std::size_t largest_block = std::size_t{1} << 20;

// Asks the kernel for the pages of a block at once: one by one, as they are touched, they cost several times as much.
void populate(std::byte* begin, std::size_t size) {
  constexpr std::size_t page = 4096;
  void* first = begin;
  if (std::align(page, page, first, size) == nullptr) return;
  // A kernel that cannot do so gives them one by one.
  madvise(first, size / page * page, MADV_POPULATE_WRITE);
}

std::size_t steps_of(const std::byte* piece) {
  std::size_t steps = 0;
  std::memcpy(&steps, piece - header, header);
  return steps;
}

std::byte* with_header(std::byte* start, std::size_t steps) {
  std::memcpy(start, &steps, header);
  return start + header;
}

}  // namespace

GumboArena::~GumboArena() {
  while (large_ != nullptr) {
    Large* const next = large_->behind;
    std::free(large_);  // NOLINT(cppcoreguidelines-no-malloc): as allocate_large took it
    large_ = next;
  }
}

void* GumboArena::allocate(std::size_t size) {
  if (size > largest_small) return allocate_large(size);
  const std::size_t steps = std::max<std::size_t>((size + step - 1) / step, 1);
  if (std::byte* const piece = free_[steps]; piece != nullptr) {
    std::memcpy(&free_[steps], piece, sizeof(std::byte*));
    return piece;
  }
  const std::size_t needed = header + steps * step;
  if (static_cast<std::size_t>(end_ - at_) < needed) {
    // Small pages need little; what is more doubles up to what the kernel gives at once.
    const std::size_t block =
        std::min(std::size_t{16} << std::min<std::size_t>(blocks_.size() + 10, 16), largest_block);
    blocks_.emplace_back(new std::byte[block]);
    at_ = blocks_.back().get();
    end_ = at_ + block;
    if (block == largest_block) populate(at_, block);
  }
  std::byte* const piece = with_header(at_, steps);
  at_ += needed;
  return piece;
}

void GumboArena::release(void* memory) {
  if (memory == nullptr) return;
  auto* const piece = static_cast<std::byte*>(memory);
  const std::size_t steps = steps_of(piece);
  if (steps == 0) return release_large(piece);
  std::memcpy(piece, &free_[steps], sizeof(std::byte*));
  free_[steps] = piece;
}

void* GumboArena::allocate_large(std::size_t size) {
  void* const memory =
      std::malloc(sizeof(Large) + header + size);  // NOLINT(cppcoreguidelines-no-malloc): no constructor to run
  if (memory == nullptr) throw std::bad_alloc();
  auto* const large = new (memory) Large{nullptr, large_};
  if (large_ != nullptr) large_->before = large;
  large_ = large;
  return with_header(static_cast<std::byte*>(memory) + sizeof(Large), 0);
}

void GumboArena::release_large(std::byte* start) {
  auto* const large = reinterpret_cast<Large*>(start - header - sizeof(Large));
  if (large->behind != nullptr) large->behind->before = large->before;
  (large->before != nullptr ? large->before->behind : large_) = large->behind;
  std::free(large);  // NOLINT(cppcoreguidelines-no-malloc): as allocate_large took it
}

}  // namespace linkherd::parser
