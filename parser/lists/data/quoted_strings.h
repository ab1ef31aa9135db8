// Decodes the escapes of quoted strings in JSON, YAML, TOML and CSV.
#pragma once

#include <cstdint>
#include <string_view>

#include "parser/lists/mapped_text.h"

namespace linkherd::parser {

enum class QuoteStyle : std::uint8_t {
  json,         // "\/", "\u4E2D", surrogate pairs
  toml,         // "\U0001F600", a backslash before a line break
  yaml,         // like toml, also "\x41", "\N"; line breaks are spaces
  yaml_single,  // 'it''s'
  csv,          // "say ""a"""
  literal,      // no escapes
};

// Appends the decoded content of `range`, which excludes the quotes, to `text`. A lone surrogate becomes U+FFFD. An
// invalid escape is kept.
void unescape_quoted(std::string_view document, TextRange range, QuoteStyle style, MappedText& text);

}  // namespace linkherd::parser
