// One text from several, such as "a, b, c". fmt::join does the same, but a file that uses it takes a second longer to
// compile, because it instantiates the formatter of libfmt.
#pragma once

#include <string>
#include <string_view>

namespace linkherd {

// Returns the texts of a range with `separator` between them.
template <typename Texts>
std::string join(const Texts& texts, std::string_view separator) {
  std::string out;
  bool is_first = true;
  for (const std::string_view text : texts) {
    if (!is_first) out += separator;
    is_first = false;
    out += text;
  }
  return out;
}

}  // namespace linkherd
