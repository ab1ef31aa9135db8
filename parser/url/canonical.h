// When are two URLs the same? The layers of identity, from the safest on; each is a pure function of the URL alone.
// Only L1 and L2 may change what is fetched: the later ones group links in reports.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/enum_names.h"
#include "parser/url/url.h"

namespace linkherd::parser {

// Names are printed: DO NOT CHANGE them.
enum class CanonicalLayer {
  whatwg,      // L1: the href without its fragment
  normalized,  // L2: + escapes of unreserved characters decoded, hex digits upper case, no trailing dot, no empty query
  untracked,   // L3: + redirector links unwrapped, tracking parameters removed
  equivalent,  // L4: + http = https, no "www." or mobile host, no index file or trailing slash: candidates, never proof
};
inline constexpr std::array<EnumName<CanonicalLayer>, 4> canonical_layer_names{
    {{CanonicalLayer::whatwg, "whatwg"},
     {CanonicalLayer::normalized, "normalized"},
     {CanonicalLayer::untracked, "untracked"},
     {CanonicalLayer::equivalent, "equivalent"}}};

struct CanonicalForm {
  std::string url;
  std::vector<std::string_view> rules;  // names of the rules that changed something, in order; static strings

  bool operator==(const CanonicalForm&) const = default;
};

// Rules of a user beside our own table; see tracking_rules.h.
class TrackingRules;

// `rules` may be null.
CanonicalForm canonical_form(const Url& url, CanonicalLayer layer, const TrackingRules* rules = nullptr);

// All four, in the order of the layers, for little more than the last one costs.
std::array<CanonicalForm, 4> canonical_forms(const Url& url, const TrackingRules* rules = nullptr);

// The target of a redirector link (https://link.zhihu.com/?target=…), as far as its own query names it; else nothing.
std::optional<Url> unwrap_redirector(const Url& url, const TrackingRules* rules = nullptr);

// A target as it stands in a redirector's query, escaped once or twice; nothing where it is no http or https URL.
std::optional<Url> target_written_in(std::string_view value);

// The sort-friendly key (SURT) of a URL, as web archives write it:
// "com,example,www:8443)/a?b" of "https://www.example.com:8443/a?b#c". Scheme, credentials and fragment are no part of
// it. An address stays as it is, and so does the href of a URL without a host, its fragment aside.
std::string surt_key(const Url& url);

}  // namespace linkherd::parser
