// Parses IP addresses and decides which of them linkherd may contact if a web page names them.
#pragma once

#include <array>
#include <compare>
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

  // Parses the usual notations; IPv6 with or without brackets. Returns nullopt for host names.
  static std::optional<IpAddress> parse(std::string_view text);
  static std::optional<IpAddress> of(const sockaddr& address);
  std::string to_string() const;  // without brackets
  std::string in_url() const;     // IPv6 in brackets

  auto operator<=>(const IpAddress&) const = default;  // NOLINT(modernize-use-nullptr): false alarm of clang-tidy 14
};

// Returns true if the address belongs to the public Internet. Private, loopback, link-local, multicast and
// documentation ranges do not, even if wrapped in an IPv6 address (mapped, NAT64, 6to4, Teredo).
bool is_public(const IpAddress& address);

// A range such as "10.0.0.0/8" or "fd00::/8", or one address.
struct AddressRange {
  IpAddress base;
  unsigned bits = 0;

  static Result<AddressRange> parse(std::string_view text);
  // Also true if an IPv6 address wraps an IPv4 address of the range.
  bool contains(const IpAddress& address) const;

  bool operator==(const AddressRange&) const = default;
};

// Accepts "192.0.2.1", "192.0.2.1:53", "2001:db8::1" and "[2001:db8::1]:53".
bool is_address_with_port(std::string_view text);

// The addresses that linkherd may contact: public ones, and those that the user allows.
struct AddressPolicy {
  bool all = false;
  std::vector<AddressRange> allowed{};

  bool allows(const IpAddress& address) const;
};

}  // namespace linkherd::crawler
