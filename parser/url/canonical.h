// Layers of URL identity, from the safest on. Each is a pure function of the URL. Only L1 and L2 may change what is
// fetched; L3 and L4 group links in reports.
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
  equivalent,  // L4: + http = https, no "www." or mobile host, one address for those that a site has for a page, no
               // index file or trailing slash; likely the same page, not proven
};
inline constexpr std::array<EnumName<CanonicalLayer>, 4> canonical_layer_names{
    {{CanonicalLayer::whatwg, "whatwg"},
     {CanonicalLayer::normalized, "normalized"},
     {CanonicalLayer::untracked, "untracked"},
     {CanonicalLayer::equivalent, "equivalent"}}};

struct CanonicalForm {
  std::string url;
  std::vector<std::string_view> rules;  // names of the rules that changed the URL, in order; static strings

  bool operator==(const CanonicalForm&) const = default;
};

// User-defined tracking rules; see tracking_rules.h.
class TrackingRules;

// `rules` may be null.
CanonicalForm canonical_form(const Url& url, CanonicalLayer layer, const TrackingRules* rules = nullptr);

// Returns all four forms in the order of the layers. Costs little more than the last one alone.
std::array<CanonicalForm, 4> canonical_forms(const Url& url, const TrackingRules* rules = nullptr);

// Returns the target of a redirector link (https://link.zhihu.com/?target=…) if its query contains it.
std::optional<Url> unwrap_redirector(const Url& url, const TrackingRules* rules = nullptr);

// Returns the URL without its tracking parameters, and otherwise as it is; nullopt if it has none.
std::optional<Url> untracked(const Url& url, const TrackingRules* rules = nullptr);

// Returns the usual address of a page for another one that its site has for it (https://youtu.be/ID, a reader's view),
// where `url` is one of those that are known; its host must be without "www." and mobile labels.
std::optional<Url> usual_address(const Url& url);

// Decodes a target from the query of a redirector, escaped once or twice. Returns nullopt if it is not an http or
// https URL.
std::optional<Url> decode_redirect_target(std::string_view value);

// Returns the sort-friendly key (SURT) of a URL, as web archives write it: "com,example,www:8443)/a?b" for
// "https://www.example.com:8443/a?b#c". Scheme, credentials and fragment are omitted. IP addresses are not reversed.
// For a URL without a host it is the href without the fragment.
std::string surt_key(const Url& url);

}  // namespace linkherd::parser
