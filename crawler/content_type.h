// The Content-Type header of an answer.
#pragma once

#include <string>
#include <string_view>

namespace linkherd::crawler {

// "text/html; charset=GBK": the type and the charset, in lower case; empty where they are not given.
struct ContentType {
  std::string type;
  std::string charset;
};

ContentType parse_content_type(std::string_view header);

bool is_html_type(std::string_view type);

}  // namespace linkherd::crawler
