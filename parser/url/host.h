// The host parser of the URL Standard (https://url.spec.whatwg.org/#host-parsing). It handles domains, IPv4 addresses
// in all notations, IPv6 addresses, and the opaque hosts of non-special schemes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "parser/url/url.h"

namespace linkherd::parser {

// Returns true if `host` is `domain` or a subdomain of it. Both must be in lower case.
constexpr bool is_within_domain(std::string_view host, std::string_view domain) {
  return host.ends_with(domain) && (host.size() == domain.size() || host[host.size() - domain.size() - 1] == '.');
}

struct ParsedHost {
  std::string text;  // the serialised host: lower case, punycode, IPv6 in brackets
  HostKind kind = HostKind::empty;
  UrlNote notes = UrlNote::none;
};

// Parses a host. If `special` is true, the scheme is special and the host must be a domain or an IP address. Otherwise
// it may be an opaque host.
Result<ParsedHost> parse_host(std::string_view text, bool special);

// Runs the standard's domain-to-ASCII algorithm with beStrict set to false. Returns nullopt if the text is not a valid
// domain.
std::optional<std::string> domain_to_ascii(std::string_view utf8_domain);

// Decodes the punycode of an ASCII domain to UTF-8. Labels that are not valid punycode are unchanged.
std::string domain_to_unicode(std::string_view ascii_domain);

// Parse and format IPv4 addresses, including notations such as "0x7f.1" (127.0.0.1). parse_ipv4() requires a text for
// which ends_in_a_number() returns true.
bool ends_in_a_number(std::string_view ascii_domain);
std::optional<std::uint32_t> parse_ipv4(std::string_view text);
std::string format_ipv4(std::uint32_t address);

// The eight 16-bit pieces of an IPv6 address. The functions below read and write its text without brackets.
using Ipv6Address = std::array<std::uint16_t, 8>;
std::optional<Ipv6Address> parse_ipv6(std::string_view text);
std::string format_ipv6(const Ipv6Address& address);

// Returns the origin of an http or https URL. `href` must be a serialised URL; it is not parsed again.
std::string parse_origin(std::string_view href);

}  // namespace linkherd::parser
