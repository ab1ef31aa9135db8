// Directives in comments that exclude links of a list: those of linkherd, of markdown-link-check and of the
// all-contributors bot.
#pragma once

#include <string_view>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

// Adds the comment at `range` (which may include its delimiters) to `found` if it has a directive.
void note_comment(std::string_view list, TextRange range, FoundLinks& found);

// Sets `ignored_by` of the links that the comments exclude:
//   linkherd-ignore-start … linkherd-ignore-end       the links between them; without an end, to the end of the list
//   linkherd-ignore-next-line, linkherd-ignore-line   the links that begin in that line
//   markdown-link-check-disable … -enable, -disable-next-line, -disable-line   likewise
//   ALL-CONTRIBUTORS-LIST:START … :END                "#x" between them: the bot writes anchors that are nowhere
// The links must be sorted by offset.
void mark_ignored_links(std::string_view list, FoundLinks& found);

}  // namespace linkherd::parser
