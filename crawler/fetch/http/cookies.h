// Cookies as RFC 6265 says, as far as a link checker needs them: those of a user's cookie file, and those that a chain
// of redirects sets, for that chain alone. Every cookie goes back only to the hosts that it is for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/result.h"
#include "parser/timestamp.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

// One cookie, as a server sets it (RFC 6265). A link under way carries those of its own chain of redirects.
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

// What `from` sets by one Set-Cookie header. Nothing where the header is unusable or speaks for a domain that is not
// the server's own: another site, or a public suffix such as "co.uk". An `expires` that is past deletes.
std::optional<Cookie> parse_set_cookie(const parser::Url& from, std::string_view header, Timestamp now);

// Replaces the one of the same name, domain and path; at most 50 cookies with 16 KiB are kept, and more is ignored.
void keep_cookie(std::vector<Cookie>& cookies, Cookie cookie, Timestamp now);

// The value of the Cookie header for a request; empty where none is for it.
std::string cookies_for(const std::vector<Cookie>& cookies, const parser::Url& url, Timestamp now);

// A cookie file as browsers' exporters, curl and wget write it (Netscape's seven columns). The error names the line but
// not what it holds.
Result<std::vector<Cookie>> parse_cookie_file(std::string_view text);

}  // namespace linkherd::crawler
