// The sort-friendly key of a URL, as web archives write it: the host from its top-level domain down, so that the pages
// of a site and the sites of a domain stand side by side.
#pragma once

#include <string>

#include "parser/url/url.h"

namespace linkherd::parser {

// "com,example,www:8443)/a?b" of "https://www.example.com:8443/a?b#c". Scheme, credentials and fragment are no part of
// it. An address stays as it is, and so does the href of a URL without a host, its fragment aside.
std::string surt_key(const Url& url);

}  // namespace linkherd::parser
