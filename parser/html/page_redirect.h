// Redirects that a page makes by itself: <meta http-equiv=refresh>, the Refresh header, a script that sets `location`.
// Finds what a browser with scripts follows within five seconds, on a page that has nothing else to read. Pure; time is
// linear in the page, and short pages alone are worth asking about.
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

// For people: "meta refresh".
constexpr std::string_view describe(RedirectKind kind) {
  switch (kind) {
    case RedirectKind::http: return "HTTP";
    case RedirectKind::refresh_header: return "Refresh header";
    case RedirectKind::meta_refresh: return "meta refresh";
    case RedirectKind::script: return "script";
  }
  return "";
}

// A redirect without further delay does what 301 does if the page names its target as its canonical address too.
struct PageRedirect {
  Url to;
  RedirectKind kind = RedirectKind::meta_refresh;
  bool is_permanent = false;
};

// Reads "5; url='/new'" by the shared declarative refresh steps of the HTML standard. Nullopt for what the standard
// ignores, and for a value without an address, which reloads the page.
struct RefreshValue {
  int seconds = 0;           // of delay; at most max_refresh_seconds
  std::string_view address;  // as written, a part of the value
};
inline constexpr int max_refresh_seconds = 1'000'000;
std::optional<RefreshValue> read_refresh(std::string_view value);

// Returns the address that a script sets `location` to, as written, if it does nothing else that decides where the
// browser goes: one literal, without conditions, at once or within five seconds. What it appends from the present
// address (`location.search`, `location.hash`) is left out.
std::optional<std::string> script_target(std::string_view script);

// Returns where the page at `url` sends a browser by itself. `utf8`: decoded. `refresh`: the Refresh header,
// `canonical` the target of a Link header with rel=canonical; may be empty. Returns nullopt if the page has text of its
// own, and if it only reloads itself.
std::optional<PageRedirect> find_page_redirect(std::string_view utf8, const Url& url, std::string_view refresh = {},
                                               std::string_view canonical = {});

}  // namespace linkherd::parser
