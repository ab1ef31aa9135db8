// Prepares Markdown for md4c: returns a copy of the same length, so that all offsets remain valid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/found_link.h"
#include "parser/lists/readers.h"

namespace linkherd::parser {

// Returns the length of the front matter at the start of `text` ("---" to "---" or "+++" to "+++"), or 0.
std::size_t front_matter_length(std::string_view text);

// Indented text is no code in MDX, and fences may be indented as far as one likes.
enum class IndentedCode : std::uint8_t { exists, none };

// Front matter is blanked. Shortcodes of Hugo around code ("{{< highlight go >}}") become fences. Admonitions and tabs
// of Python-Markdown (MkDocs), whose content is indented by four, become items of ordered lists that begin with "0)". A
// fence that is indented by four below a line of a paragraph is text: md4c 0.4.8 would take it for one that never ends.
// NULs, which md4c reports as separate texts, become letters. Cells beyond the last column of a table, which md4c
// drops, are merged into that column. Where md4c 0.4.8 would take quadratic time, the lines of a paragraph are joined
// to one line, which keeps its links, and very expensive titles and definitions are disabled. If a paragraph has more
// than four million marks, which md4c would keep in memory, they are replaced; its URLs are still found as bare URLs.
//
// `options` decide the dialect, see markdown_dialect.h. `tags`, if not null, receives the tags that it hides.
std::string preprocess_markdown(std::string_view text, const MarkdownOptions& options = {},
                                IndentedCode indented_code = IndentedCode::exists,
                                std::vector<TextRange>* tags = nullptr);

}  // namespace linkherd::parser
