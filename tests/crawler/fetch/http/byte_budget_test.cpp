#include "crawler/fetch/http/byte_budget.h"

#include <atomic>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

using linkherd::crawler::ByteBudget;

static_assert(!std::is_copy_constructible_v<ByteBudget::Lease>);
static_assert(std::is_nothrow_move_constructible_v<ByteBudget::Lease>);
static_assert(std::is_nothrow_move_assignable_v<ByteBudget::Lease>);

TEST_CASE("a budget is used up by the bytes of its leases") {
  ByteBudget budget(100);
  CHECK_FALSE(budget.exhausted());
  {
    ByteBudget::Lease a(budget);
    ByteBudget::Lease b(budget);
    a.resize(60);
    CHECK(budget.used() == 60);
    CHECK_FALSE(budget.exhausted());
    b.resize(50);  // bodies in transfer may exceed the budget
    CHECK(budget.used() == 110);
    CHECK(budget.exhausted());
    a.resize(10);
    CHECK(budget.used() == 60);
    CHECK(a.bytes() == 10);
    CHECK_FALSE(budget.exhausted());
  }
  CHECK(budget.used() == 0);
}

TEST_CASE("a moved lease keeps its bytes and releases what the target held") {
  ByteBudget budget(100);
  ByteBudget::Lease a(budget);
  a.resize(30);
  ByteBudget::Lease b(std::move(a));
  CHECK(budget.used() == 30);
  CHECK(b.bytes() == 30);
  ByteBudget::Lease c(budget);
  c.resize(50);
  b = std::move(c);
  CHECK(b.bytes() == 50);
  CHECK(budget.used() == 50);  // the 30 bytes are released at once
  ByteBudget::Lease& self = b;
  b = std::move(self);
  CHECK(budget.used() == 50);
  b = ByteBudget::Lease();
  CHECK(budget.used() == 0);
  ByteBudget::Lease none;
  none.resize(1000);
  CHECK(none.bytes() == 0);
  CHECK(budget.used() == 0);
}

TEST_CASE("a budget of zero still lets one body through") {
  ByteBudget budget(0);
  CHECK_FALSE(budget.exhausted());
  ByteBudget::Lease lease(budget);
  lease.resize(1);
  CHECK(budget.exhausted());
}

TEST_CASE("leases of many threads add up") {
  ByteBudget budget(1U << 20U);
  std::atomic<bool> overflowed = false;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&budget, &overflowed, t] {
      for (std::size_t i = 0; i < 5000; ++i) {
        ByteBudget::Lease lease(budget);
        lease.resize(i % 97 + t);
        lease.resize(i % 13);
        ByteBudget::Lease other(std::move(lease));
        if (budget.used() > std::size_t{4} * 200) overflowed = true;  // also detects negative values, which would wrap
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_FALSE(overflowed);
  CHECK(budget.used() == 0);
}
