// Finds what MDX has and CommonMark has not: JSX, expressions, imports and exports. The rest is Markdown without
// indented code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

struct MdxSyntax {
  // Both are as long as the text, so that all offsets hold. In `markdown`, each part of MDX is a tag or a processing
  // instruction of HTML, which md4c passes on. `html` has the tags of HTML's elements with constants as attributes.
  std::string markdown;
  std::string html;

  // In the order of the text.
  std::vector<TextRange> parts;      // everything that is not Markdown
  std::vector<TextRange> html_tags;  // of elements, without those of components and those in expressions
  std::vector<TextRange> code;       // expressions and modules
  std::vector<FoundLink> links;      // attributes of components, imports and require()
  std::vector<TextRange> comments;
  std::vector<std::string> anchors;  // of components, and of headings: {/* #id */}

  bool is_valid = true;  // false: a compiler of MDX would refuse the text
};

MdxSyntax read_mdx_syntax(std::string_view text);

}  // namespace linkherd::parser
