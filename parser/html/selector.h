// Supports a small part of CSS selectors, for rules that are written as data:
// - "h1.title", "#post-date", "meta[itemprop=name]";
// - "[itemprop=author] meta[itemprop=name]" (descendants);
// - "[data-x^=abc]" (begins with);
// - lists with ",".
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "parser/html/html_document.h"

namespace linkherd::parser {

bool matches(HtmlElement element, std::string_view selector);

// Returns at most `limit` matching elements, in the order of `elements`. Hostile pages may have many.
std::vector<HtmlElement> select(std::span<const HtmlElement> elements, std::string_view selector,
                                std::size_t limit = 64);

}  // namespace linkherd::parser
