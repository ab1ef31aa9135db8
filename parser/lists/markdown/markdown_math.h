// Finds the math in Markdown, which has no links.
#pragma once

#include <cstddef>
#include <string>

#include "parser/lists/readers.h"

namespace linkherd::parser {

// The marks that begin math in a dialect.
struct MathSyntax {
  bool has_dollars = false;         // $…$
  bool has_double_dollars = false;  // $$…$$
  bool has_fences = false;          // lines of "$$" alone, which may have blank lines between them
  std::size_t backslashes = 0;      // before "(" and "[": 0 for none, 2 where Markdown takes one away
  bool is_careful = false;  // also outside of documentation, where "$" is mostly money or the name of a variable
};

MathSyntax math_syntax(const MarkdownOptions& options);

// Replaces the characters in the math of a paragraph, text[start, end), by letters. Follows Pandoc: "$" closes only in
// the same paragraph, not after a blank and not before a digit, so that "$5 or $6" is no math. Careful, as GitHub is,
// it neither opens after nor closes before a letter or digit; GitHub does not document how it separates math from
// links, so what has a URL or a "|" is none.
void disable_math(std::string& text, std::size_t start, std::size_t end, const MathSyntax& syntax);

// Replaces everything but white space by letters.
void disable_range(std::string& text, std::size_t start, std::size_t end);

}  // namespace linkherd::parser
