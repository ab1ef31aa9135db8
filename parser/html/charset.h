// Decodes the bytes of a page or a list file to UTF-8. The evidence is used in this order:
// - a byte order mark;
// - the HTTP charset, if the bytes decode by it;
// - valid UTF-8 over the whole body;
// - the <meta> charset of the page;
// - a detector (uchardet);
// - windows-1252.
// gb2312 and gbk are decoded as gb18030.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace linkherd::parser {

enum class CharsetSource { byte_order_mark, http, valid_utf8, meta, detected, fallback };

struct DecodedText {
  std::string text;     // well-formed UTF-8, without byte order mark
  std::string charset;  // lower-case WHATWG name of the encoding used, e.g. "gb18030"
  CharsetSource source = CharsetSource::fallback;
  std::size_t errors = 0;  // ill-formed sequences, each replaced by U+FFFD
};

// `http_charset` is the charset parameter of Content-Type. It may be empty.
DecodedText decode_html(std::string_view bytes, std::string_view http_charset);

// Like decode_html(), but ignores <meta>. Use it for lists and other plain text.
DecodedText decode_text(std::string_view bytes, std::string_view http_charset = {});

// Like decode_text(), but does not copy text that is UTF-8 already.
DecodedText decode_text_in_place(std::string bytes);

// Returns true if the bytes are binary data (an image, an archive, a program) and not text in a supported encoding.
bool is_binary(std::string_view bytes);

}  // namespace linkherd::parser
