// Recognizes titles that say nothing about the page: those of start pages, redirects and walls against programs.
#pragma once

#include <string_view>

#include "parser/html/html_document.h"

namespace linkherd::parser {

// Returns true for a title that a site or a program writes to every page. Words that may also be the subject of an
// article, such as "Captcha", count only if the page has little text.
bool is_generic_title(std::string_view title, const HtmlDocument& document);

}  // namespace linkherd::parser
