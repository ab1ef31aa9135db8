#include "parser/url/mail_address.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "parser/ascii.h"
#include "parser/url/host.h"
#include "parser/url/percent_encoding.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t max_local_part_bytes = 64;  // RFC 5321
constexpr std::size_t max_domain_bytes = 253;

// The characters of "atext" in RFC 5322, and all non-ASCII characters (RFC 6531).
constexpr ByteSet atom_characters = ByteSet()
                                        .with_range('a', 'z')
                                        .with_range('A', 'Z')
                                        .with_range('0', '9')
                                        .with("!#$%&'*+-/=?^_`{|}~")
                                        .with_range(0x80, 0xFF);

bool is_dot_atom(std::string_view text) {
  if (text.empty() || text.starts_with('.') || text.ends_with('.')) return false;
  return text.find("..") == std::string_view::npos &&
         std::ranges::all_of(text, [](char c) { return c == '.' || atom_characters.contains(c); });
}

bool is_quoted(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return false;
  const std::string_view inside = text.substr(1, text.size() - 2);
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] == '\\') {
      if (++i == inside.size()) return false;
    } else if (inside[i] == '"' || static_cast<unsigned char>(inside[i]) < 0x20) {
      return false;
    }
  }
  return true;
}

bool is_host_name(std::string_view ascii) {
  while (true) {
    const std::string_view label = ascii.substr(0, ascii.find('.'));
    const bool fine = !label.empty() && label.size() <= 63 && !label.starts_with('-') && !label.ends_with('-') &&
                      std::ranges::all_of(label, [](char c) { return is_ascii_alphanumeric(c) || c == '-'; });
    if (!fine) return false;
    if (label.size() == ascii.size()) return !std::ranges::all_of(label, is_ascii_digit);  // a top-level domain
    ascii.remove_prefix(label.size() + 1);
  }
}

bool is_mail_domain(std::string_view domain) {
  if (domain.starts_with('[')) {
    if (!domain.ends_with(']')) return false;
    const std::string_view inside = domain.substr(1, domain.size() - 2);
    return inside.starts_with("IPv6:") ? parse_ipv6(inside.substr(5)).has_value() : parse_ipv4(inside).has_value();
  }
  const auto ascii = domain_to_ascii(domain);
  return ascii && ascii->size() <= max_domain_bytes && ascii->find('.') != std::string::npos && is_host_name(*ascii);
}

// Calls `visit` for each piece between separators and returns the first problem that it reports.
template <class Visit>
std::optional<std::string> first_problem(std::string_view text, char separator, Visit visit) {
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(text.size(), piece.size() + 1));
    if (auto problem = visit(piece)) return problem;
  }
  return std::nullopt;
}

// Returns a short description of why an address is invalid, or nullopt if it is valid. `address` has the form
// "local@domain" and is percent-decoded.
std::optional<std::string> mail_address_problem(std::string_view address) {
  const std::string shown = to_valid_utf8(truncate_utf8(address, 100));
  if (!is_valid_utf8(address)) return fmt::format("\"{}\" is not UTF-8", shown);
  const std::size_t at = address.rfind('@');
  if (at == std::string_view::npos) return fmt::format(R"("{}" has no "@")", shown);
  const std::string_view local = address.substr(0, at);
  if (local.size() > max_local_part_bytes || (!is_dot_atom(local) && !is_quoted(local))) {
    return fmt::format(R"(the part before the "@" of "{}" is not a valid mailbox name)", shown);
  }
  if (!is_mail_domain(address.substr(at + 1))) {
    return fmt::format(R"(the part after the "@" of "{}" is not a valid mail domain)", shown);
  }
  return std::nullopt;
}

// A "," inside an address is escaped, so addresses are split before decoding.
std::optional<std::string> list_problem(std::string_view addresses) {
  return first_problem(addresses, ',', [](std::string_view address) -> std::optional<std::string> {
    const std::string decoded = percent_decode(address);
    const std::string_view trimmed = trim_ascii(decoded);
    return trimmed.empty() ? std::nullopt : mail_address_problem(trimmed);
  });
}

}  // namespace

std::optional<std::string> find_mailto_problem(const Url& url) {
  if (auto problem = list_problem(url.path())) return problem;
  return first_problem(url.query(), '&', [](std::string_view field) -> std::optional<std::string> {
    constexpr std::array<std::string_view, 3> recipients = {"to", "cc", "bcc"};
    const std::size_t equals = std::min(field.find('='), field.size());
    const auto is_name = [&](std::string_view name) { return equals_ignoring_case(field.substr(0, equals), name); };
    if (std::ranges::none_of(recipients, is_name) || equals == field.size()) return std::nullopt;
    return list_problem(field.substr(equals + 1));
  });
}

}  // namespace linkherd::parser
