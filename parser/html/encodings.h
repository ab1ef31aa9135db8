// The encodings of the WHATWG Encoding Standard that linkherd reads, by their labels.
#pragma once

#include <cstdint>
#include <string_view>

namespace linkherd::parser {

enum class EncodingKind : std::uint8_t { utf8, utf16, single_byte, multi_byte };

struct Encoding {
  std::string_view name;  // lower-case WHATWG name: "gb18030", "windows-1252"
  const char* icu_name;   // the ICU converter that comes nearest to the standard's table
  EncodingKind kind;
};

// By any label ("GB2312", " latin1 ", "x-sjis"), case and surrounding space aside; null where the standard knows no
// such label.
const Encoding* find_encoding(std::string_view label);

// The label in the first bytes of a page, in <meta charset> or <meta http-equiv=content-type>; empty where there is
// none. UTF-16 there means UTF-8, as in the HTML standard: the label could not have been read otherwise.
std::string_view prescan_meta_charset(std::string_view bytes);

}  // namespace linkherd::parser
