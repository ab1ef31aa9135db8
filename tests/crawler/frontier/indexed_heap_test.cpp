#include "crawler/frontier/indexed_heap.h"

#include <algorithm>
#include <random>
#include <vector>

#include <doctest/doctest.h>

using linkherd::crawler::IndexedHeap;
using linkherd::crawler::not_in_heap;

namespace {

struct Item {
  int key = 0;
  std::size_t heap_slot = not_in_heap;
};
bool is_smaller(const Item& a, const Item& b) { return a.key < b.key; }

}  // namespace

TEST_CASE("the top of an indexed heap is always the smallest") {
  std::mt19937 random(7);  // NOLINT(*-msc51-cpp): the same numbers in every run
  std::vector<Item> items(300);
  IndexedHeap<Item, is_smaller> heap;
  std::vector<Item*> inside;
  for (int step = 0; step < 20'000; ++step) {
    Item& item = items[random() % items.size()];
    if (item.heap_slot == not_in_heap) {
      item.key = static_cast<int>(random() % 1000);
      heap.add(item);
      inside.push_back(&item);
    } else if (random() % 2 == 0) {
      item.key = static_cast<int>(random() % 1000);
      heap.update(item);
    } else {
      heap.remove(item);
      std::erase(inside, &item);
      CHECK(item.heap_slot == not_in_heap);
    }
    REQUIRE(heap.size() == inside.size());
    if (inside.empty()) continue;
    REQUIRE(heap.top().key == (*std::ranges::min_element(inside, {}, &Item::key))->key);
  }
  heap.clear();
  CHECK(heap.empty());
  CHECK(std::ranges::all_of(items, [](const Item& item) { return item.heap_slot == not_in_heap; }));
}

TEST_CASE("an indexed heap gives items out in order") {
  std::vector<Item> items;
  for (const int key : {5, 1, 4, 1, 3, 2, 9, 0}) items.push_back({.key = key});
  IndexedHeap<Item, is_smaller> heap;
  for (Item& item : items) heap.add(item);
  std::vector<int> keys;
  while (!heap.empty()) {
    Item& top = heap.top();
    heap.remove(top);
    keys.push_back(top.key);
  }
  CHECK(keys == std::vector<int>{0, 1, 1, 2, 3, 4, 5, 9});
}
