// Where Markdown text may define link references ("[label]: target"). md4c uses definitions but does not report them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace linkherd::parser {

struct MarkdownDefinition {
  std::size_t colon = 0;   // the ":" behind the label
  std::size_t offset = 0;  // of the target as written, without "<>" …
  std::size_t length = 0;  // … and its length
  std::string_view label;
};

// Everything that has the shape of one, in the order of the text; whether it is one, only the parser knows.
std::vector<MarkdownDefinition> find_markdown_definitions(std::string_view text);

// Past spaces and at most one line break, with the marks of the quotes that go on behind it: where the target begins
// that follows "](" or "]:".
std::size_t skip_to_markdown_target(std::string_view text, std::size_t at);

// The length of what at the start of `source` is written for `target`: the same but for escapes. 0 where it is not
// there.
std::size_t match_escaped(std::string_view source, std::string_view target);

}  // namespace linkherd::parser
