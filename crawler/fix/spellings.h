// Proposes spellings of a new URL or link text that replaces an old one, in the syntax of the document. The best
// proposal comes first. The caller must parse the result and accept it only if it means what it should.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/document_format.h"
#include "parser/lists/found_link.h"
#include "parser/lists/link_occurrence.h"

namespace linkherd::crawler {

// The context of a URL in a document.
struct WrittenUrl {
  parser::DocumentFormat format = parser::DocumentFormat::plain_text;
  parser::LinkElement element = parser::LinkElement::link;
  std::string_view written;  // with its escapes
  std::string_view before;   // preceding text, at least the last byte if there is any
  std::string_view after;    // following text, at least the first byte if there is any
};

struct Spelling {
  std::string text;          // replaces the URL
  std::size_t url_at = 0;    // offset of the URL in `text`
  std::size_t url_size = 0;  // size of the URL in `text`
};

// Returns spellings of `new_href`. `old_href`: the current target. Both are serialized URLs.
std::vector<Spelling> list_url_spellings(const WrittenUrl& original, std::string_view old_href,
                                         std::string_view new_href);

// Returns spellings with another fragment. The fragment is escaped if `only_ascii` requires it, otherwise written as
// text. Empty if the URL is written without "#".
std::vector<Spelling> list_fragment_spellings(const WrittenUrl& original, std::string_view fragment, bool only_ascii);

// Escapes everything except letters, digits, "-", ".", "_" and "~" ("%20" for a space). Non-ASCII characters are
// escaped only if `only_ascii`.
std::string escape_fragment(std::string_view fragment, bool only_ascii);

// The position of a link's text. It is known only if `text` is next to the URL exactly as given; otherwise `length` is
// 0.
parser::TextRange find_text_span(std::string_view list, const WrittenUrl& original, std::size_t url_offset,
                                 std::string_view text);
std::string spelling_of_text(parser::DocumentFormat format, std::string_view text);

}  // namespace linkherd::crawler
