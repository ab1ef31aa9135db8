// The anchors of footnotes, which each program that makes pages of Markdown names in its own way.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/site_generator.h"

namespace linkherd::parser {

// Returns the anchors of the footnotes of a Markdown text and of the references to them ("[^label]"): the forms of
// GitHub, and those of the generator, or of all generators if none is known. Text that only looks like a footnote may
// add some. Takes linear time and memory.
std::vector<std::string> footnote_anchors(std::string_view text, SiteGenerator generator);

}  // namespace linkherd::parser
