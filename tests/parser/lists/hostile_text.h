// Texts that provoke superlinear running time by repeating one unit.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/extract_links.h"

namespace linkherd::parser {

// Large enough that a quadratic reader exceeds the time limit of the test, and small enough for a linear one to be
// fast.
inline constexpr std::size_t hostile_size = 150'000;

inline std::string repeated(std::string_view unit, std::size_t bytes = hostile_size) {
  std::string text;
  text.reserve(bytes + unit.size());
  while (text.size() < bytes) text.append(unit);
  return text;
}

inline bool has_url(const std::vector<LinkOccurrence>& links, std::string_view url) {
  return std::ranges::find(links, url, &LinkOccurrence::url) != links.end();
}

}  // namespace linkherd::parser
