// Search in foreign text.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

namespace linkherd::parser {

// Where `part` comes first from `from` on. std::string_view::find is quadratic on texts like "aaaa…"; glibc's memmem is
// linear on every text.
inline std::size_t find_linear(std::string_view text, std::string_view part, std::size_t from = 0) {
  if (from > text.size() || text.size() - from < part.size()) return std::string_view::npos;
  if (part.empty()) return from;
  const void* found = ::memmem(text.data() + from, text.size() - from, part.data(), part.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

}  // namespace linkherd::parser
