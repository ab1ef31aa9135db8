// Reads the HTTP headers that describe a page: charset, Last-Modified, Link: <…>; rel=canonical, Content-Language,
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
  std::optional<Timestamp> date;  // the Date header, or another time of the fetch
};

// `content_type` is in lower case and has no parameters.
bool is_html_type(std::string_view content_type);

// Reads one header. Ignores headers that do not describe the page.
void add_page_header(std::string_view name, std::string_view value, PageHeaders& headers);

// Parses header lines as `curl -D` and `curl -i` write them, with or without the status line. If there are several
// blocks (redirects), the last one is used. Skips lines that are not headers.
PageHeaders parse_page_headers(std::string_view text);

}  // namespace linkherd::parser
