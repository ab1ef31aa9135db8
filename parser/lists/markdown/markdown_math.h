// Finds math in Markdown and disables it, because math contains no links.
#pragma once

#include <cstddef>
#include <string>

#include "parser/lists/readers.h"

namespace linkherd::parser {

// Returns true if math is also between lines that consist of "$$", with possible blank lines in between.
bool has_math_fences(const MarkdownOptions& options);

// Replaces the characters of math in the paragraph text[start, end) by letters. Follows the rules of Pandoc: a closing
// "$" must be in the same paragraph or list item, not after a blank and not before a digit. So "$5 or $6" is not math.
//
// In texts that are not documentation, follows GitHub: "$" neither opens math after a letter or digit nor closes it
// before one. GitHub does not document how it separates math from links, so text with a URL or a "|" does not count as
// math.
void disable_math(std::string& text, std::size_t start, std::size_t end, const MarkdownOptions& options);

// Replaces all characters of text[start, end) by letters, except white space.
void disable_range(std::string& text, std::size_t start, std::size_t end);

}  // namespace linkherd::parser
