// Files that list mostly the same links: translations of one list, or copies. Named once, instead of link by link.
#pragma once

#include <cstddef>
#include <vector>

namespace linkherd::reports {

// That `page` (any number that stands for one page, whatever its spelling) is listed in the file of that rank.
struct Listing {
  std::size_t page = 0;
  std::size_t file = 0;

  bool operator==(const Listing&) const = default;
};

// For each file the smallest rank in its family: two files are parallel if they share more than half of the pages of
// each, and at least `fewest_shared`, for fewer are quickly listed. What is parallel to the same file is one family.
inline constexpr std::size_t fewest_shared = 10;
std::vector<std::size_t> parallel_families(std::vector<Listing> listings, std::size_t files);

}  // namespace linkherd::reports
