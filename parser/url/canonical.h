// When are two URLs the same? The layers of identity, from the safest on; each is a pure function of the URL alone.
// Only L1 and L2 may change what is fetched: the later ones group links in reports.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "parser/url/url.h"

namespace linkherd::parser {

enum class CanonicalLayer {
  whatwg,      // L1: the href without its fragment
  normalized,  // L2: + escapes of unreserved characters decoded, hex digits upper case, no trailing dot, no empty query
  untracked,   // L3: + redirector links unwrapped, tracking parameters removed
  equivalent,  // L4: + http = https, no "www." or mobile host, no index file or trailing slash: candidates, never proof
};

struct CanonicalForm {
  std::string url;
  std::vector<std::string_view> rules;  // names of the rules that changed something, in order; static strings

  bool operator==(const CanonicalForm&) const = default;
};

CanonicalForm canonical_form(const Url& url, CanonicalLayer layer);

// All four, in the order of the layers, for little more than the last one costs.
std::array<CanonicalForm, 4> canonical_forms(const Url& url);

// The target of a redirector link (https://link.zhihu.com/?target=…), as far as its own query names it; else nothing.
std::optional<Url> unwrap_redirector(const Url& url);

}  // namespace linkherd::parser
