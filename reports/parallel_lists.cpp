#include "reports/parallel_lists.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>

#include "reports/disjoint_sets.h"

namespace linkherd::reports {
namespace {

// A page in many files is compared with so many next files only. That keeps the work linear, and files of one family
// that have a page are next to each other in its list unless many others have it too.
constexpr std::size_t next_files = 8;

}  // namespace

std::vector<std::size_t> parallel_families(std::vector<Listing> listings, std::size_t files) {
  std::ranges::sort(listings, {}, [](const Listing& listing) { return std::pair(listing.page, listing.file); });
  listings.erase(std::unique(listings.begin(), listings.end()), listings.end());

  std::vector<std::size_t> pages(files, 0);
  std::unordered_map<std::uint64_t, std::size_t> shared;  // by the ranks of two files
  for (std::size_t i = 0; i < listings.size(); ++i) {
    ++pages[listings[i].file];
    for (std::size_t j = i + 1; j < listings.size() && j <= i + next_files && listings[j].page == listings[i].page;
         ++j) {
      ++shared[std::uint64_t{listings[i].file} << 32U | listings[j].file];
    }
  }

  DisjointSets families(files);
  for (const auto& [both, number] : shared) {
    const std::size_t a = both >> 32U;
    const std::size_t b = both & std::numeric_limits<std::uint32_t>::max();
    if (number >= fewest_shared && number * 2 > pages[a] && number * 2 > pages[b]) families.join(a, b);
  }
  std::vector<std::size_t> smallest(files, files);
  std::vector<std::size_t> family(files);
  for (std::size_t file = 0; file < files; ++file) {
    std::size_t& first = smallest[families.find(file)];
    first = std::min(first, file);
    family[file] = first;
  }
  return family;
}

}  // namespace linkherd::reports
