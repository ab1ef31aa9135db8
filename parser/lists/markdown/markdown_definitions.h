// Finds possible link reference definitions ("[label]: target") in Markdown, because md4c uses definitions but does not
// report them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace linkherd::parser {

struct MarkdownDefinition {
  std::size_t colon = 0;   // offset of the ":" after the label
  std::size_t offset = 0;  // offset of the target as written, without "<>"
  std::size_t length = 0;  // length of the target as written
  std::string_view label;
};

// Returns everything with the syntax of a definition, in the order of the text. Only md4c decides which of them are
// definitions.
std::vector<MarkdownDefinition> find_markdown_definitions(std::string_view text);

// Skips spaces and at most one line break with the block quote markers after it. Returns the start of the target that
// follows "](" or "]:".
std::size_t skip_to_markdown_target(std::string_view text, std::size_t at);

// Returns the length of `target` as written at the start of `source`, where it may contain escapes. Returns 0 if
// `source` does not begin with it.
std::size_t match_escaped(std::string_view source, std::string_view target);

}  // namespace linkherd::parser
