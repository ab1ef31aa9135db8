// Texts that provoke superlinear running time: every fragment of a format in every structure. `linkherd_growth_bench`
// measures how the running time grows with the length of each text. The test "growth" counts operations instead.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace linkherd::testing {

// Describes a text of any length: a head, then a repeated unit, then the closer once per unit.
struct GrowthShape {
  std::string reader;  // the name of a list format, or "dialects", "metadata", "configuration", "robots", "warc"
  std::string structure;
  std::string head;
  std::string unit;    // U+0001 is replaced with the index of the repetition
  std::string closer;  // if empty, the units fill the text

  std::string name() const;  // "markdown: nested: [", with escapes
  std::string text(std::size_t bytes) const;
};

// Returns the shapes of the reader `only`, or of all readers if it is empty. With `pairs`, adds every fragment followed
// by every other one; that is for a manual search.
std::vector<GrowthShape> growth_shapes(std::string_view only = {}, bool pairs = false);

}  // namespace linkherd::testing
