// Prepares for md4c what dialects of Markdown have beyond CommonMark: comments, math, Markdown in HTML, content that is
// indented below a footnote or a definition, directives of MyST.
#pragma once

#include <string>
#include <vector>

#include "parser/lists/found_link.h"
#include "parser/lists/readers.h"

namespace linkherd::parser {

// Changes `text` without changing its length: offsets stay valid. Returns the ranges of HTML tags that were blanked
// because their content is Markdown, in the order of the text; the tags themselves may still have links and names.
// Takes linear time.
std::vector<TextRange> prepare_dialect(std::string& text, const MarkdownOptions& options);

}  // namespace linkherd::parser
