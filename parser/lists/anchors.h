// The anchors of a text: the targets of "#…" links.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/list_format.h"

namespace linkherd::parser {

// Returns true if anchors_in() supports the format: Markdown and HTML, including bookmark files.
bool has_known_anchors(ListFormat format);

// Returns the sorted unique anchors without "#": slugs of headings by GitHub's rules (lower case, no punctuation, "-"
// for spaces, CJK kept, "-1" appended to a repeated one), and the values of `id` and `name` attributes. Empty for
// unsupported formats.
std::vector<std::string> anchors_in(std::string_view text, ListFormat format);

// Returns true if `fragment`, as written in a URL (possibly percent-encoded), is one of `anchors`. Follows browsers:
// "top" and the empty fragment always exist, and text fragments (":~:text=") are ignored. Slugs of headings also match
// in another case.
bool has_anchor(const std::vector<std::string>& anchors, std::string_view fragment);

// Returns true if scripts may create anchors that anchors_in() does not find: HTML with a script and hardly any text.
bool is_built_by_script(std::string_view text, ListFormat format);

// Returns GitHub's slug for a heading, without a suffix for repeated ones.
std::string heading_slug(std::string_view heading);

}  // namespace linkherd::parser
