#include "reports/location_reader.h"

#include <map>
#include <string>

#include <doctest/doctest.h>

using namespace linkherd;
using namespace linkherd::reports;

namespace {

// Links with a given number of occurrences. Counts how often a whole link is read.
class CountedLinks final : public storage::CheckedLinks {
 public:
  explicit CountedLinks(std::size_t count) : places_(count) {}

  std::size_t size() const override { return 2; }
  storage::CheckedLink at(std::size_t /*number*/) const override { return {}; }
  std::vector<parser::LinkOccurrence> occurrences(std::size_t number) const override {
    ++reads[number];
    std::vector<parser::LinkOccurrence> all(places_);
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].file = "list" + std::to_string(number) + ".md";
      all[i].url = "https://a.example/";
      all[i].line = static_cast<std::uint32_t>(i + 1);
    }
    return all;
  }
  void for_each(const std::function<void(std::size_t, const storage::CheckedLink&)>& /*visit*/) const override {}

  mutable std::map<std::size_t, int> reads;

 private:
  std::size_t places_;
};

}  // namespace

TEST_CASE("links with very many occurrences are read once each") {
  constexpr std::size_t count = 50'000;
  const CountedLinks links(count);
  LocationReader reader(links);
  for (std::size_t i = 0; i < count; ++i) {
    for (const std::size_t link : {std::size_t{0}, std::size_t{1}}) {
      const EntryLocation& location = reader.location({link, i});
      REQUIRE(location.line == i + 1);
      REQUIRE(location.file == (link == 0 ? "list0.md" : "list1.md"));
    }
  }
  CHECK(links.reads == std::map<std::size_t, int>{{0, 1}, {1, 1}});
}

TEST_CASE("a missing occurrence has an empty location") {
  const CountedLinks links(3);
  LocationReader reader(links);
  CHECK(reader.location({0, 3}).file.empty());
}
