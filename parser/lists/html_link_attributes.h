// Which attributes of which HTML elements hold URLs, and where in their values those stand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

enum class ValueForm : std::uint8_t {
  url,
  urls,     // separated by spaces
  srcset,   // "a.png 1x, b.png 2x"
  refresh,  // "5; url=…"
  page,     // HTML, escaped once
};

struct LinkAttribute {
  std::string_view element;  // "*": any
  std::string_view attribute;
  LinkElement kind;
  ValueForm form = ValueForm::url;
};

std::span<const LinkAttribute> link_attributes();

// The value's place without white space around it.
TextRange trimmed(std::string_view text, TextRange place);

// The places of its URLs, by the standard's rules.
std::vector<TextRange> srcset_urls(std::string_view text, TextRange place);
std::vector<TextRange> separated_urls(std::string_view text, TextRange place);

// "5; url='https://…'": the place of its URL; nothing where it only says when to load again.
std::optional<TextRange> refresh_url(std::string_view text, TextRange place);

}  // namespace linkherd::parser
