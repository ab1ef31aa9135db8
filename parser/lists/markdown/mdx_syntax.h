// Separates the syntax that MDX adds to CommonMark: JSX, expressions, imports and exports. The rest is Markdown without
// indented code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

struct MdxSyntax {
  // Two variants of the text with the same length, so that offsets are valid in all three. In `markdown`, each MDX part
  // is an HTML tag or processing instruction, which md4c reports as HTML. `html` contains the tags of HTML elements,
  // with constants as attribute values.
  std::string markdown;
  std::string html;

  // All in the order of the text.
  std::vector<TextRange> parts;      // everything that is not Markdown
  std::vector<TextRange> html_tags;  // tags of HTML elements, except components and tags in expressions
  std::vector<TextRange> code;       // expressions and modules
  std::vector<FoundLink> links;      // links in attributes of components, in imports and in require()
  std::vector<TextRange> comments;
  std::vector<std::string> anchors;  // ids of components, and of headings with {/* #id */}

  bool is_valid = true;  // false if an MDX compiler would reject the text
};

MdxSyntax read_mdx_syntax(std::string_view text);

}  // namespace linkherd::parser
