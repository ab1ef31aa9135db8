#include "storage/read_ahead.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

using linkherd::storage::read_ahead;
using linkherd::storage::read_in_threads;
using linkherd::storage::ReadAhead;
using linkherd::storage::sort_in_threads;

TEST_CASE("values arrive in order from another thread") {
  for (const std::size_t count : {0U, 1U, 255U, 256U, 257U, 100'000U}) {
    CAPTURE(count);
    std::thread::id maker;
    std::vector<std::size_t> used;
    read_ahead<std::size_t>(
        [&](ReadAhead<std::size_t>& to) {
          maker = std::this_thread::get_id();
          for (std::size_t i = 0; i < count; ++i) REQUIRE(to.put(i, 1));
        },
        [&used](std::size_t&& value) {
          used.push_back(value);
          return true;
        });
    CHECK(maker != std::this_thread::get_id());
    REQUIRE(used.size() == count);
    for (std::size_t i = 0; i < count; ++i) REQUIRE(used[i] == i);
  }
}

TEST_CASE("few values are read ahead and fewer if they are large") {
  for (const std::size_t weight : {1U, 1000U}) {
    std::size_t made = 0;
    std::size_t used = 0;
    read_ahead<std::size_t>(
        [&](ReadAhead<std::size_t>& to) {
          while (to.put(made, weight)) ++made;
        },
        [&used](std::size_t&& /*value*/) { return ++used < 10'000; });
    CHECK(used == 10'000);
    CHECK(made < used + (weight == 1 ? 256 * 8 : 8));  // objects in use, waiting objects, and objects in creation
  }
}

TEST_CASE("an exception reaches the caller after the values before it") {
  std::size_t used = 0;
  const auto use = [&used](std::size_t&& /*value*/) {
    ++used;
    return true;
  };
  const auto make_some = [](ReadAhead<std::size_t>& to) {
    for (std::size_t i = 0; i < 1000; ++i) to.put(i, 1);
    throw std::runtime_error("cannot be read");
  };
  CHECK_THROWS_WITH(read_ahead<std::size_t>(make_some, use), "cannot be read");
  CHECK(used == 1000);

  bool was_stopped = false;
  const auto make_many = [&was_stopped](ReadAhead<std::size_t>& to) {
    while (to.put(0, 1)) {
    }
    was_stopped = true;
  };
  const auto fail = [](std::size_t&& value) -> bool { throw std::runtime_error(value == 0 ? "cannot be used" : "?"); };
  CHECK_THROWS_WITH(read_ahead<std::size_t>(make_many, fail), "cannot be used");
  CHECK(was_stopped);
}

TEST_CASE("each part is read once in another thread and all threads end on an exception") {
  constexpr std::size_t parts = 40;
  std::vector<std::thread::id> readers(parts);
  std::vector<int> times(parts);
  read_in_threads(parts, [&](std::size_t part) {
    readers[part] = std::this_thread::get_id();
    ++times[part];
  });
  CHECK(std::ranges::count(times, 1) == parts);
  CHECK(std::ranges::find(readers, std::this_thread::get_id()) == readers.end());

  std::atomic<std::size_t> ended = 0;
  const auto fail_at_first = [&ended](std::size_t part) {
    if (part == 0) throw std::runtime_error("no");
    ++ended;
  };
  CHECK_THROWS_WITH(read_in_threads(parts, fail_at_first), "no");
  CHECK(ended < parts);
  read_in_threads(0, fail_at_first);
}

TEST_CASE("any number of values is sorted in threads") {
  std::mt19937_64 random(3);
  for (const std::size_t count : {0U, 1U, 2U, 3U, 5U, 1000U, 10'007U}) {
    CAPTURE(count);
    std::vector<std::size_t> values(count);
    for (std::size_t& value : values) value = random() % 1000;
    std::vector<std::size_t> expected = values;
    std::ranges::sort(expected);
    sort_in_threads(values);
    CHECK(values == expected);
    sort_in_threads(values, std::greater<>());
    CHECK(std::ranges::equal(values.rbegin(), values.rend(), expected.begin(), expected.end()));
  }
}
