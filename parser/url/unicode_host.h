// A host as people read it: punycode undone, and whether its letters come from scripts that no language mixes
// (аррӏе.com in Cyrillic looks like apple.com). For reports only: what is fetched and compared stays punycode.
#pragma once

#include <string>

#include "parser/url/url.h"

namespace linkherd::parser {

struct UnicodeHost {
  std::string text;  // UTF-8; labels that are no valid punycode stay as they are
  bool mixed_scripts =
      false;  // a label mixes scripts, or has digits of two, beyond what UTS #39 calls highly restrictive
  bool imitates_ascii = false;  // no mixture, but every letter of a label looks like an ASCII one
};

UnicodeHost unicode_host(const Url& url);

}  // namespace linkherd::parser
