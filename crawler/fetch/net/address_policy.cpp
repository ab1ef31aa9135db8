#include "crawler/fetch/net/address_policy.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace linkherd::crawler {

namespace {

struct Range {
  std::array<std::uint8_t, 16> bytes;
  unsigned bits;
};

// Describes how an IPv6 address carries an IPv4 address.
struct Wrapping {
  Range range;
  std::size_t offset;
  bool inverted = false;  // all bits are inverted
};

// RFC 6890 and its updates.
constexpr std::array<Range, 16> private_v4{{
    {{0}, 8},
    {{10}, 8},
    {{100, 64}, 10},
    {{127}, 8},
    {{169, 254}, 16},
    {{172, 16}, 12},
    {{192, 0, 0}, 24},
    {{192, 0, 2}, 24},
    {{192, 88, 99}, 24},
    {{192, 168}, 16},
    {{198, 18}, 15},
    {{198, 51, 100}, 24},
    {{203, 0, 113}, 24},
    {{224}, 4},
    {{240}, 4},
    {{255, 255, 255, 255}, 32},
}};

// Exceptions within 2000::/3, the only range of public addresses.
constexpr std::array<Range, 3> private_v6{{
    {{0x20, 0x01, 0x00}, 23},        // protocol assignments: benchmarks, ORCHID
    {{0x20, 0x01, 0x0d, 0xb8}, 32},  // documentation
    {{0x3f, 0xff, 0x00}, 20},        // documentation
}};
constexpr Range public_v6{{0x20}, 3};

constexpr std::array<Wrapping, 5> wrappings{{
    {{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96}, 12},  // ::ffff:0:0/96, IPv4-mapped
    {{{0x00, 0x64, 0xff, 0x9b}, 96}, 12},                    // 64:ff9b::/96, NAT64
    {{{0x20, 0x02}, 16}, 2},                                 // 2002::/16, 6to4
    {{{0x20, 0x01, 0, 0}, 32}, 4},                           // 2001::/32, Teredo: the server …
    {{{0x20, 0x01, 0, 0}, 32}, 12, true},                    // … and the client
}};

bool inside(const IpAddress& address, const Range& range) {
  const std::size_t whole = range.bits / 8;
  if (!std::equal(range.bytes.begin(), range.bytes.begin() + whole, address.bytes.begin())) return false;
  const unsigned rest = range.bits % 8;
  if (rest == 0) return true;
  const unsigned mask = 0xffU << (8 - rest) & 0xffU;
  return (address.bytes[whole] & mask) == (range.bytes[whole] & mask);
}

IpAddress unwrap(const IpAddress& address, const Wrapping& wrapping) {
  IpAddress inner;
  std::copy_n(address.bytes.begin() + static_cast<std::ptrdiff_t>(wrapping.offset), 4, inner.bytes.begin());
  if (wrapping.inverted) {
    for (std::size_t i = 0; i < 4; ++i) inner.bytes.at(i) = static_cast<std::uint8_t>(~inner.bytes.at(i));
  }
  return inner;
}

}  // namespace

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  if (text.size() >= INET6_ADDRSTRLEN || text.find('\0') != std::string_view::npos) return std::nullopt;
  const std::string spelling(text);
  IpAddress address;
  if (inet_pton(AF_INET, spelling.c_str(), address.bytes.data()) == 1) return address;
  address.v6 = true;
  if (inet_pton(AF_INET6, spelling.c_str(), address.bytes.data()) == 1) return address;
  return std::nullopt;
}

std::optional<IpAddress> IpAddress::of(const sockaddr& address) {
  IpAddress ip;
  if (address.sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    std::memcpy(ip.bytes.data(), &v4.sin_addr, sizeof v4.sin_addr);
    return ip;
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address, sizeof v6);
    std::memcpy(ip.bytes.data(), &v6.sin6_addr, sizeof v6.sin6_addr);
    ip.v6 = true;
    return ip;
  }
  return std::nullopt;
}

std::string IpAddress::to_string() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(v6 ? AF_INET6 : AF_INET, bytes.data(), text.data(), text.size());
  return text.data();
}

std::string IpAddress::in_url() const { return v6 ? "[" + to_string() + "]" : to_string(); }

bool is_public(const IpAddress& address) {
  const auto holds_it = [&address](const Range& range) { return inside(address, range); };
  if (!address.v6) return std::ranges::none_of(private_v4, holds_it);
  bool wrapped = false;
  for (const Wrapping& wrapping : wrappings) {
    if (!inside(address, wrapping.range)) continue;
    wrapped = true;
    if (!is_public(unwrap(address, wrapping))) return false;
  }
  return wrapped || (inside(address, public_v6) && std::ranges::none_of(private_v6, holds_it));
}

Result<AddressRange> AddressRange::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto base = IpAddress::parse(text.substr(0, slash));
  const Error error{"\"" + std::string(text) + "\" is not an address or range such as 10.0.0.0/8"};
  if (!base) return error;
  const unsigned max_bits = base->v6 ? 128 : 32;
  AddressRange range{*base, max_bits};
  if (slash == std::string_view::npos) return range;
  const std::string_view bits = text.substr(slash + 1);
  const auto [end, code] = std::from_chars(bits.data(), bits.data() + bits.size(), range.bits);
  if (code != std::errc() || end != bits.data() + bits.size() || range.bits > max_bits) return error;
  return range;
}

bool AddressRange::contains(const IpAddress& address) const {
  if (address.v6 == base.v6) return inside(address, {base.bytes, bits});
  if (base.v6) return false;
  return std::ranges::any_of(wrappings, [&](const Wrapping& wrapping) {
    return inside(address, wrapping.range) && contains(unwrap(address, wrapping));
  });
}

bool is_address_with_port(std::string_view text) {
  if (IpAddress::parse(text)) return true;
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view digits = text.substr(colon + 1);
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size() || port == 0) return false;
  const auto address = IpAddress::parse(text.substr(0, colon));
  return address && (!address->v6 || text.starts_with('['));
}

bool AddressPolicy::allows(const IpAddress& address) const {
  return all || is_public(address) ||
         std::ranges::any_of(allowed, [&](const AddressRange& range) { return range.contains(address); });
}

}  // namespace linkherd::crawler
