#include "parser/url/host.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>
#include <unicode/bytestream.h>
#include <unicode/idna.h>

#include "parser/ascii.h"
#include "parser/url/percent_encoding.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

constexpr ByteSet forbidden_host_characters = ByteSet().with(std::string_view("\0\t\n\r #/:<>?@[\\]^|", 17));

// Returns a host as shown in an error message: shortened and on one line.
std::string shown(std::string_view host) {
  constexpr std::size_t max_bytes = 100;
  std::string text;
  append_percent_encoded(text, truncate_utf8(host, max_bytes), ByteSet().with_range(0x00, 0x1F).with("\x7F"));
  return fmt::format("\"{}{}\"", to_valid_utf8(text), host.size() > max_bytes ? "…" : "");
}

Result<ParsedHost> parse_bracketed(std::string_view text) {
  if (!text.ends_with(']')) return Error{fmt::format("the host {} has no closing bracket", shown(text))};
  const auto address = parse_ipv6(text.substr(1, text.size() - 2));
  if (!address) return Error{fmt::format("{} is not an IPv6 address", shown(text))};
  return ParsedHost{fmt::format("[{}]", format_ipv6(*address)), HostKind::ipv6};
}

// Removes credentials from an error message. Schemes without credentials, such as file:, treat them as part of the
// host.
std::string_view without_login(std::string_view text) { return text.substr(text.rfind('@') + 1); }

Result<ParsedHost> parse_opaque(std::string_view text) {
  const auto forbidden = [](char c) { return forbidden_host_characters.contains(c); };
  if (std::ranges::any_of(text, forbidden)) {
    return Error{
        fmt::format("the host {} contains a character that is not allowed in host names", shown(without_login(text)))};
  }
  ParsedHost host;
  append_percent_encoded(host.text, text, c0_control_encode_set);
  host.kind = text.empty() ? HostKind::empty : HostKind::opaque;
  if (has_invalid_url_unit(text)) host.notes = UrlNote::invalid_code_point;
  return host;
}

