// The host parser of the URL Standard: domains, IPv4 addresses in every spelling, IPv6 addresses, and the opaque hosts
// of schemes that linkherd does not know.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "parser/url/url.h"

namespace linkherd::parser {

// Whether `host` is `domain` or lies below it, as "www.example.com" lies below "example.com". Both lower case.
constexpr bool is_within_domain(std::string_view host, std::string_view domain) {
  return host.ends_with(domain) && (host.size() == domain.size() || host[host.size() - domain.size() - 1] == '.');
}

struct ParsedHost {
  std::string text;  // serialised: lower case, punycode, IPv6 in brackets
  HostKind kind = HostKind::empty;
  UrlNote notes = UrlNote::none;
};

// `special`: the host belongs to a special scheme, so it is a domain or an address.
Result<ParsedHost> parse_host(std::string_view text, bool special);

// A domain in ASCII, as the standard's domain-to-ASCII (not strict); nothing where it cannot be a domain.
std::optional<std::string> domain_to_ascii(std::string_view utf8_domain);

// A domain of ASCII with its punycode undone, in UTF-8. Labels that stand for nothing stay as they are.
std::string domain_to_unicode(std::string_view ascii_domain);

// "0x7f.1" is 127.0.0.1. The text must end in a number; nothing where it is no address.
bool ends_in_a_number(std::string_view ascii_domain);
std::optional<std::uint32_t> parse_ipv4(std::string_view text);
std::string format_ipv4(std::uint32_t address);

// Without brackets.
using Ipv6Address = std::array<std::uint16_t, 8>;
std::optional<Ipv6Address> parse_ipv6(std::string_view text);
std::string format_ipv6(const Ipv6Address& address);

// The origin of an http or https URL, from its href, without parsing that again.
std::string origin_of_href(std::string_view href);

}  // namespace linkherd::parser
