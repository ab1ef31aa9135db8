// Prepares the extensions of Markdown dialects for md4c, which knows only CommonMark and GFM. The extensions are
// comments, math, Markdown in HTML, indented content below a footnote or a definition, and directives of MyST.
#pragma once

#include <string>
#include <vector>

#include "parser/lists/found_link.h"
#include "parser/lists/readers.h"

namespace linkherd::parser {

// Changes `text` in place without changing its length, so offsets remain valid. Blanks HTML tags whose content is
// Markdown, and returns their ranges in the order of the text. The caller must still read the links and anchors of
// these tags. Takes linear time.
std::vector<TextRange> prepare_dialect(std::string& text, const MarkdownOptions& options);

}  // namespace linkherd::parser
