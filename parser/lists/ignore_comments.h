// Comments in a list that say which of its links to ignore: linkherd's own, and those of markdown-link-check.
#pragma once

#include <string_view>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

// Keeps the comment at `range` (its marks may be part of it) for mark_ignored_links, if it says anything.
void note_comment(std::string_view list, TextRange range, FoundLinks& found);

// Fills in `ignored_by` of the links that the comments of the list speak of:
//   linkherd-ignore-start … linkherd-ignore-end             what lies between; to the end of the list without an end
//   linkherd-ignore-next-line, linkherd-ignore-line         links that begin there
//   markdown-link-check-disable … -enable, -disable-next-line, -disable-line
// Links must be in the order of the list.
void mark_ignored_links(std::string_view list, FoundLinks& found);

}  // namespace linkherd::parser
