// Bytes of a known encoding to UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "parser/html/encodings.h"

namespace linkherd::parser {

struct Conversion {
  std::string text;        // well-formed UTF-8
  std::size_t errors = 0;  // ill-formed sequences, each replaced by U+FFFD
};

Conversion convert_to_utf8(std::string_view bytes, const Encoding& encoding);

}  // namespace linkherd::parser
