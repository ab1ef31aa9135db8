#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "parser/url/host.h"
#include "parser/url/percent_encoding.h"

namespace linkherd::parser {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The part behind the last dot, one dot at the very end aside.
std::string_view last_part(std::string_view domain) {
  if (domain.ends_with('.')) domain.remove_suffix(1);
  const std::size_t dot = domain.rfind('.');
  return dot == std::string_view::npos ? domain : domain.substr(dot + 1);
}

// Decimal, "0" octal or "0x" hexadecimal. Nothing where it is no number; values past 32 bits stay at 2^32.
std::optional<std::uint64_t> parse_ipv4_number(std::string_view text) {
  if (text.empty()) return std::nullopt;
  unsigned base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
    base = 16;
  } else if (text.size() > 1 && text.front() == '0') {
    text.remove_prefix(1);
    base = 8;
  }
  constexpr std::uint64_t too_large = std::uint64_t{1} << 32;
  std::uint64_t value = 0;
  for (const char c : text) {
    const int digit = hex_value(c);
    if (digit < 0 || static_cast<unsigned>(digit) >= base) return std::nullopt;
    value = std::min(value * base + static_cast<unsigned>(digit), too_large);
  }
  return value;
}

// The 16-bit pieces of an IPv6 address while they are read; `compress` is the first piece behind "::".
struct Ipv6Reader {
  Ipv6Address pieces{};
  std::size_t count = 0;
  std::optional<std::size_t> compress;

  // "1.2.3.4" at the end fills two pieces.
  bool read_ipv4_tail(std::string_view text) {
    if (count > 6) return false;
    for (int part = 0; part < 4; ++part) {
      if (part > 0) {
        if (!text.starts_with('.')) return false;
        text.remove_prefix(1);
      }
      std::size_t digits = 0;
      unsigned value = 0;
      while (digits < text.size() && is_digit(text[digits])) {
        if (digits > 0 && value == 0) return false;  // a leading zero
        value = value * 10 + static_cast<unsigned>(text[digits] - '0');
        if (value > 255) return false;
        ++digits;
      }
      if (digits == 0) return false;
      text.remove_prefix(digits);
      pieces[count] = static_cast<std::uint16_t>(pieces[count] * 256U + value);
      if (part % 2 == 1) ++count;
    }
    return text.empty();
  }

  bool read(std::string_view text) {
    if (text.starts_with(':')) {
      if (!text.starts_with("::")) return false;
      text.remove_prefix(2);
      compress = ++count;  // "::" stands for one piece at least
    }
    while (!text.empty()) {
      if (count == 8) return false;
      if (text.front() == ':') {
        if (compress) return false;
        text.remove_prefix(1);
        compress = ++count;
        continue;
      }
      std::size_t digits = 0;
      unsigned value = 0;
      while (digits < 4 && digits < text.size() && hex_value(text[digits]) >= 0) {
        value = value * 16 + static_cast<unsigned>(hex_value(text[digits]));
        ++digits;
      }
      if (digits < text.size() && text[digits] == '.') return digits > 0 && read_ipv4_tail(text);
      text.remove_prefix(digits);
      pieces[count++] = static_cast<std::uint16_t>(value);
      if (text.empty()) break;
      if (text.front() != ':') return false;
      text.remove_prefix(1);
      if (text.empty()) return false;  // a single ":" at the end
    }
    return true;
  }
};

struct ZeroRun {
  std::size_t start = 8;
  std::size_t length = 1;  // a single zero is not worth a "::"
};

ZeroRun longest_zero_run(const Ipv6Address& address) {
  ZeroRun best;
  for (std::size_t start = 0; start < address.size(); ++start) {
    std::size_t end = start;
    while (end < address.size() && address[end] == 0) ++end;
    if (end - start > best.length) best = {start, end - start};
    if (end > start) start = end;
  }
  return best;
}

}  // namespace

bool ends_in_a_number(std::string_view ascii_domain) {
  const std::string_view last = last_part(ascii_domain);
  if (last.empty()) return false;
  return std::ranges::all_of(last, is_digit) || parse_ipv4_number(last).has_value();
}

std::optional<std::uint32_t> parse_ipv4(std::string_view text) {
  if (text.ends_with('.')) text.remove_suffix(1);
  std::vector<std::uint64_t> numbers;
  while (true) {
    const std::size_t dot = text.find('.');
    const auto number = parse_ipv4_number(text.substr(0, dot));
    if (!number || numbers.size() == 4) return std::nullopt;
    numbers.push_back(*number);
    if (dot == std::string_view::npos) break;
    text.remove_prefix(dot + 1);
  }
  // The last number fills all bytes that the others leave.
  const std::uint64_t last = numbers.back();
  numbers.pop_back();
  if (last >= std::uint64_t{1} << (8 * (4 - numbers.size()))) return std::nullopt;
  std::uint64_t address = last;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] > 255) return std::nullopt;
    address += numbers[i] << (8 * (3 - i));
  }
  return static_cast<std::uint32_t>(address);
}

std::string format_ipv4(std::uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 0xFF, address >> 8 & 0xFF, address & 0xFF);
}

std::optional<Ipv6Address> parse_ipv6(std::string_view text) {
  Ipv6Reader reader;
  if (!reader.read(text)) return std::nullopt;
  if (!reader.compress) {
    if (reader.count != 8) return std::nullopt;
    return reader.pieces;
  }
  // What stands behind "::" belongs at the end.
  const auto from = reader.pieces.begin() + static_cast<std::ptrdiff_t>(*reader.compress);
  std::rotate(from, reader.pieces.begin() + static_cast<std::ptrdiff_t>(reader.count), reader.pieces.end());
  return reader.pieces;
}

std::string format_ipv6(const Ipv6Address& address) {
  const ZeroRun zeros = longest_zero_run(address);
  std::string text;
  for (std::size_t i = 0; i < address.size(); ++i) {
    if (i == zeros.start) {
      text += i == 0 ? "::" : ":";
      i += zeros.length - 1;
      continue;
    }
    text += fmt::format("{:x}", address[i]);
    if (i < address.size() - 1) text += ':';
  }
  return text;
}

}  // namespace linkherd::parser
