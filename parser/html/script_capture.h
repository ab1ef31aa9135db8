// What the guard keeps of the scripts of a page: those that hold data.
#pragma once

#include <string_view>

#include "parser/html/guard.h"
#include "parser/html/html_tag.h"

namespace linkherd::parser {

// Adds an inline script, `text`, to those captured, as long as the limits have room for it.
void capture_script(const HtmlTag& tag, std::string_view text, const GuardLimits& limits, GuardedHtml& out);

}  // namespace linkherd::parser
