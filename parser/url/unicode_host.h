// Converts a host to Unicode and detects homographs: "аррӏе.com" in Cyrillic looks like "apple.com". Only reports use
// the Unicode form; requests and comparisons use punycode.
#pragma once

#include <string>

#include "parser/url/url.h"

namespace linkherd::parser {

struct UnicodeHost {
  std::string text;  // UTF-8; labels that are not valid punycode are unchanged
  // A label violates the "highly restrictive" level of UTS #39, or mixes digits of two scripts.
  bool has_mixed_scripts = false;
  bool imitates_ascii = false;  // a label uses a single script, but each of its letters looks like an ASCII letter
};

UnicodeHost unicode_host(const Url& url);

}  // namespace linkherd::parser
