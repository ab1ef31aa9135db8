// Detects the encoding of bytes that have no label or a wrong label. All functions that return an Encoding return null
// if they detect none.
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

// Returns the label in <meta charset> or <meta http-equiv=content-type> in the first bytes of a page. Empty if the page
// has none. A UTF-16 label is returned as "utf-8", as in the HTML standard: the label could not have been read if the
// page were UTF-16.
std::string_view prescan_meta_charset(std::string_view bytes);

}  // namespace linkherd::parser
