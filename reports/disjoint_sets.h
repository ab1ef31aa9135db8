// A disjoint-set forest (union-find) over the numbers 0 to n-1; n must be less than 2^32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace linkherd::reports {

class DisjointSets {
 public:
  explicit DisjointSets(std::size_t size) : parent_(size), size_(size, 1) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }

  std::size_t find(std::size_t element) {
    while (parent_[element] != element) {
      parent_[element] = parent_[parent_[element]];  // path halving
      element = parent_[element];
    }
    return element;
  }

  // Joins the sets of `a` and `b`, and returns the new root.
  std::size_t join(std::size_t a, std::size_t b) {
    a = find(a);
    b = find(b);
    if (a == b) return a;
    if (size_[a] < size_[b]) std::swap(a, b);
    parent_[b] = static_cast<std::uint32_t>(a);
    size_[a] += size_[b];
    return a;
  }

 private:
  std::vector<std::uint32_t> parent_;
  std::vector<std::uint32_t> size_;
};

}  // namespace linkherd::reports
