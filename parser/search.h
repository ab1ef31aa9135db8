// Substring search with linear time on hostile text.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

namespace linkherd::parser {

// Returns the offset of the first `part` at or after `from`, or npos. std::string_view::find is quadratic on texts
// like "aaaa…"; memmem of glibc is always linear.
inline std::size_t find_linear(std::string_view text, std::string_view part, std::size_t from = 0) {
  if (from > text.size() || text.size() - from < part.size()) return std::string_view::npos;
  if (part.empty()) return from;
  const void* found = ::memmem(text.data() + from, text.size() - from, part.data(), part.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

}  // namespace linkherd::parser
