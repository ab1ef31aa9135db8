// The places within a text that a link may point at with "#…".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/list_format.h"

namespace linkherd::parser {

// Whether the anchors of a text in this format can be listed: of Markdown and HTML, bookmark files included.
bool has_known_anchors(ListFormat format);

// Sorted, each once, without "#": slugs of headings as GitHub makes them (lower case, no punctuation, "-" for spaces,
// CJK kept, "-1" behind a repeated one), and what `id` and `name` attributes say. Empty for
// formats without known anchors.
std::vector<std::string> anchors_in(std::string_view text, ListFormat format);

// Whether `fragment`, as it stands in a URL (maybe percent-encoded), is one of `anchors`. As browsers do: also when
// only its case differs from a heading's slug, "top" and the empty fragment always, and text fragments (":~:text=") are
// cut.
bool has_anchor(const std::vector<std::string>& anchors, std::string_view fragment);

// Whether scripts may make places in this text that anchors_in() does not see: HTML with a script and hardly any text.
bool is_built_by_script(std::string_view text, ListFormat format);

// The slug that GitHub gives a heading with this text, repeats aside.
std::string heading_slug(std::string_view heading);

}  // namespace linkherd::parser
