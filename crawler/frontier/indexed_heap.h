// A binary min-heap of pointers whose elements store their own position. Moving or removing any element takes O(log n),
// and the heap never holds stale entries. `T` has a member `std::size_t heap_slot`. An element is in at most one heap
// at a time and must outlive its membership.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace linkherd::crawler {

inline constexpr std::size_t not_in_heap = static_cast<std::size_t>(-1);

template <class T, bool (*is_before)(const T&, const T&)>
class IndexedHeap {
 public:
  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }
  T& top() const { return *items_.front(); }

  void add(T& item) {
    items_.push_back(&item);
    sift_up(items_.size() - 1);
  }

  void remove(T& item) {
    const std::size_t slot = item.heap_slot;
    T* const last = items_.back();
    items_.pop_back();
    item.heap_slot = not_in_heap;
    if (last == &item) return;
    put(slot, last);
    update(*last);
  }

  // Restores the heap order after the key of `item` has changed.
  void update(T& item) {
    sift_up(item.heap_slot);
    sift_down(item.heap_slot);
  }

  void clear() {
    for (T* item : items_) item->heap_slot = not_in_heap;
    items_.clear();
  }

 private:
  void put(std::size_t slot, T* item) {
    items_[slot] = item;
    item->heap_slot = slot;
  }

  void sift_up(std::size_t slot) {
    T* const item = items_[slot];
    while (slot > 0) {
      const std::size_t parent = (slot - 1) / 2;
      if (!is_before(*item, *items_[parent])) break;
      put(slot, items_[parent]);
      slot = parent;
    }
    put(slot, item);
  }

  void sift_down(std::size_t slot) {
    T* const item = items_[slot];
    for (std::size_t child = 2 * slot + 1; child < items_.size(); child = 2 * slot + 1) {
      if (child + 1 < items_.size() && is_before(*items_[child + 1], *items_[child])) ++child;
      if (!is_before(*items_[child], *item)) break;
      put(slot, items_[child]);
      slot = child;
    }
    put(slot, item);
  }

  std::vector<T*> items_;
};

}  // namespace linkherd::crawler
