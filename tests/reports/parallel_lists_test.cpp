#include "reports/parallel_lists.h"

#include <vector>

#include <doctest/doctest.h>

using namespace linkherd::reports;
using Families = std::vector<std::size_t>;

namespace {

// Pages `first` to `first + number - 1` in `file`.
std::vector<Listing> listed(std::size_t file, std::size_t first, std::size_t number) {
  std::vector<Listing> listings;
  for (std::size_t page = first; page < first + number; ++page) listings.push_back({page, file});
  return listings;
}

std::vector<Listing> operator+(std::vector<Listing> some, const std::vector<Listing>& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

}  // namespace

TEST_CASE("files are parallel where more than half of each is shared") {
  CHECK(parallel_families(listed(0, 0, 20) + listed(1, 0, 20), 2) == Families{0, 0});
  CHECK(parallel_families(listed(0, 0, 20) + listed(1, 9, 20), 2) == Families{0, 0});   // 11 of 20
  CHECK(parallel_families(listed(0, 0, 20) + listed(1, 10, 20), 2) == Families{0, 1});  // exactly half
  CHECK(parallel_families(listed(0, 0, 12) + listed(1, 0, 40), 2) == Families{0, 1});   // a part of a bigger list
  CHECK(parallel_families({}, 0).empty());
}

TEST_CASE("few shared pages make no parallel lists") {
  CHECK(parallel_families(listed(0, 0, 9) + listed(1, 0, 9), 2) == Families{0, 1});
  CHECK(parallel_families(listed(0, 0, 10) + listed(1, 0, 10), 2) == Families{0, 0});
}

TEST_CASE("a page that is listed twice in a file counts once") {
  CHECK(parallel_families(listed(0, 0, 6) + listed(0, 0, 6) + listed(1, 0, 6) + listed(1, 0, 6), 2) == Families{0, 1});
}

TEST_CASE("forty translations are one family and a list between them is none of it") {
  std::vector<Listing> listings;
  for (std::size_t file = 0; file < 40; ++file) {
    listings = file == 20 ? listings + listed(file, 0, 5) + listed(file, 1000, 30) : listings + listed(file, 0, 50);
  }
  const Families families = parallel_families(listings, 40);
  for (std::size_t file = 0; file < 40; ++file) CHECK(families[file] == (file == 20 ? 20 : 0));
}

TEST_CASE("a page in very many files costs no square") {
  const std::size_t files = 50000;
  std::vector<Listing> listings;
  for (std::size_t file = 0; file < files; ++file) {
    listings.push_back({0, file});
    listings.push_back({1 + file, file});
  }
  const Families families = parallel_families(listings, files);
  CHECK(families.back() == files - 1);
}
