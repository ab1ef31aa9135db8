// The HTTP headers that describe a page: charset, Last-Modified, Link: <…>; rel=canonical, Content-Language, Date.
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

// Takes a Content-Type in lower case, without parameters.
bool is_html_type(std::string_view content_type);

// Reads one header; most are ignored.
void add_page_header(std::string_view name, std::string_view value, PageHeaders& headers);

// Parses header lines as written by `curl -D` or `curl -i`, with or without the status line. Of several blocks
// (redirects) the last one is used. Lines that are not headers are skipped.
PageHeaders parse_page_headers(std::string_view text);

}  // namespace linkherd::parser
