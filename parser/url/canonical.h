// Canonical forms of a URL, in four layers from the safest to the most aggressive. Each layer is a pure function of the
// URL. Only L1 and L2 may affect which URL is fetched; L3 and L4 group links in reports.
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
  normalized,  // L2: also decodes escapes of unreserved characters, writes hex digits in upper case, and removes a
               // trailing dot of the host and an empty query
  untracked,   // L3: also unwraps redirector links and removes tracking parameters
  equivalent,  // L4: also equates http and https, removes "www." and mobile labels from the host, maps a site's
               // alternative addresses of a page to one, and removes index files and trailing slashes. Two URLs with
               // equal forms are likely, but not proven, to be the same page.
};
inline constexpr std::array<EnumName<CanonicalLayer>, 4> canonical_layer_names{
    {{CanonicalLayer::whatwg, "whatwg"},
     {CanonicalLayer::normalized, "normalized"},
     {CanonicalLayer::untracked, "untracked"},
     {CanonicalLayer::equivalent, "equivalent"}}};

struct CanonicalForm {
  std::string url;
  std::vector<std::string_view> rules;  // names of the rules that changed the URL, in order; views of static strings

  bool operator==(const CanonicalForm&) const = default;
};

// User-defined tracking rules; see tracking_rules.h.
class TrackingRules;

// Returns the form of `url` at `layer`. `rules` may be null, here and below.
CanonicalForm canonical_form(const Url& url, CanonicalLayer layer, const TrackingRules* rules = nullptr);

// Returns all four forms in the order of the layers. This takes little more time than the last form alone.
std::array<CanonicalForm, 4> canonical_forms(const Url& url, const TrackingRules* rules = nullptr);

// Returns the target of a redirector link such as https://link.zhihu.com/?target=…. Returns nullopt if `url` is not a
// redirector link or if its query does not contain the target.
std::optional<Url> unwrap_redirector(const Url& url, const TrackingRules* rules = nullptr);

// Returns the URL without its tracking parameters and otherwise unchanged. Returns nullopt if it has no tracking
// parameters.
std::optional<Url> remove_tracking_parameters(const Url& url, const TrackingRules* rules = nullptr);

// Returns the main address of a page if `url` is a known alternative address of it, such as https://youtu.be/ID or a
// reader view. Returns nullopt otherwise. The host must have no "www." and no mobile labels.
std::optional<Url> resolve_site_alias(const Url& url);

// Decodes a target from the query of a redirector. The target may be percent-encoded once or twice. Returns nullopt if
// it is not an http or https URL.
std::optional<Url> decode_redirect_target(std::string_view value);

// Returns the sort-friendly key (SURT) of a URL as web archives write it: "com,example,www:8443)/a?b" for
// "https://www.example.com:8443/a?b#c". Scheme, credentials and fragment are omitted. IP addresses are not reversed.
// The key of a URL without a host is its href without the fragment.
std::string surt_key(const Url& url);

}  // namespace linkherd::parser
