// Options for connections: address family, resolver, TLS version and proxy.
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
  c_ares,  // linkherd's own: caches by TTL and distinguishes all answers
  system,  // getaddrinfo, with the configuration of this machine (mDNS, LDAP, NIS)
};

enum class TlsVersion { any, v1_0, v1_1, v1_2, v1_3 };

// A proxy for requests.
struct Proxy {
  // One of http, https, socks4 and socks5 (linkherd resolves names), socks4a and socks5h (the proxy does); empty: no
  // proxy.
  std::string scheme;
  std::string host;  // IPv6 in brackets
  std::uint16_t port = 0;
  std::string user;
  std::string password;  // never printed

  bool used() const { return !scheme.empty(); }
  bool resolves_names() const { return scheme != "socks4" && scheme != "socks5"; }
  bool is_http() const { return scheme == "http" || scheme == "https"; }
  std::string address() const;  // "http://127.0.0.1:3128", without user and password

  bool operator==(const Proxy&) const = default;
};

// Parses "http://USER:PASSWORD@HOST:PORT" or "socks5h://HOST". Default ports: 3128, 443 for https, 1080 for SOCKS.
Result<Proxy> parse_proxy(std::string_view text);

// Selects the proxy for each request. Environment variables count only if the user enables them.
struct Proxies {
  Proxy http{};                       // for http URLs
  Proxy https{};                      // for https URLs
  std::vector<std::string> direct{};  // hosts without proxy: "a.cn" with its subdomains, "10.0.0.0/8", "*"

  Proxies() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): one for all
  Proxies(const Proxy& all) : http(all), https(all) {}

  bool used() const { return http.used() || https.used(); }
  // Returns true if a proxy may find names that linkherd cannot resolve.
  bool resolve_names() const;
  // Returns the proxy for `url`; an unused one if the host needs none.
  const Proxy& of(const parser::Url& url) const;
  std::string describe() const;  // without credentials; empty if there is no proxy
};

// Reads http_proxy, https_proxy, all_proxy and no_proxy like curl. A name in capitals is used if the one in small
// letters is not set. HTTP_PROXY is ignored in a CGI program, because a client may set it. The error names the
// variable.
Result<Proxies> read_proxies_from_environment();

}  // namespace linkherd::crawler
