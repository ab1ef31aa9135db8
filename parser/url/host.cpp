#include "parser/url/host.h"

#include <algorithm>

#include <fmt/format.h>

#include "parser/url/percent_encoding.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

constexpr ByteSet forbidden_host_characters = ByteSet().with(std::string_view("\0\t\n\r #/:<>?@[\\]^|", 17));

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// A host for an error message: on one line, and not a megabyte of it.
std::string shown(std::string_view host) {
  constexpr std::size_t longest = 100;
  std::string text;
  append_percent_encoded(text, truncate_utf8(host, longest), ByteSet().with_range(0x00, 0x1F).with("\x7F"));
  return fmt::format("\"{}{}\"", to_valid_utf8(text), host.size() > longest ? "…" : "");
}

Result<ParsedHost> parse_bracketed(std::string_view text) {
  if (!text.ends_with(']')) return Error{fmt::format("the host {} has no closing bracket", shown(text))};
  const auto address = parse_ipv6(text.substr(1, text.size() - 2));
  if (!address) return Error{fmt::format("{} is not an IPv6 address", shown(text))};
  return ParsedHost{fmt::format("[{}]", format_ipv6(*address)), HostKind::ipv6};
}

// What a scheme without logins, such as file:, takes for a part of the host may be one all the same.
std::string_view without_login(std::string_view text) { return text.substr(text.rfind('@') + 1); }

Result<ParsedHost> parse_opaque(std::string_view text) {
  const auto forbidden = [](char c) { return forbidden_host_characters.contains(c); };
  if (std::ranges::any_of(text, forbidden)) {
    return Error{fmt::format("the host {} contains a character that no host may contain", shown(without_login(text)))};
  }
  ParsedHost host;
  append_percent_encoded(host.text, text, c0_control_encode_set);
  host.kind = text.empty() ? HostKind::empty : HostKind::opaque;
  if (has_invalid_url_unit(text)) host.notes = UrlNote::invalid_code_point;
  return host;
}

Result<ParsedHost> parse_domain(std::string_view text) {
  const std::string decoded = percent_decode(text);
  // The standard would replace what is not UTF-8 by U+FFFD, which no domain may contain: the same refusal.
  auto domain = is_valid_utf8(decoded) ? domain_to_ascii(decoded) : std::nullopt;
  if (!domain) return Error{fmt::format("{} is not a host name", shown(without_login(text)))};
  UrlNote notes = is_ascii(decoded) ? UrlNote::none : UrlNote::non_ascii_host;
  if (decoded.size() != text.size()) notes = notes | UrlNote::escaped_host;
  if (!ends_in_a_number(*domain)) {
    return ParsedHost{std::move(*domain), HostKind::domain, notes};
  }
  const auto address = parse_ipv4(*domain);
  if (!address) return Error{fmt::format("{} ends in a number but is not an IPv4 address", shown(text))};
  ParsedHost host{format_ipv4(*address), HostKind::ipv4, notes};
  if (host.text != text) host.notes = host.notes | UrlNote::numeric_host;
  return host;
}

}  // namespace

Result<ParsedHost> parse_host(std::string_view text, bool special) {
  if (text.starts_with('[')) return parse_bracketed(text);
  return special ? parse_domain(text) : parse_opaque(text);
}

}  // namespace linkherd::parser