Result<ParsedHost> parse_domain(std::string_view text) {
  const std::string decoded = percent_decode(text);
  // The standard replaces invalid UTF-8 by U+FFFD, which no domain may contain, so the result is the same failure.
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

// Internationalised domain names, implemented with ICU.

namespace {

// Punycode takes time quadratic in the length of a label, so longer names are rejected. DNS allows 253 bytes.
constexpr std::size_t max_international_domain_bytes = 4096;

// Errors that ICU reports and the standard ignores, because it calls UTS #46 with CheckHyphens and VerifyDnsLength set
// to false.
constexpr std::uint32_t forgiven_errors = UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG |
                                          UIDNA_ERROR_DOMAIN_NAME_TOO_LONG | UIDNA_ERROR_LEADING_HYPHEN |
                                          UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4;

constexpr ByteSet forbidden_domain_characters = ByteSet().with_range(0x00, 0x20).with("#/:<>?@[\\]^|%\x7F");

// Returns an immutable instance, which threads may share according to the ICU documentation.
const icu::IDNA& uts46() {
  static const std::unique_ptr<const icu::IDNA> instance = [] {
    UErrorCode status = U_ZERO_ERROR;
    std::unique_ptr<const icu::IDNA> made(icu::IDNA::createUTS46Instance(
        UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ | UIDNA_NONTRANSITIONAL_TO_ASCII, status));
    if (U_FAILURE(status) != 0 || made == nullptr) {
      throw std::runtime_error("the IDNA data of ICU cannot be loaded");
    }
    return made;
  }();
  return *instance;
}

// Calls `visit` for each label until it returns false.
template <class Visit>
bool all_labels(std::string_view domain, Visit visit) {
  while (true) {
    const std::size_t dot = domain.find('.');
    if (!visit(domain.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    domain.remove_prefix(dot + 1);
  }
}

// Since revision 31, UTS #46 rejects punycode that decodes to an empty or ASCII label ("xn--", "xn--abc-"). ICU 72
// implements an older revision.
bool punycode_is_needed(std::string_view label) {
  return !label.starts_with("xn--") || (label.size() > 4 && label.back() != '-');
}

// Since revision 31, UTS #46 maps the capital sharp s to the small one; ICU 72 maps it to "ss".
std::string with_small_sharp_s(std::string_view domain) {
  constexpr std::string_view capital = "\u1E9E";
  std::string text(domain);
  for (std::size_t at = text.find(capital); at != std::string::npos; at = text.find(capital, at + 1)) {
    text.replace(at, capital.size(), "\u00DF");
  }
  return text;
}

std::optional<std::string> to_ascii_by_icu(std::string_view domain) {
  if (domain.size() > max_international_domain_bytes) return std::nullopt;
  std::string ascii;
  icu::StringByteSink<std::string> sink(&ascii);
  icu::IDNAInfo info;
  UErrorCode status = U_ZERO_ERROR;
  uts46().nameToASCII_UTF8(icu::StringPiece(domain.data(), static_cast<std::int32_t>(domain.size())), sink, info,
                           status);
  if (U_FAILURE(status) != 0 || (info.getErrors() & ~forgiven_errors) != 0) return std::nullopt;
  if (!all_labels(ascii, punycode_is_needed)) return std::nullopt;
  return ascii;
}

}  // namespace

std::optional<std::string> domain_to_ascii(std::string_view utf8_domain) {
  // Since 2026 the standard only lowercases an ASCII domain, even if UTS #46 would reject its punycode, because such
  // names exist and resolve.
  const bool ascii = is_ascii(utf8_domain);
  std::optional<std::string> domain;
  if (ascii) {
    domain.emplace(utf8_domain);
    std::ranges::transform(*domain, domain->begin(), ascii_lower);
  } else {
    domain = to_ascii_by_icu(with_small_sharp_s(utf8_domain));
  }
  const auto forbidden = [](char c) { return forbidden_domain_characters.contains(c); };
  if (!domain || domain->empty() || std::ranges::any_of(*domain, forbidden)) return std::nullopt;
  return domain;
}

std::string domain_to_unicode(std::string_view ascii_domain) {
  constexpr std::size_t max_label_bytes = 63;  // the DNS limit; decoding punycode takes quadratic time
  std::string unicode;
  all_labels(ascii_domain, [&](std::string_view label) {
    if (label.data() != ascii_domain.data()) unicode += '.';
    std::string decoded;
    icu::StringByteSink<std::string> sink(&decoded);
    icu::IDNAInfo info;
    UErrorCode status = U_ZERO_ERROR;
    if (label.starts_with("xn--") && label.size() <= max_label_bytes) {
      uts46().labelToUnicodeUTF8(icu::StringPiece(label.data(), static_cast<std::int32_t>(label.size())), sink, info,
                                 status);
    }
    const bool failed = U_FAILURE(status) != 0 || (info.getErrors() & ~forgiven_errors) != 0;
    unicode += decoded.empty() || failed ? label : std::string_view(decoded);
    return true;
  });
  return unicode;
}

// IPv4 and IPv6 addresses.

namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Returns the part after the last dot, ignoring one trailing dot.
std::string_view last_part(std::string_view domain) {
  if (domain.ends_with('.')) domain.remove_suffix(1);
  const std::size_t dot = domain.rfind('.');
  return dot == std::string_view::npos ? domain : domain.substr(dot + 1);
}

// Parses a decimal, octal (prefix "0") or hexadecimal (prefix "0x") number. Returns nullopt if the text is not a
// number. Values of more than 32 bits saturate at 2^32.
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

// The state of the IPv6 parser; `compress` is the index of the first piece after "::".
struct Ipv6Reader {
  Ipv6Address pieces{};
  std::size_t count = 0;
  std::optional<std::size_t> compress;

  // Parses "1.2.3.4" at the end of an address, which fills two pieces.
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
      compress = ++count;  // "::" stands for at least one piece
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
  std::size_t length = 1;  // a single zero piece is not compressed
};

ZeroRun find_zero_run(const Ipv6Address& address) {
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
  // The last number fills all remaining bytes.
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
  // The pieces after "::" belong at the end.
  const auto from = reader.pieces.begin() + static_cast<std::ptrdiff_t>(*reader.compress);
  std::rotate(from, reader.pieces.begin() + static_cast<std::ptrdiff_t>(reader.count), reader.pieces.end());
  return reader.pieces;
}

std::string format_ipv6(const Ipv6Address& address) {
  const ZeroRun zeros = find_zero_run(address);
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

// An href omits the default port, and it escapes an "@" in a user name or password.
std::string parse_origin(std::string_view href) {
  const std::size_t start = href.find("://") + 3;
  const std::size_t end = std::min(href.find_first_of("/?#", start), href.size());
  const std::string_view authority = href.substr(start, end - start);
  const std::size_t at = authority.find('@');
  std::string origin(href.substr(0, start));
  return origin.append(authority.substr(at == std::string_view::npos ? 0 : at + 1));
}

}  // namespace linkherd::parser
