// Bytes of a page or list file to UTF-8. The order of evidence: byte order mark, the HTTP charset if the bytes decode
// by it, valid UTF-8 over the whole body, the page's own <meta>, a detector (uchardet), windows-1252. gb2312 and gbk
// are read as gb18030.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace linkherd::parser {

enum class CharsetSource { byte_order_mark, http, valid_utf8, meta, detected, fallback };

struct DecodedText {
  std::string text;     // well-formed UTF-8, without byte order mark
  std::string charset;  // lower-case WHATWG name of what was used, e.g. "gb18030"
  CharsetSource source = CharsetSource::fallback;
  std::size_t errors = 0;  // ill-formed sequences, each replaced by U+FFFD
};

// `http_charset`: the charset parameter of Content-Type, or empty.
DecodedText decode_html(std::string_view bytes, std::string_view http_charset);

// The same without looking for <meta>: for lists and other plain text.
DecodedText decode_text(std::string_view bytes, std::string_view http_charset = {});

// Whether these bytes are no text in any encoding that linkherd reads (an image, an archive, a program).
bool is_binary(std::string_view bytes);

}  // namespace linkherd::parser
