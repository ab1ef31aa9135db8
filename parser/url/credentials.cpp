#include "parser/url/credentials.h"

#include <algorithm>
#include <array>

#include "parser/ascii.h"
#include "parser/url/percent_encoding.h"
#include "parser/url/url_editor.h"
#include "parser/url/url_parser.h"

namespace linkherd::parser {
namespace {

constexpr std::string_view mask = "***";
constexpr std::string_view scheme_mark = "://";
constexpr std::string_view authority_ends = "/\\?#";
// Characters that never occur in a serialised URL.
constexpr std::string_view text_ends = " \t\r\n\v\f\"<>";

// Returns the earliest start of the first authority of `text`.
std::size_t after_scheme_mark(std::string_view text, std::size_t from) {
  const std::size_t mark_at = text.find(scheme_mark, from);
  return mark_at == std::string_view::npos ? mark_at : mark_at + scheme_mark.size();
}

// Returns the start of the authority as browsers parse it: special schemes accept any number of slashes.
std::size_t authority_of(std::string_view url) {
  constexpr std::string_view skipped = "/\\\t\r\n";
  const std::size_t colon = url.find(':');
  const std::string scheme = to_ascii_lower(trim_ascii(url.substr(0, std::min(colon, url.size()))));
  if (colon != std::string_view::npos && is_special_scheme(scheme)) return url.find_first_not_of(skipped, colon + 1);
  const std::string_view start = trim_ascii(url).substr(0, 2);
  if (start == "//" || start == "\\\\" || start == "/\\" || start == "\\/") {
    return url.find_first_not_of(skipped, url.find_first_of("/\\"));
  }
  return after_scheme_mark(url, 0);
}

// Returns the offset of the "@" that ends the credentials of this authority, or npos. A password with an unescaped
// "/", "#" or "?" changes the meaning of the URL, but it must be masked too. In that case the text after the colon is
// not a port.
std::size_t login_end(std::string_view text, std::size_t authority, std::size_t end, std::size_t word_end) {
  const std::string_view host = text.substr(authority, end - authority);
  const std::size_t at = host.rfind('@');
  if (at != std::string_view::npos) return authority + at;
  const std::size_t colon = host.find(':');
  if (colon == std::string_view::npos || host.starts_with('[')) return std::string_view::npos;
  if (std::ranges::all_of(host.substr(colon + 1), is_ascii_digit)) return std::string_view::npos;
  return text.substr(0, word_end).find('@', end);
}

// `word_ends` are the characters that end a URL in the text, in addition to the characters that end an authority.
std::string masked(std::string_view text, std::size_t authority, std::string_view word_ends) {
  std::string out;
  std::size_t copied = 0;
  while (authority != std::string_view::npos) {
    const std::size_t word_end = std::min(text.find_first_of(word_ends, authority), text.size());
    const std::size_t end = std::min(text.find_first_of(authority_ends, authority), word_end);
    const std::size_t at = login_end(text, authority, end, word_end);
    if (at != std::string_view::npos) {
      const std::size_t colon = text.substr(0, at).find(':', authority);
      const std::size_t secret = colon == std::string_view::npos ? authority : colon + 1;
      out.append(text, copied, secret - copied);
      if (secret < at) out += mask;
      copied = at;
    }
    authority = after_scheme_mark(text, at == std::string_view::npos ? end : std::max(at, end));
  }
  return out.append(text, copied);
}

bool is_secret_name(std::string_view name) {
  constexpr std::array<std::string_view, 10> parts = {"token",     "secret",     "passw",         "session", "sessid",
                                                      "signature", "credential", "authorization", "apikey",  "jwt"};
  constexpr std::array<std::string_view, 9> names = {"key",  "sid",  "sig",    "auth", "pwd",
                                                     "pass", "hmac", "ticket", "otp"};
  std::string letters = to_ascii_lower(name);
  const bool ends_in_key = letters.ends_with("_key") || letters.ends_with("-key");
  std::erase_if(letters, [](char c) { return !is_ascii_alphanumeric(c); });
  return ends_in_key || is_one_of(names, letters) ||
         std::ranges::any_of(parts, [&](std::string_view part) { return letters.find(part) != std::string::npos; });
}

// Returns true for keys, hashes and tokens. Words in a path or a title are separated.
bool is_secret_value(std::string_view value) {
  constexpr std::size_t min_bytes = 24;
  constexpr std::string_view marks = "_-.~+/=";
  std::size_t digits = 0;
  std::size_t letters = 0;
  std::size_t run = 0;  // without marks
  std::size_t longest = 0;
  for (const char c : value) {
    digits += is_ascii_digit(c) ? 1U : 0U;
    letters += is_ascii_letter(c) ? 1U : 0U;
    run = is_ascii_alphanumeric(c) ? run + 1 : 0;
    longest = std::max(longest, run);
    if (run == 0 && marks.find(c) == std::string_view::npos) return false;
  }
  return longest >= min_bytes && digits >= 4 && letters >= 4;
}

bool may_hold_login(std::string_view text) { return text.find('@') != std::string_view::npos; }

}  // namespace

Url without_credentials(const Url& url) {
  Url bare = url;
  UrlEditor(bare).remove_credentials();
  return bare;
}

bool has_secret_parameter(const Url& url) {
  constexpr std::string_view separators = "?&;#";
  const std::string plain = percent_decode(url.href_without_fragment());
  for (std::size_t start = plain.find_first_of(separators); start != std::string::npos;) {
    const std::size_t end = plain.find_first_of(separators, ++start);
    const std::string_view parameter = std::string_view(plain).substr(start, end - start);
    const std::size_t mark = std::min(parameter.find('='), parameter.size());
    const bool has_name = mark < parameter.size();
    const std::string_view value = has_name ? parameter.substr(mark + 1) : parameter;
    if (is_secret_value(value) || (has_name && !value.empty() && is_secret_name(parameter.substr(0, mark))))
      return true;
    start = end;
  }
  return false;
}

std::string mask_password(std::string_view url) {
  return may_hold_login(url) ? masked(url, authority_of(url), {}) : std::string(url);
}

std::string mask_passwords_in(std::string_view text) {
  return may_hold_login(text) ? masked(text, after_scheme_mark(text, 0), text_ends) : std::string(text);
}

}  // namespace linkherd::parser
