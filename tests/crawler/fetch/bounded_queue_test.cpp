#include "crawler/fetch/bounded_queue.h"

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

using linkherd::crawler::BoundedQueue;
using namespace std::chrono_literals;

TEST_CASE("a queue returns items in insertion order") {
  BoundedQueue<int> queue(3);
  for (int i = 1; i <= 3; ++i) {
    int item = i;
    CHECK(queue.push(item));
  }
  for (int i = 1; i <= 3; ++i) CHECK(queue.pop() == i);
  CHECK_FALSE(queue.pop_for(1ms).has_value());
}

TEST_CASE("a full or closed queue leaves the item with its owner") {
  BoundedQueue<std::unique_ptr<int>> queue(1);
  auto first = std::make_unique<int>(1);
  auto second = std::make_unique<int>(2);
  CHECK(queue.try_push(first));
  CHECK(first == nullptr);
  CHECK_FALSE(queue.try_push(second));
  REQUIRE(second != nullptr);
  CHECK(*second == 2);
  queue.close();
  CHECK(queue.closed());
  CHECK_FALSE(queue.push(second));
  CHECK_FALSE(queue.try_push(second));
  REQUIRE(second != nullptr);
  const auto inside = queue.pop();  // queued items can still be taken
  REQUIRE(inside.has_value());
  CHECK(**inside == 1);
  CHECK_FALSE(queue.pop().has_value());
  CHECK_FALSE(queue.pop_for(1h).has_value());  // returns at once, because nothing can arrive
}

TEST_CASE("a batch push adds as many items as fit") {
  BoundedQueue<int> queue(3);
  std::deque<int> items{1, 2, 3, 4, 5};
  queue.try_push_some(items);
  CHECK(items == std::deque<int>{4, 5});
  queue.try_push_some(items);
  CHECK(items == std::deque<int>{4, 5});
  CHECK(queue.pop() == 1);
  queue.try_push_some(items);
  CHECK(items == std::deque<int>{5});
  queue.close();
  for (int i = 2; i <= 4; ++i) CHECK(queue.pop() == i);
  queue.try_push_some(items);
  CHECK(items == std::deque<int>{5});
}

TEST_CASE("a batch push wakes every waiting consumer") {
  BoundedQueue<int> queue(10);
  std::atomic<int> sum = 0;
  std::vector<std::thread> consumers;
  for (int i = 0; i < 3; ++i) {
    consumers.emplace_back([&] { sum += queue.pop().value_or(0); });
  }
  std::this_thread::sleep_for(20ms);
  std::deque<int> items{1, 10, 100};
  queue.try_push_some(items);
  for (std::thread& consumer : consumers) consumer.join();
  CHECK(sum == 111);
}

TEST_CASE("a producer waits for room and a consumer for items") {
  BoundedQueue<int> queue(1);
  std::atomic<int> pushed = 0;
  std::thread producer([&] {
    for (int i = 0; i < 5; ++i) {
      int item = i;
      if (queue.push(item)) ++pushed;
    }
  });
  std::this_thread::sleep_for(20ms);
  CHECK(pushed <= 1);
  for (int i = 0; i < 5; ++i) CHECK(queue.pop_for(10s) == i);
  producer.join();
  CHECK(pushed == 5);
}

TEST_CASE("closing wakes all waiting threads") {
  BoundedQueue<int> full(1);
  BoundedQueue<int> empty(1);
  int item = 0;
  REQUIRE(full.push(item));
  std::atomic<int> refused = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      int mine = 1;
      if (!full.push(mine)) ++refused;
    });
    threads.emplace_back([&] {
      if (!empty.pop()) ++refused;
    });
    threads.emplace_back([&] {
      if (!empty.pop_for(1h)) ++refused;
    });
  }
  std::this_thread::sleep_for(10ms);
  full.close();
  empty.close();
  for (std::thread& thread : threads) thread.join();
  CHECK(refused == 9);
}

TEST_CASE("many producers and consumers neither lose nor invent items") {
  constexpr int producers = 4;
  constexpr int items_each = 5000;
  BoundedQueue<int> queue(16);
  std::atomic<long> sum = 0;
  std::atomic<int> count = 0;
  std::vector<std::thread> consumers;
  consumers.reserve(3);
  for (int t = 0; t < 3; ++t) {
    consumers.emplace_back([&queue, &sum, &count, t] {
      while (true) {
        const std::optional<int> item = t == 0 ? queue.pop_for(50ms) : queue.pop();
        if (!item && queue.closed()) return;
        if (!item) continue;
        sum += *item;
        ++count;
      }
    });
  }
  std::vector<std::thread> makers;
  makers.reserve(producers);
  for (int t = 0; t < producers; ++t) {
    makers.emplace_back([&queue, t] {
      for (int i = 0; i < items_each; ++i) {
        int item = t * items_each + i;
        while (t == 0 && !queue.try_push(item)) std::this_thread::yield();
        if (t != 0) queue.push(item);
      }
    });
  }
  for (std::thread& maker : makers) maker.join();
  queue.close();
  for (std::thread& consumer : consumers) consumer.join();
  constexpr long n = static_cast<long>(producers) * items_each;
  CHECK(count == n);
  CHECK(sum == n * (n - 1) / 2);
}
