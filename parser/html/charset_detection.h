// Detects the encoding of bytes that have no label or a wrong label. All functions return null if they find nothing.
#pragma once

#include <string_view>

#include "parser/html/encodings.h"

namespace linkherd::parser {

// Detects UTF-16 without a byte order mark by the positions of its NUL bytes.
const Encoding* detect_utf16(std::string_view bytes);

// Returns the East Asian encoding by which the bytes decode without errors into common characters. This is stronger
// evidence than a label. `declared` (may be null) is preferred if two encodings fit about equally well.
const Encoding* detect_east_asian(std::string_view bytes, const Encoding* declared);

// Returns the encoding that uchardet detects.
const Encoding* detect_statistically(std::string_view bytes);

// Returns the label in <meta charset> or <meta http-equiv=content-type> in the first bytes of a page, or an empty
// text. A label of UTF-16 means UTF-8, as in the HTML standard: it could not have been read otherwise.
std::string_view prescan_meta_charset(std::string_view bytes);

}  // namespace linkherd::parser
