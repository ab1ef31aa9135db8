// How a new URL or link text may be written at the place of an old one, in the syntax of the list. These are
// proposals, the best first: who writes one reads the list again and takes it only if it means what it should.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/link_occurrence.h"
#include "parser/lists/list_format.h"

namespace linkherd::crawler {

// The place of a URL in a list.
struct WrittenUrl {
  parser::ListFormat format = parser::ListFormat::plain_text;
  parser::LinkElement element = parser::LinkElement::link;
  std::string_view written;  // with its escapes
  std::string_view before;   // the text before it, at least the last byte if there is one …
  std::string_view after;    // … and behind it
};

struct Spelling {
  std::string text;          // in place of the URL
  std::size_t url_at = 0;    // where in it the URL begins …
  std::size_t url_size = 0;  // … and how long it is there
};

// `old_href`: what is written now; `new_href`: what is to be. Both are serialised URLs.
std::vector<Spelling> spellings_of_url(const WrittenUrl& original, std::string_view old_href,
                                       std::string_view new_href);

// The same with another fragment, which is written as text where `only_ascii` allows it, else escaped. Empty if no "#"
// is written.
std::vector<Spelling> spellings_of_fragment(const WrittenUrl& original, std::string_view fragment, bool only_ascii);

// "%20" for all but letters, digits, "-", ".", "_", "~"; other characters than ASCII only if `only_ascii`.
std::string escape_fragment(std::string_view fragment, bool only_ascii);

// The place of a link's text as far as it can be told: where it stands exactly as `text` beside the URL. Size 0 if it
// does not.
struct TextSpan {
  std::size_t offset = 0;
  std::size_t length = 0;
};
TextSpan find_text_span(std::string_view list, const WrittenUrl& original, std::size_t url_offset,
                        std::string_view text);
std::string spelling_of_text(parser::ListFormat format, std::string_view text);

}  // namespace linkherd::crawler
