// The proxy that requests go through: only the one that the user names, never one of the environment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "parser/result.h"

namespace linkherd::crawler {

struct Proxy {
  std::string scheme;  // http, socks5 (we resolve names), socks5h (the proxy does); empty: no proxy
  std::string host;    // IPv6 in brackets
  std::uint16_t port = 0;
  std::string user;
  std::string password;  // never printed

  bool used() const { return !scheme.empty(); }
  bool resolves_names() const { return scheme != "socks5"; }
  std::string address() const;  // "http://127.0.0.1:3128", without user and password

  bool operator==(const Proxy&) const = default;
};

// "http://USER:PASSWORD@HOST:PORT", "socks5://HOST", "socks5h://HOST"; the port is 3128 or 1080 where none is written.
Result<Proxy> parse_proxy(std::string_view text);

}  // namespace linkherd::crawler
