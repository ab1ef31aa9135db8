// Finds redirects that a page makes by itself: <meta http-equiv=refresh>, the Refresh header, and scripts that set
// `location`. Finds what a browser with scripts follows within five seconds on a page that has nothing else to read.
// Pure functions. Time is linear in the size of the page; only short pages can have such a redirect.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "parser/enum_names.h"
#include "parser/url/url.h"

namespace linkherd::parser {

// Names are printed and stored: DO NOT CHANGE them.
enum class RedirectKind : std::uint8_t { http, refresh_header, meta_refresh, script };
inline constexpr std::array<EnumName<RedirectKind>, 4> redirect_kind_names{
    {{RedirectKind::http, "http"},
     {RedirectKind::refresh_header, "refresh_header"},
     {RedirectKind::meta_refresh, "meta_refresh"},
     {RedirectKind::script, "script"}}};

// Returns the name for reports: "meta refresh".
constexpr std::string_view describe(RedirectKind kind) {
  switch (kind) {
    case RedirectKind::http: return "HTTP";
    case RedirectKind::refresh_header: return "Refresh header";
    case RedirectKind::meta_refresh: return "meta refresh";
    case RedirectKind::script: return "script";
  }
  return "";
}

// A redirect that a page makes by itself.
struct PageRedirect {
  Url to;
  RedirectKind kind = RedirectKind::meta_refresh;
  bool is_permanent = false;
};

// The value of a Refresh header or of a <meta http-equiv=refresh>, such as "5; url='/new'".
struct RefreshValue {
  int seconds = 0;           // delay; at most max_refresh_seconds
  std::string_view address;  // as written; a view into the value
};
inline constexpr int max_refresh_seconds = 1'000'000;
std::optional<RefreshValue> read_refresh(std::string_view value);

// Returns the address that a script sets `location` to, as written. The script must not do anything else that decides
// where the browser goes: it sets one literal, without conditions, at once or within five seconds. A part of the
// current address that the script appends (`location.search`, `location.hash`) is left out. Returns nullopt for all
// other scripts.
std::optional<std::string> find_script_redirect(std::string_view script);

// Returns the redirect of the page at `url`. `utf8` is the decoded page, `refresh` the Refresh header, and `canonical`
// the target of a Link header with rel=canonical; both may be empty. Returns nullopt if the page has text of its own or
// only reloads itself.
std::optional<PageRedirect> find_page_redirect(std::string_view utf8, const Url& url, std::string_view refresh = {},
                                               std::string_view canonical = {});

}  // namespace linkherd::parser
