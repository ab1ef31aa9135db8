// How connections are made: address family, resolver, TLS version, proxy.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parser/result.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

enum class IpFamily { any, v4, v6 };

enum class ResolverKind {
  c_ares,  // our own: with a cache by TTL, and answers told apart exactly
  system,  // getaddrinfo: whatever this machine is set up with (mDNS, LDAP, NIS)
};

enum class TlsVersion { any, v1_0, v1_1, v1_2, v1_3 };

// A proxy that requests go through.
struct Proxy {
  std::string scheme;  // http, https, socks4 and socks5 (we resolve names), socks4a and socks5h; empty: no proxy
  std::string host;    // IPv6 in brackets
  std::uint16_t port = 0;
  std::string user;
  std::string password;  // never printed

  bool used() const { return !scheme.empty(); }
  bool resolves_names() const { return scheme != "socks4" && scheme != "socks5"; }
  bool is_http() const { return scheme == "http" || scheme == "https"; }
  std::string address() const;  // "http://127.0.0.1:3128", without user and password

  bool operator==(const Proxy&) const = default;
};

// "http://USER:PASSWORD@HOST:PORT", "socks5h://HOST"; without a port 3128, 443 for https, 1080 for SOCKS.
Result<Proxy> parse_proxy(std::string_view text);

// Which requests go through which proxy. Those of the environment count only where the user says so.
struct Proxies {
  Proxy http{};                       // for http URLs
  Proxy https{};                      // for https URLs
  std::vector<std::string> direct{};  // hosts that need none: "a.cn" with all below it, "10.0.0.0/8", "*"

  Proxies() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): one for all
  Proxies(const Proxy& all) : http(all), https(all) {}

  bool used() const { return http.used() || https.used(); }
  // Whether names that we cannot find may be found by a proxy.
  bool resolve_names() const;
  // An unused one for hosts that need none.
  const Proxy& of(const parser::Url& url) const;
  std::string describe() const;  // without logins; empty: none
};

// Of http_proxy, https_proxy, all_proxy and no_proxy, as curl reads them; in capitals where there is none in small
// letters, but for HTTP_PROXY in a CGI program, where a client may set it. The Error names the variable.
Result<Proxies> proxies_of_environment();

}  // namespace linkherd::crawler
