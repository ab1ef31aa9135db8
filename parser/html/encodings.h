// The supported encodings of the WHATWG Encoding Standard, their labels, and the conversion to UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace linkherd::parser {

enum class EncodingKind : std::uint8_t { utf8, utf16, single_byte, multi_byte };

struct Encoding {
  std::string_view name;  // lower-case WHATWG name: "gb18030", "windows-1252"
  const char* icu_name;   // the ICU converter closest to the table of the standard
  EncodingKind kind;
};

// Finds an encoding by any of its labels ("GB2312", " latin1 ", "x-sjis"). Ignores case and surrounding space. Returns
// null if the standard has no such label.
const Encoding* find_encoding(std::string_view label);

struct Conversion {
  std::string text;        // well-formed UTF-8
  std::size_t errors = 0;  // ill-formed sequences, each replaced by U+FFFD
};

Conversion convert_to_utf8(std::string_view bytes, const Encoding& encoding);

// Returns the offsets in `bytes` of the characters that begin at `offsets` of the converted text. `offsets` must be in
// ascending order; the size of the converted text is a valid offset. The result ends early at the first offset that is
// not the beginning of a character. Does not support UTF-8.
std::vector<std::size_t> source_offsets(std::string_view bytes, const Encoding& encoding,
                                        const std::vector<std::size_t>& offsets);

}  // namespace linkherd::parser
