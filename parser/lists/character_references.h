// HTML character references ("&amp;", "&#x4E2D;", "&eacute;") to the characters they stand for.
#pragma once

#include <string>
#include <string_view>

#include "parser/lists/mapped_text.h"

namespace linkherd::parser {

// As HTML reads an attribute's value: "&copy;" is one, "?a=1&copy=2" holds none.
std::string decode_attribute_value(std::string_view text);

// As Markdown reads them anywhere: only those that end in ";".
std::string decode_references(std::string_view text);

// As XML reads them: its five names and the numeric ones. Adds what the range of the list says to `text`.
void unescape_xml(std::string_view list, TextRange range, MappedText& text);

}  // namespace linkherd::parser
