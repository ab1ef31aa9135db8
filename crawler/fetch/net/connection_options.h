// How connections are made: address family, resolver, TLS version, proxy.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "parser/result.h"

namespace linkherd::crawler {

enum class IpFamily { any, v4, v6 };

enum class ResolverKind {
  c_ares,  // our own: with a cache by TTL, and answers told apart exactly
  system,  // getaddrinfo: whatever this machine is set up with (mDNS, LDAP, NIS)
};

enum class TlsVersion { any, v1_0, v1_1, v1_2, v1_3 };

// The proxy that requests go through: only the one that the user names, never one of the environment.
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
