// The links of a Markdown list (CommonMark and the GFM tables, task lists and autolinks), with their exact places in
// the text.
#pragma once

#include <string_view>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

struct MarkdownOptions {
  bool include_verbatim = false;
  bool include_wikilinks = false;
};

FoundLinks read_markdown_list(std::string_view text, const MarkdownOptions& options);

}  // namespace linkherd::parser
