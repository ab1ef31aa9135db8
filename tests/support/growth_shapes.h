// Texts that are made to cost time, built from every fragment of each format in every structure.
// `linkherd_growth_bench` measures how their time grows, and the test "growth" counts operations.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace linkherd::testing {

// A text of any length: a head, then a unit again and again, then as many closers.
struct GrowthShape {
  std::string reader;  // the name of a list format, or "metadata", "robots", "warc"
  std::string structure;
  std::string head;
  std::string unit;    // the character U+0001 stands for the number of the repetition
  std::string closer;  // empty: the units fill the text

  std::string name() const;  // "markdown: nested: [", with escapes
  std::string text(std::size_t bytes) const;
};

// `only`: of this reader alone; empty: of all.
// `pairs`: also each fragment followed by each other one, for a search by hand.
std::vector<GrowthShape> growth_shapes(std::string_view only = {}, bool pairs = false);

}  // namespace linkherd::testing
