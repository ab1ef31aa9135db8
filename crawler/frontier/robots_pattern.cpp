#include "crawler/frontier/robots_pattern.h"

#include <cstring>
#include <optional>

namespace linkherd::crawler {

namespace {

bool is_unreserved(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

bool must_be_escaped(unsigned char c) { return c <= 0x20 || c >= 0x7F; }

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

// The octet of the escape that starts at `text[i]`; nothing where "%" starts none.
std::optional<unsigned char> escape_at(std::string_view text, std::size_t i) {
  if (text[i] != '%' || i + 2 >= text.size()) return std::nullopt;
  const std::optional<unsigned> high = hex_digit(text[i + 1]);
  const std::optional<unsigned> low = hex_digit(text[i + 2]);
  if (!high || !low) return std::nullopt;
  return static_cast<unsigned char>(*high * 16 + *low);
}

void append_escape(std::string& out, unsigned char octet) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  out += '%';
  out += digits[octet >> 4U];
  out += digits[octet & 15U];
}

std::string normalise(std::string_view text, bool is_pattern) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (const std::optional<unsigned char> octet = escape_at(text, i)) {
      if (is_unreserved(*octet)) {
        out += static_cast<char>(*octet);
      } else {
        append_escape(out, *octet);
      }
      i += 2;
      continue;
    }
    const bool is_wildcard = is_pattern && (c == '*' || (c == '$' && i + 1 == text.size()));
    if (!is_wildcard && (c == '*' || c == '$' || must_be_escaped(c))) {
      append_escape(out, c);
    } else {
      out += static_cast<char>(c);
    }
  }
  return out;
}

// std::string_view::find is quadratic on texts like "aaaa…"; glibc's memmem is linear on every text.
std::size_t find_linear(std::string_view text, std::size_t from, std::string_view word) {
  if (word.empty()) return from;
  const void* found = ::memmem(text.data() + from, text.size() - from, word.data(), word.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

}  // namespace

std::string normalise_robots_pattern(std::string_view pattern) { return normalise(pattern, true); }
std::string normalise_robots_path(std::string_view path_and_query) { return normalise(path_and_query, false); }

// Taking each literal piece at its earliest place is right for patterns whose only wildcard is `*`: an earlier end
// never leaves less room for the pieces behind it. So there is no backtracking.
bool matches_robots_pattern(std::string_view pattern, std::string_view path) {
  const bool to_the_end = pattern.ends_with('$');
  if (to_the_end) pattern.remove_suffix(1);

  std::size_t star = pattern.find('*');
  const std::string_view start = pattern.substr(0, star);
  if (!path.starts_with(start)) return false;
  std::size_t at = start.size();
  if (star == std::string_view::npos) return !to_the_end || at == path.size();

  while (true) {
    pattern.remove_prefix(star + 1);
    star = pattern.find('*');
    if (star == std::string_view::npos) break;
    const std::string_view piece = pattern.substr(0, star);
    const std::size_t found = find_linear(path, at, piece);
    if (found == std::string_view::npos) return false;
    at = found + piece.size();
  }
  if (to_the_end) return path.size() - at >= pattern.size() && path.ends_with(pattern);
  return find_linear(path, at, pattern) != std::string_view::npos;
}

}  // namespace linkherd::crawler
