// Implements the part of RFC 6265 that a link checker needs. It supports cookies of a user's cookie file, and cookies
// that a redirect chain sets, which are valid in that chain only. A cookie is sent only to the hosts that it is for.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/result.h"
#include "parser/timestamp.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

// A cookie (RFC 6265). A fetch carries the cookies of its own redirect chain.
struct Cookie {
  std::string name;
  std::string value;
  std::string domain;  // lower case, no leading dot
  std::string path;
  bool is_host_only = true;
  bool secure = false;
  std::optional<Timestamp> expires;

  bool operator==(const Cookie&) const = default;
};

// The cookies that the redirects of a link have set so far. They are sent only after the redirects have formed a loop,
// starting with the redirect at index `sent_from`. Each loop that has set a new cookie counts as a round.
struct ChainCookies {
  std::vector<Cookie> all;
  std::optional<std::size_t> sent_from;
  bool has_new = false;  // new cookies since the last round
  int rounds = 0;
};

// Parses a Set-Cookie header that `from` sent. Returns nullopt if the header is unusable or its domain is not the
// server's own: another site, or a public suffix such as "co.uk". A past `expires` deletes the cookie.
std::optional<Cookie> parse_set_cookie(const parser::Url& from, std::string_view header, Timestamp now);

// Adds a cookie and replaces one with the same name, domain and path. At most 50 cookies with 16 KiB in total are kept;
// more are ignored.
void keep_cookie(std::vector<Cookie>& cookies, Cookie cookie, Timestamp now);

// Returns the value of the Cookie header for a request. Empty if no cookie applies.
std::string cookies_for(const std::vector<Cookie>& cookies, const parser::Url& url, Timestamp now);

// Parses a cookie file as browser exporters, curl and wget write it (Netscape's seven columns). The error names the
// line, but does not quote it.
Result<std::vector<Cookie>> parse_cookie_file(std::string_view text);

}  // namespace linkherd::crawler
