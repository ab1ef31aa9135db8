// IP addresses as bytes, and which of them a crawler may contact when a foreign page names them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/result.h"

struct sockaddr;

namespace linkherd::crawler {

struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};  // an IPv4 address uses the first four
  bool v6 = false;

  // The usual spellings, IPv6 with or without brackets. Host names give nothing.
  static std::optional<IpAddress> parse(std::string_view text);
  static std::optional<IpAddress> of(const sockaddr& address);
  std::string to_string() const;  // no brackets
  std::string in_url() const;     // IPv6 in brackets

  bool operator==(const IpAddress&) const = default;
};

// Whether the address belongs to the public Internet: no private, loopback, link-local, multicast or documentation
// range, also not wrapped in an IPv6 address (mapped, NAT64, 6to4, Teredo).
bool is_public(const IpAddress& address);

// "10.0.0.0/8", "fd00::/8", or one address.
struct AddressRange {
  IpAddress base;
  unsigned bits = 0;

  static Result<AddressRange> parse(std::string_view text);
  // Also where an IPv6 address wraps an IPv4 address of the range.
  bool contains(const IpAddress& address) const;

  bool operator==(const AddressRange&) const = default;
};

// "192.0.2.1", "192.0.2.1:53", "2001:db8::1" or "[2001:db8::1]:53".
bool is_address_with_port(std::string_view text);

// Which addresses may be contacted: the public ones, and what the user allows besides.
struct AddressPolicy {
  bool all = false;
  std::vector<AddressRange> allowed{};

  bool allows(const IpAddress& address) const;
};

}  // namespace linkherd::crawler
