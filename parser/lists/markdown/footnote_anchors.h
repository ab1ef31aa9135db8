// Computes the anchors of footnotes. Each program that generates pages from Markdown names them differently.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/site_generator.h"

namespace linkherd::parser {

// Returns the anchors of the footnotes in a Markdown text and of the references to them ("[^label]"). Anchors are
// returned in the form of GitHub and in the form of `generator`, or in the forms of all generators if none is known.
// Text that only resembles a footnote may add anchors. Takes linear time and memory.
std::vector<std::string> find_footnote_anchors(std::string_view text, SiteGenerator generator);

}  // namespace linkherd::parser
