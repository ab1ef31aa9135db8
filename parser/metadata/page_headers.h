// What the HTTP headers of a page say about it: charset, Last-Modified, Link: <…>; rel=canonical, Content-Language,
// Date.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "parser/timestamp.h"

namespace linkherd::parser {

struct PageHeaders {
  std::string content_type;  // lower case, without parameters
  std::string charset;
  std::string last_modified;
  std::string canonical;  // as written
  std::string language;
  std::optional<Timestamp> date;  // when the answer was made
};

// Of a Content-Type in lower case, without parameters.
bool is_html_type(std::string_view content_type);

// Takes what one header says; most say nothing.
void add_page_header(std::string_view name, std::string_view value, PageHeaders& headers);

// A block of header lines as `curl -D` or `curl -i` write it: with or without the status line; of several blocks
// (redirects) the last counts. Lines that are no headers are passed over.
PageHeaders parse_page_headers(std::string_view text);

}  // namespace linkherd::parser
