// Applies directives in comments that exclude links from checking. Supports the directives of linkherd,
// markdown-link-check and the all-contributors bot.
#pragma once

#include <string_view>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

// Adds the comment at `range` to `found` if it contains a directive. The range may include the delimiters.
void add_ignore_comment(std::string_view document, TextRange range, FoundLinks& found);

// Sets `ignored_by` of the links that the comments exclude. The links must be sorted by offset.
//   linkherd-ignore-start … linkherd-ignore-end       links between them; without an end, up to the end of the document
//   linkherd-ignore-next-line, linkherd-ignore-line   links that begin in that line
//   markdown-link-check-disable … -enable, -disable-next-line, -disable-line   likewise
//   ALL-CONTRIBUTORS-LIST:START … :END                "#x" links between them: the bot writes anchors that do not exist
void mark_ignored_links(std::string_view document, FoundLinks& found);

}  // namespace linkherd::parser
