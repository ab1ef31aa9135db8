// IP addresses as bytes, and which of them a crawler may contact when a foreign page names them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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
// range, also not wrapped in an IPv6 address (mapped, NAT64, 6to4; Teredo is refused altogether).
bool is_public(const IpAddress& address);

}  // namespace linkherd::crawler
