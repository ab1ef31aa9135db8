// Decodes HTML character references ("&amp;", "&#x4E2D;", "&eacute;").
#pragma once

#include <string>
#include <string_view>

#include "parser/lists/mapped_text.h"

namespace linkherd::parser {

// Decodes references by the rules for HTML attribute values: "&copy;" is a reference, but "?a=1&copy=2" contains none.
std::string decode_attribute_value(std::string_view text);

// Decodes references by the rules of Markdown: only references that end in ";" count.
std::string decode_references(std::string_view text);

// Decodes references by the rules of XML: five names and the numeric references. Appends the decoded range of
// `document` to `text`.
void unescape_xml(std::string_view document, TextRange range, MappedText& text);

}  // namespace linkherd::parser
