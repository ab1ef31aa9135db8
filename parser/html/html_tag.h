// Tags of a page, cut out of its text by the rules of the HTML tokeniser. Every function moves `at` forward only, so
// that a page is read in one pass, whatever is unclosed in it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gumbo.h>

namespace linkherd::parser {

struct HtmlAttribute {
  std::string_view name;
  std::string_view value;  // without quotes
};

struct HtmlTag {
  std::string name;  // lower case
  GumboTag id = GUMBO_TAG_UNKNOWN;
  std::vector<HtmlAttribute> attributes;
  bool self_closing = false;
  bool attributes_dropped = false;  // there were more than asked for
};

// The tag at text[at], where "<" or "</" and a letter stand. False, and all taken, where the text ends inside it.
// `tag` is overwritten; passing the same one again reuses its memory.
bool read_html_tag(std::string_view text, std::size_t& at, std::size_t max_attributes, HtmlTag& tag);

// The text up to the end tag of `name`, which is taken as well; all the rest where there is none.
std::string_view take_raw_text(std::string_view text, std::size_t& at, std::string_view name);

void skip_past(std::string_view text, std::size_t& at, std::string_view end);

}  // namespace linkherd::parser
