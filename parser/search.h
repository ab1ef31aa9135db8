// Substring search in linear time, even on hostile text.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

namespace linkherd::parser {

// Returns the offset of the first occurrence of `part` at or after `from`, or npos. std::string_view::find takes
// quadratic time on texts like "aaaa…"; glibc's memmem is always linear.
inline std::size_t find_linear(std::string_view text, std::string_view part, std::size_t from = 0) {
  if (from > text.size() || text.size() - from < part.size()) return std::string_view::npos;
  if (part.empty()) return from;
  const void* found = ::memmem(text.data() + from, text.size() - from, part.data(), part.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

}  // namespace linkherd::parser
