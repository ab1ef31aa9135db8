#include "crawler/fetch/net/connection_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "crawler/fetch/net/address_policy.h"
#include "parser/ascii.h"
#include "parser/join.h"

namespace linkherd::crawler {

namespace {

constexpr std::uint16_t usual_port = 3128;  // of HTTP proxies
constexpr std::uint16_t https_port = 443;
constexpr std::uint16_t socks_port = 1080;
constexpr std::uint16_t curls_port = 1080;  // curl's default for HTTP proxies from the environment

// Decodes percent escapes, which allow "@" and ":" in a password.
std::string unescape(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    const bool escaped = text[i] == '%' && i + 2 < text.size() &&
                         std::from_chars(text.data() + i + 1, text.data() + i + 3, code, 16).ptr == text.data() + i + 3;
    plain += escaped ? static_cast<char>(code) : text[i];
    if (escaped) i += 2;
  }
  return plain;
}

// No error quotes the text, because it may contain a password.
Result<Proxy> parse_proxy(std::string_view text, std::uint16_t http_port) {
  constexpr std::array<std::string_view, 6> schemes{"http", "https", "socks4", "socks4a", "socks5", "socks5h"};
  const Error malformed{
      "a proxy must have the form http://HOST:PORT, or the same with https, socks5h or socks4a, or with socks5 or "
      "socks4 if linkherd itself is to resolve names"};
  const std::size_t mark = text.find("://");
  if (mark == std::string_view::npos) return malformed;
  Proxy proxy;
  proxy.scheme = text.substr(0, mark);
  if (std::ranges::find(schemes, proxy.scheme) == schemes.end()) return malformed;
  // The URL parser validates the host and port. It runs for two schemes, because each drops its own default port.
  const Result<parser::Url> url = parser::Url::parse("http" + std::string(text.substr(mark)));
  const Result<parser::Url> other = parser::Url::parse("https" + std::string(text.substr(mark)));
  if (!url || !other || url->path() != "/" || url->has_query() || url->has_fragment()) return malformed;
  proxy.host = url->host();
  const std::uint16_t own_port = proxy.scheme == "http" ? http_port : proxy.scheme == "https" ? https_port : socks_port;
  proxy.port = url->port().value_or(other->port().value_or(own_port));
  proxy.user = unescape(url->username());
  proxy.password = unescape(url->password());
  return proxy;
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets the environment
  return value == nullptr ? "" : value;
}

// Tries small letters first.
std::string variable_in_any_case(std::string name) {
  std::string value = variable(name.c_str());
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  const bool is_a_clients = name == "HTTP_PROXY" && !variable("REQUEST_METHOD").empty();
  return value.empty() && !is_a_clients ? variable(name.c_str()) : value;
}

// "proxy:3128" means "http://proxy:3128". curl's default port differs from the one of --proxy.
Result<Proxy> proxy_of(const std::string& scheme_variable) {
  std::string name = scheme_variable;
  std::string text = variable_in_any_case(name);
  if (text.empty()) text = variable_in_any_case(name = "all_proxy");
  if (text.empty()) return Proxy();
  if (text.find("://") == std::string::npos) text.insert(0, "http://");
  Result<Proxy> proxy = parse_proxy(text, curls_port);
  if (proxy.has_error()) return Error{fmt::format("{}: {}", name, proxy.error().message)};
  return proxy;
}

// Splits a list such as "a, .b.cn 10.0.0.0/8".
std::vector<std::string> hosts_in(std::string_view text) {
  std::vector<std::string> hosts;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(", \t"), text.size()));
    if (text.empty()) return hosts;
    std::string_view host = text.substr(0, text.find_first_of(", \t"));
    text.remove_prefix(host.size());
    while (host.starts_with('.')) host.remove_prefix(1);
    while (host.ends_with('.')) host.remove_suffix(1);
    if (!host.empty()) hosts.push_back(parser::to_ascii_lower(host));
  }
}

bool is_direct(std::string_view host, const std::string& rule) {
  if (rule == "*" || rule == host) return true;
  if (const auto address = IpAddress::parse(host)) {
    const Result<AddressRange> range = AddressRange::parse(rule);
    return range.has_value() && range->contains(*address);
  }
  return host.size() > rule.size() && host.ends_with(rule) && host[host.size() - rule.size() - 1] == '.';
}

}  // namespace

std::string Proxy::address() const { return fmt::format("{}://{}:{}", scheme, host, port); }

Result<Proxy> parse_proxy(std::string_view text) { return parse_proxy(text, usual_port); }

bool Proxies::resolve_names() const {
  return (http.used() && http.resolves_names()) || (https.used() && https.resolves_names());
}

const Proxy& Proxies::of(const parser::Url& url) const {
  static const Proxy none;
  std::string_view host = url.host();
  if (host.ends_with('.')) host.remove_suffix(1);
  const auto names_host = [host](const std::string& rule) { return is_direct(host, rule); };
  if (std::ranges::any_of(direct, names_host)) return none;
  return url.scheme() == "https" ? https : http;
}

std::string Proxies::describe() const {
  if (!used()) return {};
  const auto address = [](const Proxy& proxy) { return proxy.used() ? proxy.address() : std::string("none"); };
  if (http == https && direct.empty()) return http.address();
  return fmt::format("{} {} {}", address(http), address(https), join(direct, ","));
}

Result<Proxies> read_proxies_from_environment() {
  Proxies proxies;
  Result<Proxy> http = proxy_of("http_proxy");
  if (http.has_error()) return http.error();
  Result<Proxy> https = proxy_of("https_proxy");
  if (https.has_error()) return https.error();
  proxies.http = std::move(http).value();
  proxies.https = std::move(https).value();
  proxies.direct = hosts_in(variable_in_any_case("no_proxy"));
  return proxies;
}

}  // namespace linkherd::crawler
