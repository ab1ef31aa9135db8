// The encoding of bytes that carry no label, or a label that cannot be right.
#pragma once

#include <string_view>

#include "parser/html/encodings.h"

namespace linkherd::parser {

// UTF-16 without byte order mark, by where its NUL bytes fall; null where the bytes are not that.
const Encoding* detect_utf16(std::string_view bytes);

// An East Asian encoding by which the bytes decode without error into common characters: strong evidence, stronger than
// a label. Null where there is none. `declared` (may be null) is preferred where two fit about equally well.
const Encoding* detect_east_asian(std::string_view bytes, const Encoding* declared);

// uchardet's opinion; null where it has none.
const Encoding* detect_statistically(std::string_view bytes);

// The label in the first bytes of a page, in <meta charset> or <meta http-equiv=content-type>; empty where there is
// none. UTF-16 there means UTF-8, as in the HTML standard: the label could not have been read otherwise.
std::string_view prescan_meta_charset(std::string_view bytes);

}  // namespace linkherd::parser
