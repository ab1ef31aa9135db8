#include "parser/url/credentials.h"

#include <algorithm>

#include "parser/ascii.h"
#include "parser/url/url_editor.h"
#include "parser/url/url_parser.h"

namespace linkherd::parser {
namespace {

constexpr std::string_view mask = "***";
constexpr std::string_view scheme_mark = "://";
constexpr std::string_view authority_ends = "/\\?#";
// In a text an authority also ends where no URL that is written as its href can go on.
constexpr std::string_view authority_ends_in_text = "/\\?# \t\r\n\v\f\"<>";

// Where the first authority of `text` can start at the earliest.
std::size_t behind_scheme_mark(std::string_view text, std::size_t from) {
  const std::size_t mark_at = text.find(scheme_mark, from);
  return mark_at == std::string_view::npos ? mark_at : mark_at + scheme_mark.size();
}

// Where the authority of a URL starts as browsers read it: http and its kin need no slashes and take any number.
std::size_t authority_of(std::string_view url) {
  constexpr std::string_view skipped = "/\\\t\r\n";
  const std::size_t colon = url.find(':');
  const std::string scheme = to_ascii_lower(trim_ascii(url.substr(0, std::min(colon, url.size()))));
  if (colon != std::string_view::npos && is_special_scheme(scheme)) return url.find_first_not_of(skipped, colon + 1);
  const std::string_view start = trim_ascii(url).substr(0, 2);
  if (start == "//" || start == "\\\\" || start == "/\\" || start == "\\/") {
    return url.find_first_not_of(skipped, url.find_first_of("/\\"));
  }
  return behind_scheme_mark(url, 0);
}

std::string masked(std::string_view text, std::size_t authority, std::string_view ends) {
  std::string out;
  std::size_t copied = 0;
  while (authority != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(ends, authority), text.size());
    const std::string_view logins = text.substr(authority, end - authority);
    const std::size_t at = logins.rfind('@');
    if (at != std::string_view::npos) {
      const std::size_t colon = logins.substr(0, at).find(':');
      const std::size_t secret = colon == std::string_view::npos ? 0 : colon + 1;
      out.append(text, copied, authority + secret - copied);
      if (secret < at) out += mask;
      copied = authority + at;
    }
    authority = behind_scheme_mark(text, end);
  }
  return out.append(text, copied);
}

bool may_hold_login(std::string_view text) { return text.find('@') != std::string_view::npos; }

}  // namespace

Url without_credentials(const Url& url) {
  Url bare = url;
  UrlEditor(bare).remove_credentials();
  return bare;
}

std::string mask_password(std::string_view url) {
  return may_hold_login(url) ? masked(url, authority_of(url), authority_ends) : std::string(url);
}

std::string mask_passwords_in(std::string_view text) {
  return may_hold_login(text) ? masked(text, behind_scheme_mark(text, 0), authority_ends_in_text) : std::string(text);
}

}  // namespace linkherd::parser
