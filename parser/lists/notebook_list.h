// The links of a Jupyter notebook: its Markdown cells read as Markdown, its raw cells as text, with the places in the
// notebook's own JSON.
#pragma once

#include <string_view>

#include "parser/lists/found_link.h"
#include "parser/lists/markdown_list.h"

namespace linkherd::parser {

// Code cells are read only with `include_verbatim`, outputs never: they are made, not written.
FoundLinks read_notebook_list(std::string_view text, const MarkdownOptions& options);

}  // namespace linkherd::parser
