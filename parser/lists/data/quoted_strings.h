// Strings in quotes, as JSON, YAML and TOML have them, with their escapes undone.
#pragma once

#include <cstdint>
#include <string_view>

#include "parser/lists/mapped_text.h"

namespace linkherd::parser {

enum class QuoteStyle : std::uint8_t {
  json,         // "\/", "\u4E2D", pairs of surrogates
  toml,         // "\U0001F600", a backslash in front of a line break
  yaml,         // "\x41", "\N", too; line breaks are spaces
  yaml_single,  // 'it''s'
  csv,          // "say ""a"""
  literal,      // nothing
};

// What stands at `range`, without the quotes around it, added to `text`. A lone surrogate becomes U+FFFD; what is no
// escape stays as it is.
void unescape_quoted(std::string_view list, TextRange range, QuoteStyle style, MappedText& text);

}  // namespace linkherd::parser
