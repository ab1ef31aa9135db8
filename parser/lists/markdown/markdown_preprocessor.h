// Prepares Markdown for md4c, the CommonMark parser. md4c does not support the extensions of site generators, drops
// some links, and takes quadratic time on some texts (version 0.4.8). preprocess_markdown() returns a copy in which
// such passages are overwritten with text that md4c handles. Bytes are replaced in place and none are added or removed,
// so every offset that md4c reports for the copy is also valid in the original.
//
// Example: the admonition of Python-Markdown on the left becomes the list item on the right.
//
//   !!! note "Title"                0)  note "Title"
//
//       [a](https://x.org)              [a](https://x.org)
//
// CommonMark would read the indented line on the left as code without links. On the right the line belongs to the item,
// and the link has the same offset. In the same way, the row "| 1 | 2 | [a](b) |" of a table with two columns becomes
// "| 1 | 2 - [a](b) |", because md4c drops the third cell with its link.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/found_link.h"
#include "parser/lists/readers.h"

namespace linkherd::parser {

// Returns the length of the front matter at the start of `text`, or 0 if there is none. Front matter is YAML between
// "---" lines, TOML between "+++" lines, or a JSON object as in Hugo.
std::size_t front_matter_length(std::string_view text);

// Returns a copy of `text` with the same length and these changes:
// - Front matter is blanked.
// - Hugo's shortcodes around code ("{{< highlight go >}}") become fences.
// - Admonitions and tabs of Python-Markdown (MkDocs), whose content is indented by four, become items of ordered lists
//   that begin with "0)".
// - A fence that is indented by four below a line of a paragraph becomes text, because md4c 0.4.8 would never end it.
// Not in MDX,
//   where indented text is not code and fences may be indented by any amount.
// - NULs, which md4c reports as separate texts, become letters.
// - Table cells beyond the last column, which md4c drops, are merged into the last column.
// - If md4c 0.4.8 would take quadratic time, the lines of a paragraph are joined to one line, which keeps its links.
//   Very expensive link titles and reference definitions are disabled.
// - If a paragraph has more than four million marks, which md4c would keep in memory, they are replaced. Its URLs are
//   still found as bare URLs.
// - Extensions of the dialect given by `options` are prepared; see markdown_dialect.h.
//
// If `tags` is not null, it receives the ranges of the HTML tags that the dialect hides.
std::string preprocess_markdown(std::string_view text, const MarkdownOptions& options = {},
                                std::vector<TextRange>* tags = nullptr);

// Returns the length of the marker of a list item such as "- x" or "12. x", without the blank after it, or 0.
std::size_t markdown_marker_length(std::string_view line);

}  // namespace linkherd::parser
